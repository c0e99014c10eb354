"""A language model behind any OpenAI-compatible endpoint: patient with its troubles, silent about its key."""

from __future__ import annotations

import math
import os
import random
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from runner.agents.base import AgentUnavailable, Call, Message, PromptTooLong
from runner.agents.messages import digest, estimate_tokens
from runner.agents.settings import SettingError, setting
from runner.words import Value
from runner.words import gettext_noop as _

if TYPE_CHECKING:
    import openai
    from openai.types.chat import ChatCompletion

FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
REASON_LENGTH = 500
NO_KEY = "none"
"""Sent where the endpoint needs no key; the client insists on one."""

# Whoever makes a run names the variable and where it is sent: no other secret of the worker's may go there.
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*_API_KEY")
_TOO_LONG = ("context_length_exceeded", "string_above_max_length", "maximum context length")
_OUT_OF_CREDIT = "insufficient_quota"
# Why the last of several tries came to nothing.
_ANSWERED = _("the model's endpoint {address} answered {status}; tried {tries} times")
_SILENT = _("the model's endpoint {address} did not answer within {seconds} seconds; tried {tries} times")
_UNREACHABLE = _("the model's endpoint {address} could not be reached; tried {tries} times")
_NO_COMPLETION = _(
    "the model's endpoint {address} answered with what is no chat completion; tried {tries} times"
)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model, how it is asked, and what it costs."""

    model: str = setting(about=_("the model's name, as the endpoint knows it"))
    base_url: str = setting(
        "https://api.openai.com/v1", about=_("the endpoint, up to and without /chat/completions")
    )
    api_key_variable: str = setting(
        "OPENAI_API_KEY",
        about=_("the environment variable of the worker that holds the key, ..._API_KEY; empty for no key"),
    )
    temperature: float | None = setting(
        0.2, about=_("randomness; empty for the model's own"), minimum=0, maximum=2
    )
    max_tokens: int = setting(4096, about=_("the longest reply, in tokens"), minimum=1)
    prompt_price: float = setting(0.0, about=_("US dollars for a million prompt tokens"), minimum=0)
    response_price: float = setting(0.0, about=_("US dollars for a million response tokens"), minimum=0)
    timeout: float = setting(180.0, about=_("seconds to wait for an answer"), minimum=0.1, maximum=3600)
    tries: int = setting(6, about=_("how often a call is tried in all"), minimum=1, maximum=20)

    def __post_init__(self) -> None:
        # Not repeated in the message: a key pasted into the wrong field must not end in a log.
        if self.api_key_variable and not _VARIABLE.fullmatch(self.api_key_variable):
            raise SettingError(
                "api_key_variable",
                _(
                    "must be the name of an environment variable in capitals that ends in _API_KEY, "
                    "and never a key"
                ),
            )
        try:
            parts = urlsplit(self.base_url)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingError("base_url", _("must be an address that starts with http:// or https://"))
        if parts.username is not None or parts.query:
            raise SettingError(
                "base_url", _("must hold no user, password or query; keys come from the environment")
            )


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model wrote, and whether it had to stop for length."""

    text: str
    cut_off: bool
    call: Call


class Model:
    """Completes chats. One call at a time; ``close`` may come from another thread.

    Args:
        settings: which model, and how.
        wait: waits for some seconds and says whether it was closed meanwhile; tests bring their own.
    """

    def __init__(self, settings: ModelSettings, wait: Callable[[float], bool] | None = None) -> None:
        self._settings = settings
        self._closed = threading.Event()
        self._wait = self._closed.wait if wait is None else wait
        self._client: openai.OpenAI | None = None
        self._key = ""

    def complete(self, messages: Sequence[Message], purpose: str) -> Completion:
        """Asks the model, up to ``tries`` times.

        Raises:
            AgentUnavailable: it refuses us (a wrong key, an unknown model), or was out of reach every time.
            PromptTooLong: the messages do not fit into its window.
        """
        import openai  # noqa: PLC0415 - slow to import

        client = self._connect()
        asked = datetime.now(UTC)
        said: dict[str, Value] = {"address": self._settings.base_url, "tries": self._settings.tries}
        template, final = _UNREACHABLE, None
        for tried in range(1, self._settings.tries + 1):
            try:
                return self._completion(self._ask(client, messages), messages, purpose, asked, tried)
            except openai.APIStatusError as error:
                final = self._final(error)
                template, said["status"] = _ANSWERED, error.status_code
                delay = _delay(tried, error.response.headers)
            except openai.APITimeoutError:
                template, said["seconds"] = _SILENT, f"{self._settings.timeout:g}"
                delay = _delay(tried)
            except openai.APIConnectionError:
                template, delay = _UNREACHABLE, _delay(tried)
            except (openai.OpenAIError, ValueError):
                # ValueError: what came with a good status is no JSON, or not a completion.
                template, delay = _NO_COMPLETION, _delay(tried)
            # Outside of the except clauses: the errors hold the request, and the request holds the key.
            if final:
                raise final
            if self._closed.is_set() or (tried < self._settings.tries and self._wait(delay)):
                raise AgentUnavailable(_("the call was given up"), retry=True)
        raise AgentUnavailable(template, retry=True, **said)

    def close(self) -> None:
        """Ends a call that is waiting."""
        self._closed.set()
        if self._client:
            self._client.close()

    def _connect(self) -> openai.OpenAI:
        import openai  # noqa: PLC0415 - slow to import

        if self._client:
            return self._client
        variable = self._settings.api_key_variable
        self._key = os.environ.get(variable, "").strip() if variable else ""
        if variable and not self._key:
            raise AgentUnavailable(
                _(
                    "the environment variable {variable} is not set for the worker; put the key for "
                    "{address} into it"
                ),
                retry=False,
                variable=variable,
                address=self._settings.base_url,
            )
        self._client = openai.OpenAI(
            api_key=self._key or NO_KEY,
            base_url=self._settings.base_url,
            timeout=self._settings.timeout,
            max_retries=0,
        )
        return self._client

    def _ask(self, client: openai.OpenAI, messages: Sequence[Message]) -> ChatCompletion:
        from openai.types.chat import ChatCompletion  # noqa: PLC0415 - slow to import

        options: dict[str, Any] = {"max_tokens": self._settings.max_tokens}
        if self._settings.temperature is not None:
            options["temperature"] = self._settings.temperature
        answer: Any = client.chat.completions.create(
            model=self._settings.model, messages=cast("Any", list(messages)), stream=False, **options
        )
        # The client takes any JSON, or even text, for a completion.
        if not isinstance(answer, ChatCompletion) or not answer.choices or not answer.choices[0].message:
            raise ValueError
        return answer

    def _completion(
        self, answer: ChatCompletion, messages: Sequence[Message], purpose: str, asked: datetime, tries: int
    ) -> Completion:
        choice = answer.choices[0]
        content: Any = choice.message.content
        # JSON can carry lone surrogates, which neither a kernel nor a file can take.
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

    def _final(self, error: openai.APIStatusError) -> Exception | None:
        """What to raise for an answer that would be the same the next time."""
        status, where = error.status_code, self._settings.base_url
        said = self._redacted(str(error.message))[:REASON_LENGTH]
        if status in (400, 413) and any(word in f"{error.code} {said}" for word in _TOO_LONG):
            return PromptTooLong(said)
        if status in (401, 403):
            held = self._settings.api_key_variable
            return AgentUnavailable(
                _("{address} refused us ({status}): check the key in the environment variable {variable}")
                if held
                else _("{address} refused us ({status}): it wants a key"),
                retry=False,
                address=where,
                status=status,
                variable=held,
            )
        if status == 404:
            return AgentUnavailable(
                _("{address} answered 404: check base_url, and that it knows the model {model}"),
                retry=False,
                address=where,
                model=self._settings.model,
            )
        if error.code == _OUT_OF_CREDIT:
            return AgentUnavailable(
                _("{address} says that the account has no credit left"), retry=False, address=where
            )
        if status < 500 and status not in (408, 409, 425, 429):
            return AgentUnavailable(
                _("{address} refused the request ({status}): {said}"),
                retry=False,
                address=where,
                status=status,
                said=said,
            )
        return None

    def _redacted(self, text: str) -> str:
        return text.replace(self._key, "[key]") if self._key else text


def _delay(tried: int, headers: Any = None) -> float:
    """Seconds until the next try: what the endpoint asks for, or twice as long each time; never in step."""
    asked = _retry_after(headers.get("retry-after")) if headers is not None else None
    if asked is not None:
        return min(LONGEST_WAIT, asked * random.uniform(1.0, 1.1))  # noqa: S311 - no secret
    # Scattered below the longest wait as well, where all would come back together.
    return min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (tried - 1)) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret


def _retry_after(value: str | None) -> float | None:
    """The seconds in a Retry-After header: a number or a date."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            moment = parsedate_to_datetime(value)
        except ValueError:
            return None
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = (aware - datetime.now(UTC)).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _count(answer: ChatCompletion, name: str) -> int | None:
    value = getattr(answer.usage, name, None)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
