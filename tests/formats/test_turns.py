"""Tokens and cost by turn, and what the model was shown of an observation: in each format that has them."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.domain.trajectory import Shown, Step
from leaderboard.formats import read
from leaderboard.formats.amounts import NO_USAGE, turn_usage
from leaderboard.formats.shown import shown_of
from tests.cast import history
from tests.formats.frameworks import (
    MINI_SUBMIT,
    asks,
    atif,
    atif_step,
    finish,
    inspect_sample,
    mini,
    mini_output,
    mini_turn,
    run,
    v0_events,
)
from tests.formats.samples import as_bytes

TWO_CALLS = (("bash_command", {"keystrokes": "ls"}, "a"), ("bash_command", {"keystrokes": "pwd"}, "b"))


def turns(document: Any) -> list[tuple[int | None, int | None, float | None]]:
    return [(step.prompt_tokens, step.response_tokens, step.cost) for step in steps(document)]


def steps(document: Any) -> tuple[Step, ...]:
    return read(as_bytes(document), name="a.json").steps


def test_a_turn_of_several_steps_is_counted_once_in_atif() -> None:
    assert turns(atif(atif_step(*TWO_CALLS))) == [(100, 10, 0.01), (None, None, None)]


def test_mini_swe_agent() -> None:
    response = {"usage": {"prompt_tokens": 100, "completion_tokens": 7}}
    document = mini(mini_turn("ls", "pwd", response=response), mini_turn(MINI_SUBMIT))
    assert turns(document) == [(100, 7, 0.1), (None, None, None), (None, None, 0.1)]


def test_one_answer_of_the_model_is_counted_once_in_openhands() -> None:
    events = v0_events(run("ls"), run("pwd"), finish())
    answer = {"id": "m1", "usage": {"prompt_tokens": 300, "completion_tokens": 20}}
    for event in (events[2], events[4]):
        event["tool_call_metadata"] = {"model_response": answer}
    assert turns(events) == [(300, 20, None), (None, None, None), (None, None, None)]


def test_inspect_has_the_usage_of_a_message_in_the_events() -> None:
    message = {**asks(("c1", "bash", {"cmd": "ls"})), "id": "m1"}
    usage = {"input_tokens": 5, "input_tokens_cache_read": 95, "output_tokens": 8}
    event = {"event": "model", "output": {"choices": [{"message": {"id": "m1"}}], "usage": usage}}
    assert turns(inspect_sample(message, events=[event])) == [(100, 8, None)]


def of_our_runner(observation: str, **own: Any) -> Any:
    document = history(1, observation=observation)
    document["runner"] = {"settings": {"newest_observation": 50, "older_observation": 10}}
    document["history"][0]["runner"] = own
    return document


def test_our_runner_notes_the_calls_of_each_step() -> None:
    used = {"prompt_tokens": 9, "response_tokens": 2, "cost": 0.5}
    assert turns(of_our_runner("x", **used, calls=[{}]))[0] == (9, 2, 0.5)
    assert turns(of_our_runner("x", **used, calls=[]))[0] == (None, None, None)


@pytest.mark.parametrize("bad", [-1, "9", True, float("nan"), 10**400, None, [1]])
def test_what_is_no_amount_is_left_out(bad: Any) -> None:
    metrics = {"prompt_tokens": bad, "completion_tokens": bad, "cost_usd": bad}
    assert turns(atif(atif_step(*TWO_CALLS, metrics=metrics)))[0] == (None, None, None)


def test_the_end_of_a_long_observation_is_what_agents_of_our_runner_are_shown() -> None:
    long, short = (steps(of_our_runner("x" * size))[0].shown for size in (51, 50))
    assert long == Shown(50, 51, "the last 50, and of older observations the last 10")
    assert short is None


def test_mini_swe_agent_shows_both_ends_of_a_long_output() -> None:
    whole = "".join(f"part {number};" for number in range(2_000))
    output = mini_output(whole, "100.0-0")
    output["content"] = (
        f"<output_head>\n{whole[:5000]}\n</output_head>\n<elided_chars>\n9,999 characters elided\n"
        f"</elided_chars>\n<output_tail>\n{whole[-5000:]}\n</output_tail>"
    )
    (step, *_rest) = steps(mini(mini_turn("ls", at=100.0), output, mini_turn(MINI_SUBMIT)))
    assert step.observation == whole
    assert step.shown == Shown(10_000, len(whole), "the first 5,000 and the last 5,000")


def test_inspect_says_how_much_it_cut_but_keeps_no_more() -> None:
    event = {"event": "tool", "id": "c1", "truncated": [120_000, 16_384]}
    document = inspect_sample(asks(("c1", "bash", {"cmd": "ls"})), events=[event])
    assert steps(document)[0].shown == Shown(16_384, 120_000, "which is all that the log has", "bytes")


@pytest.mark.parametrize("sizes", [None, [1], [5, 9], ["a", "b"], [9, -1], [float("inf"), 1]])
def test_odd_sizes_in_inspect_are_passed_over(sizes: Any) -> None:
    event = {"event": "tool", "id": "c1", "truncated": sizes}
    assert steps(inspect_sample(asks(("c1", "bash", {"cmd": "ls"})), events=[event]))[0].shown is None


@pytest.mark.parametrize("message", ["<output>all of it</output>", "something else", "a"])
def test_an_output_that_is_there_whole_or_in_another_form_was_not_cut(message: str) -> None:
    assert shown_of("all of it\n", message) is None


@pytest.mark.parametrize("claimed", [1e308, -1, "much", float("nan")])
def test_what_a_turn_can_not_have_used_is_unknown(claimed: object) -> None:
    assert turn_usage(claimed, claimed, claimed) == NO_USAGE
