"""Asks a language model behind any OpenAI-compatible endpoint; tries again, and never shows the API key."""

from __future__ import annotations

import math
import os
import random
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from runner.agents.base import AgentUnavailable, Call, Message, PromptTooLong
from runner.agents.messages import digest, estimate_tokens
from runner.agents.settings import Settings

if TYPE_CHECKING:
    import openai
    from openai.types.chat import ChatCompletion

FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
REASON_LENGTH = 500
NO_KEY = "none"
"""Sent where the endpoint needs no key; the client insists on one."""

# A run's settings name both the variable and the endpoint, so other secrets of the worker must not match.
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*_API_KEY")
_TOO_LONG = ("context_length_exceeded", "string_above_max_length", "maximum context length")
_OUT_OF_CREDIT = "insufficient_quota"


class ModelSettings(Settings):
    """Which model, how it is asked, and what it costs."""

    model: str = Field(min_length=1, description="the model's name, as the endpoint knows it")
    base_url: str = Field(
        default="https://api.openai.com/v1", description="the endpoint, up to and without /chat/completions"
    )
    api_key_variable: str = Field(
        default="OPENAI_API_KEY",
        description="the worker's environment variable that holds the key, ..._API_KEY; empty for no key",
    )
    temperature: float | None = Field(
        default=0.2, ge=0, le=2, description="randomness; empty for the model's default"
    )
    max_tokens: int = Field(default=4096, ge=1, description="the longest reply, in tokens")
    prompt_price: float = Field(default=0.0, ge=0, description="US dollars for a million prompt tokens")
    response_price: float = Field(default=0.0, ge=0, description="US dollars for a million response tokens")
    timeout: float = Field(default=180.0, ge=0.1, le=3600, description="seconds to wait for an answer")
    tries: int = Field(default=6, ge=1, le=20, description="how often a call is tried in all")

    @field_validator("api_key_variable")
    @classmethod
    def _is_a_variable(cls, name: str) -> str:
        # The message does not repeat the value: it may be a key in the wrong field.
        if name and not _VARIABLE.fullmatch(name):
            raise ValueError(
                "must be the name of an environment variable in capitals that ends in _API_KEY, never a key"
            )
        return name

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, address: str) -> str:
        try:
            parts = urlsplit(address)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("must be an address that starts with http:// or https://")
        if parts.username is not None or parts.query:
            raise ValueError("must hold no user, password or query; keys come from the environment")
        return address


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model wrote; ``cut_off`` where it reached its longest length."""

    text: str
    cut_off: bool
    call: Call


class Model:
    """Completes chats, one call at a time. ``close`` may be called from another thread.

    ``wait`` waits for some seconds and returns whether ``close`` was called meanwhile; for tests.
    """

    def __init__(self, settings: ModelSettings, wait: Callable[[float], bool] | None = None) -> None:
        self._settings = settings
        self._closed = threading.Event()
        self._wait = self._closed.wait if wait is None else wait
        self._client: openai.OpenAI | None = None
        self._key = ""

    def complete(self, messages: Sequence[Message], purpose: str) -> Completion:
        """Asks the model, up to ``tries`` times.

        The openai client could retry by itself, but `close` can't end its waits, it does not retry a good
        status with a bad body, and it retries when the account has no credit left.

        Raises:
            AgentUnavailable: the endpoint refuses the request, or did not answer well in any try.
            PromptTooLong: the messages do not fit into the model's context window.
        """
        client = self._connect()
        try:
            return self._complete(client, messages, purpose)
        finally:
            if self._closed.is_set():
                # `close` may have come before the client was there, or while it was connecting.
                client.close()

    def close(self) -> None:
        """Ends a call that is waiting."""
        self._closed.set()
        if self._client:
            self._client.close()

    def _complete(self, client: openai.OpenAI, messages: Sequence[Message], purpose: str) -> Completion:
        import openai  # noqa: PLC0415 - slow, and only a call needs it

        asked = datetime.now(UTC)
        tries, problem = self._settings.tries, ""
        for tried in range(1, tries + 1):
            try:
                return self._completion(self._ask(client, messages), messages, purpose, asked, tried)
            except (openai.OpenAIError, ValueError) as error:
                # ValueError: the body is not JSON, or not a completion.
                problem, final = self._problem(error), None
                delay = _delay(tried)
                if isinstance(error, openai.APIStatusError):
                    final = self._final(error)
                    delay = _delay(tried, error.response.headers)
            # Outside of the except clause: the error holds the request, and the request holds the key.
            if final:
                raise final
            if self._closed.is_set() or (tried < tries and self._wait(delay)):
                raise AgentUnavailable("the call was given up", retry=True)
        failed = f"the model's endpoint {self._settings.base_url} {problem}"
        raise AgentUnavailable(f"{failed}; tried {tries} times", retry=True)

    def _connect(self) -> openai.OpenAI:
        import openai  # noqa: PLC0415 - slow, and only a call needs it

        if self._client:
            return self._client
        variable = self._settings.api_key_variable
        self._key = os.environ.get(variable, "").strip() if variable else ""
        if variable and not self._key:
            unset = f"the environment variable {variable} is not set for the worker"
            raise AgentUnavailable(f"{unset}; put the key for {self._settings.base_url} into it", retry=False)
        self._client = openai.OpenAI(
            api_key=self._key or NO_KEY,
            base_url=self._settings.base_url,
            timeout=self._settings.timeout,
            max_retries=0,
        )
        return self._client

    def _ask(self, client: openai.OpenAI, messages: Sequence[Message]) -> ChatCompletion:
        from openai.types.chat import ChatCompletion  # noqa: PLC0415 - slow, and only a call needs it

        options: dict[str, Any] = {"max_tokens": self._settings.max_tokens}
        if self._settings.temperature is not None:
            options["temperature"] = self._settings.temperature
        answer: Any = client.chat.completions.create(
            model=self._settings.model, messages=cast("Any", list(messages)), stream=False, **options
        )
        # The client accepts any JSON, or even text, as a completion.
        if not isinstance(answer, ChatCompletion) or not answer.choices or not answer.choices[0].message:
            raise ValueError
        return answer

    def _completion(
        self, answer: ChatCompletion, messages: Sequence[Message], purpose: str, asked: datetime, tries: int
    ) -> Completion:
        choice = answer.choices[0]
        content: Any = choice.message.content
        # JSON can hold lone surrogates, which neither a kernel nor a file accepts.
        text = self._redacted(content).encode("utf-8", "replace").decode() if isinstance(content, str) else ""
        prompt, response = _count(answer, "prompt_tokens"), _count(answer, "completion_tokens")
        estimated = prompt is None or response is None
        if prompt is None:
            prompt = estimate_tokens(sum(len(message["content"]) for message in messages))
        if response is None:
            response = estimate_tokens(len(text))
        prices = self._settings
        cost = (prompt * prices.prompt_price + response * prices.response_price) / 1_000_000
        call = Call(
            purpose, digest(messages), prompt, response, cost, estimated, tries, asked, datetime.now(UTC)
        )
        return Completion(text, choice.finish_reason == "length", call)

    def _problem(self, error: Exception) -> str:
        """What the endpoint did, as the end of a sentence."""
        import openai  # noqa: PLC0415 - slow, and only a call needs it

        match error:
            case openai.APIStatusError():
                return f"answered {error.status_code}"
            case openai.APITimeoutError():
                return f"did not answer within {self._settings.timeout:g} seconds"
            case openai.APIConnectionError():
                return "could not be reached"
        return "answered with something that is not a chat completion"

    def _final(self, error: openai.APIStatusError) -> Exception | None:
        """What to raise for an answer that would be the same the next time; None for any other."""
        status, where = error.status_code, self._settings.base_url
        said = self._redacted(str(error.message))[:REASON_LENGTH]
        if status in (400, 413) and any(word in f"{error.code} {said}" for word in _TOO_LONG):
            return PromptTooLong(said)
        if status in (401, 403):
            variable = self._settings.api_key_variable
            advice = f"check the key in the environment variable {variable}" if variable else "it wants a key"
            reason = f"{where} refused us ({status}): {advice}"
        elif status == 404:
            model = self._settings.model
            reason = f"{where} answered 404: check base_url, and that it knows the model {model}"
        elif error.code == _OUT_OF_CREDIT:
            reason = f"{where} says that the account has no credit left"
        elif status < 500 and status not in (408, 409, 425, 429):
            reason = f"{where} refused the request ({status}): {said}"
        else:
            return None
        return AgentUnavailable(reason, retry=False)

    def _redacted(self, text: str) -> str:
        return text.replace(self._key, "[key]") if self._key else text


def _delay(tried: int, headers: Mapping[str, str] | None = None) -> float:
    """Seconds until the next try: what the endpoint asks for, or twice as long each time.

    Always random, so that many agents do not all come back at the same moment.
    """
    wanted = _retry_after((headers or {}).get("retry-after", ""))
    if wanted is not None:
        return min(LONGEST_WAIT, wanted * random.uniform(1.0, 1.1))  # noqa: S311 - no secret
    return min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (tried - 1)) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret


def _retry_after(value: str) -> float | None:
    """The seconds in a Retry-After header, which is a number or a date; None where it is neither."""
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _count(answer: ChatCompletion, name: str) -> int | None:
    value = getattr(answer.usage, name, None)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
