"""A model's endpoint has its moods; what it says is counted, and what it must not know stays with us."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from runner.agents.base import AgentUnavailable, Message, PromptTooLong
from runner.agents.llm import LONGEST_WAIT, Model, ModelSettings
from tests.agents.server import Answer, ModelServer, error

Serve = Callable[..., ModelServer]
ASK: list[Message] = [{"role": "user", "content": "x" * 40}]


class Waits(list[float]):
    """Notes how long would have been waited."""

    def __call__(self, seconds: float) -> bool:
        self.append(seconds)
        return False


MakeModel = Callable[..., Model]


@pytest.fixture
def model() -> Iterator[MakeModel]:
    """Makes models of a server, and closes their connections after the test."""
    with ExitStack() as made:

        def make(server: ModelServer, waits: Waits | None = None, **settings: Any) -> Model:
            asked = Model(
                ModelSettings(model="tiny", base_url=server.url, **settings),
                Waits() if waits is None else waits,
            )
            made.callback(asked.close)
            return asked

        yield make


def test_it_asks_for_what_the_settings_say(serve: Serve, model: MakeModel, key: str) -> None:
    server = serve("hello")

    completion = model(server, temperature=0.5, max_tokens=7).complete(ASK, "act")

    assert completion.text == "hello"
    asked = {"model": "tiny", "messages": ASK, "temperature": 0.5, "max_tokens": 7, "stream": False}
    assert asked.items() <= server.requests[0].items()
    assert server.keys == [f"Bearer {key}"]


def test_a_temperature_of_none_is_the_models_own(serve: Serve, model: MakeModel) -> None:
    server = serve("hello")

    model(server, temperature=None).complete(ASK, "act")

    assert "temperature" not in server.requests[0]


def test_tokens_are_those_of_the_endpoint_and_cost_what_the_settings_say(
    serve: Serve, model: MakeModel
) -> None:
    call = model(serve("hello"), prompt_price=2.5, response_price=10.0).complete(ASK, "act").call

    assert (call.prompt_tokens, call.response_tokens, call.estimated) == (100, 10, False)
    assert call.cost == pytest.approx(0.00035)


@pytest.mark.parametrize(
    "usage", [None, {}, {"prompt_tokens": None, "completion_tokens": None, "total_tokens": 1}]
)
def test_tokens_that_nobody_counted_are_estimated_and_said_to_be(
    usage: dict[str, Any] | None, serve: Serve, model: MakeModel
) -> None:
    call = model(serve(Answer("y" * 20, usage=usage))).complete(ASK, "act").call

    assert (call.prompt_tokens, call.response_tokens, call.estimated) == (10, 5, True)


@pytest.mark.parametrize(
    "bad",
    [
        error(429),
        error(500),
        error(503),
        Answer(raw=b"<html>bad gateway</html>", status=502),
        Answer(raw=b"{"),
        Answer(raw=b"[1]"),
        Answer(raw=b'{"choices": []}'),
        Answer(raw=b'{"choices": [{"message": null}]}'),
        Answer(raw=b"<html>hello</html>", headers={"Content-Type": "text/html"}),
    ],
    ids=lambda answer: f"{answer.status} {answer.raw[:30]!r}",
)
def test_it_tries_again(bad: Answer, serve: Serve, model: MakeModel) -> None:
    server, waits = serve(bad, bad, "hello"), Waits()

    completion = model(server, waits).complete(ASK, "act")

    assert (completion.text, completion.call.tries, len(waits)) == ("hello", 3, 2)


def test_it_waits_twice_as_long_each_time_but_never_in_step(serve: Serve, model: MakeModel) -> None:
    waits = Waits()

    with pytest.raises(AgentUnavailable):
        model(serve(error(500)), waits, tries=9).complete(ASK, "act")

    for tried, seconds in enumerate(waits):
        assert min(LONGEST_WAIT, 2**tried) / 2 <= seconds <= min(LONGEST_WAIT, 2**tried)
    assert len(set(waits)) == len(waits)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        ("0", 0),
        ("1e9", LONGEST_WAIT),
        ("Fri, 31 Dec 2100 00:00:00 GMT", LONGEST_WAIT),
    ],
)
def test_it_waits_as_long_as_the_endpoint_asks_within_reason(
    header: str, seconds: float, serve: Serve, model: MakeModel
) -> None:
    waits = Waits()

    model(serve(error(429, Retry_After=header), "hello"), waits).complete(ASK, "act")

    assert seconds <= waits[0] <= min(LONGEST_WAIT, seconds * 1.1)


@pytest.mark.parametrize("header", ["soon", "nan", "-3", ""])
def test_a_retry_after_that_makes_no_sense_does_no_harm(header: str, serve: Serve, model: MakeModel) -> None:
    waits = Waits()

    model(serve(error(429, Retry_After=header), "hello"), waits).complete(ASK, "act")

    assert 0 <= waits[0] <= 1


def test_it_gives_up_after_so_many_tries(serve: Serve, model: MakeModel) -> None:
    server = serve(error(503))

    with pytest.raises(AgentUnavailable, match="answered 503; tried 3 times") as caught:
        model(server, tries=3).complete(ASK, "act")

    assert (len(server.requests), caught.value.retry) == (3, True)


def test_an_endpoint_that_hangs_is_given_up(serve: Serve, model: MakeModel) -> None:
    with pytest.raises(AgentUnavailable, match=r"did not answer within 0\.2 seconds; tried 2 times"):
        model(serve(Answer(hang=True)), timeout=0.2, tries=2).complete(ASK, "act")


def test_nobody_at_the_address_is_said(key: str, model: MakeModel) -> None:
    with ModelServer([""]) as server:
        gone = model(server, tries=2)
    with pytest.raises(AgentUnavailable, match=f"{server.url} could not be reached"):
        gone.complete(ASK, "act")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (error(401), r"refused us \(401\): check the key in the environment variable OPENAI_API_KEY"),
        (error(403), r"refused us \(403\): check the key"),
        (error(404), "answered 404: check base_url, and that it knows the model tiny"),
        (error(400, "no such thing"), r"refused the request \(400\): .*no such thing"),
        (error(429, code="insufficient_quota"), "has no credit left"),
    ],
)
def test_it_stops_at_once_where_trying_again_is_of_no_use(
    answer: Answer, reason: str, serve: Serve, model: MakeModel
) -> None:
    server = serve(answer)

    with pytest.raises(AgentUnavailable, match=reason) as caught:
        model(server).complete(ASK, "act")

    assert (len(server.requests), caught.value.retry) == (1, False)
    assert server.url in str(caught.value)


def test_a_prompt_that_is_too_long_is_told_apart(serve: Serve, model: MakeModel) -> None:
    with pytest.raises(PromptTooLong, match="maximum"):
        model(serve(error(400, "the maximum is 8", "context_length_exceeded"))).complete(ASK, "act")


def test_a_key_that_is_not_there_is_named(
    serve: Serve, model: MakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    server = serve("hello")

    with pytest.raises(AgentUnavailable, match="the environment variable OPENAI_API_KEY is not set"):
        model(server).complete(ASK, "act")

    assert server.requests == []


def test_an_endpoint_can_do_without_a_key(serve: Serve, model: MakeModel, key: str) -> None:
    server = serve("hello")

    model(server, api_key_variable="").complete(ASK, "act")

    assert key not in str(server.keys)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
def test_a_key_that_comes_back_in_an_error_goes_no_further(
    status: int, serve: Serve, model: MakeModel, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    with pytest.raises(AgentUnavailable) as caught:
        model(serve(error(status, f"wrong key: {key}")), tries=2).complete(ASK, "act")

    assert key not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None
    assert key not in "".join(record.getMessage() for record in caplog.records if record.name != "asyncio")


def test_a_key_that_the_model_repeats_goes_no_further(serve: Serve, model: MakeModel, key: str) -> None:
    assert model(serve(f"your key is {key}")).complete(ASK, "act").text == "your key is [key]"


def test_what_no_file_can_hold_is_replaced(serve: Serve, model: MakeModel) -> None:
    assert model(serve("a\ud800b")).complete(ASK, "act").text == "a?b"


@pytest.mark.parametrize("text", [None, ""])
def test_a_reply_without_a_word_is_one(text: str | None, serve: Serve, model: MakeModel) -> None:
    assert model(serve(Answer(text))).complete(ASK, "act").text == ""


def test_closing_ends_the_wait_for_another_try(serve: Serve) -> None:
    server = serve(error(429, Retry_After="50"))
    asked = Model(ModelSettings(model="tiny", base_url=server.url))
    asked.close()

    with pytest.raises(AgentUnavailable, match="given up"):
        asked.complete(ASK, "act")
