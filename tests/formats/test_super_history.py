"""SUPER's history.json."""

from __future__ import annotations

import math
from typing import Any

import pytest

from leaderboard.domain.errors import InputError
from leaderboard.domain.trajectory import MISSING, Ending, StepKind, Trajectory
from leaderboard.formats import read
from leaderboard.formats.super_steps import kind_of
from tests.formats.samples import act, as_bytes, history

KINDS = {
    "execute": StepKind.EXECUTE,
    "None": StepKind.EXECUTE,
    "edit": StepKind.EDIT,
    "create": StepKind.CREATE,
    "open": StepKind.VIEW,
    "scroll_up": StepKind.VIEW,
    "find_file": StepKind.SEARCH,
    "submit": StepKind.SUBMIT,
    "interrupt": StepKind.INTERRUPT,
    "continue_wait": StepKind.WAIT,
    "exception": StepKind.EXCEPTION,
    "exit_cost": StepKind.EXCEPTION,
    "": StepKind.FORMAT_ERROR,
    "I will look at the file.": StepKind.FORMAT_ERROR,
    "continue": StepKind.OTHER,
}


def read_history(document: Any) -> Trajectory:
    return read(as_bytes(document), name="history.json")


def with_step(**fields: Any) -> Trajectory:
    document = history(act("execute"))
    document["history"][0].update(fields)
    return read_history(document)


def places(trajectory: Trajectory) -> list[str]:
    return [warning.place for warning in trajectory.warnings]


@pytest.mark.parametrize(("action_type", "kind"), KINDS.items())
def test_an_action_type_tells_the_kind_of_step(action_type: str, kind: StepKind) -> None:
    assert kind_of(action_type) is kind


def test_steps_come_as_the_file_has_them() -> None:
    trajectory = read_history(history(act("execute", "!ls\n"), act("edit", "a.py")))
    second = trajectory.steps[1]
    assert (second.number, second.kind, second.action) == (2, StepKind.EDIT, "a.py")
    assert (second.thought, second.observation) == ("thought 1", "saw 1")
    assert trajectory.format == "SUPER history.json"
    assert trajectory.warnings == ()


def test_totals_are_taken_over() -> None:
    totals = {"total_cost": 1.25, "total_context_tokens_count": 1000, "total_response_tokens_count": 20}
    trajectory = read_history(history(act("execute"), **totals))
    assert (trajectory.cost, trajectory.prompt_tokens, trajectory.response_tokens) == (1.25, 1000, 20)


@pytest.mark.parametrize("cost", [-1, True, "2", math.nan, 10**400])
def test_a_total_that_is_no_amount_is_left_out_and_noted(cost: Any) -> None:
    trajectory = read_history(history(act("execute"), total_cost=cost))
    assert trajectory.cost is None
    assert places(trajectory) == ["$.total_cost"]


def test_a_token_count_that_no_column_holds_is_left_out() -> None:
    trajectory = read_history(history(act("execute"), total_context_tokens_count=2**70))
    assert trajectory.prompt_tokens is None
    assert places(trajectory) == ["$.total_context_tokens_count"]


@pytest.mark.parametrize("answer", [{"loss": 0.5}, [1, 2], "0.5", 0, False, None, ""])
def test_the_answer_is_the_last_submission_of_any_type(answer: Any) -> None:
    trajectory = read_history(history(act("execute"), act("submit", answer)))
    assert trajectory.answer == answer
    assert type(trajectory.answer) is type(answer)
    assert trajectory.ending is Ending.SUBMITTED


def test_a_submission_that_is_not_the_last_step_is_no_answer() -> None:
    trajectory = read_history(history(act("submit", 1), act("execute")))
    assert trajectory.answer is MISSING
    assert trajectory.ending is Ending.UNKNOWN


def test_a_submission_without_content_is_no_answer() -> None:
    trajectory = read_history(history({"type": "submit"}))
    assert trajectory.answer is MISSING
    assert places(trajectory) == ["$.history[0].action.content"]


def test_numbers_that_are_not_finite_stay_in_the_answer_and_are_noted() -> None:
    data = as_bytes(history(act("submit", "X"))).replace(b'"X"', b'{"a": NaN, "b": [1e400]}')
    trajectory = read(data, name="f")
    assert repr(trajectory.answer) == "{'a': nan, 'b': [inf]}"
    assert "2 of them" in trajectory.warnings[0].reason


@pytest.mark.parametrize(
    ("content", "ending"),
    [
        ("Total context tokens exceeded.", Ending.CONTEXT),
        ("Total compute time exceeded.", Ending.TIME),
        ("The kernel died.", Ending.EXCEPTION),
    ],
)
def test_an_exception_tells_why_the_run_ended(content: str, ending: Ending) -> None:
    trajectory = read_history(history(act("execute"), act("exception", content)))
    assert (trajectory.ending, trajectory.ending_detail) == (ending, content)


@pytest.mark.parametrize(
    ("start", "end", "seconds"),
    [
        ("2024-09-12 06:15:34.250000", "2024-09-12 06:15:36", 1.75),
        ("2024-09-12 23:59:59", "2024-09-13 00:00:01", 2.0),
        ("2024-09-12T06:15:34Z", "2024-09-12T06:15:35Z", 1.0),
    ],
)
def test_times_give_the_duration(start: str, end: str, seconds: float) -> None:
    step = with_step(execution_start_time=start, execution_end_time=end).steps[0]
    assert (step.started, step.duration) == (start, seconds)


@pytest.mark.parametrize(
    ("start", "end"),
    [("2024-09-12 06:15:34", "2024-09-12 06:15:33"), ("noon", "one"), (1, 2), ("2024-09-12", None)],
)
def test_times_that_give_no_duration_are_noted(start: Any, end: Any) -> None:
    trajectory = with_step(execution_start_time=start, execution_end_time=end)
    assert trajectory.steps[0].duration is None
    assert places(trajectory) == ["$.history[0].execution_start_time"]


def test_a_step_without_an_observation_is_named() -> None:
    trajectory = with_step(observation=None)
    assert trajectory.steps[0].observation is None
    assert trajectory.warnings[0].reason == "step 1 has no observation"


def test_an_empty_observation_is_one() -> None:
    trajectory = with_step(observation="")
    assert trajectory.steps[0].observation == ""
    assert trajectory.warnings == ()


@pytest.mark.parametrize(
    "thought", ["[pre-executed by user]", "[pre-executed by user]\n\n", "EXECUTED BY USER"]
)
def test_cells_run_before_the_agent_are_told_apart(thought: str) -> None:
    assert with_step(thought=thought).steps[0].pre_executed
    assert not with_step(thought=f"Not {thought}").steps[0].pre_executed


@pytest.mark.parametrize(
    ("action", "action_type", "text"),
    [
        (None, "", ""),
        ("just text", "", "just text"),
        ([1], "", "[1]"),
        ({"content": "x"}, "", "x"),
        ({"type": 3, "content": {"é": 1}}, "3", '{"é": 1}'),
    ],
)
def test_an_odd_action_is_kept_as_text_and_noted(action: Any, action_type: str, text: str) -> None:
    trajectory = with_step(action=action)
    assert (trajectory.steps[0].action_type, trajectory.steps[0].action) == (action_type, text)
    assert len(trajectory.warnings) == 1
    assert trajectory.warnings[0].place.startswith("$.history[0].action")


def test_a_null_type_reads_as_in_the_published_notebooks() -> None:
    step = with_step(action={"type": None, "content": "ls"}).steps[0]
    assert (step.action_type, step.kind) == ("None", StepKind.EXECUTE)


def test_nul_and_lone_surrogates_are_kept() -> None:
    assert with_step(observation="a\0b\ud800").steps[0].observation == "a\0b\ud800"


@pytest.mark.parametrize(
    ("steps", "place", "reason"),
    [
        ([], "$.history", "the history has no steps"),
        ({"a": 1}, "$.history", "the history is an object, not a list of steps"),
        ([{"action": None}, "x"], "$.history[1]", "step 2 is a string, not an object"),
    ],
)
def test_a_history_without_steps_is_refused(steps: Any, place: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        read_history({"query": "q", "history": steps})
    assert (caught.value.problem.place, caught.value.problem.reason) == (place, reason)
    assert caught.value.problem.remedy


def test_a_file_of_our_runner_names_who_ran_it_and_how_long() -> None:
    times = {"started": "2026-05-01T10:00:00+00:00", "ended": "2026-05-01T10:01:30+00:00"}
    own = {"agent": "react-super", "settings": {"model": "gpt-4o"}, **times}
    found = read_history(history(act("execute"), runner=own))
    assert (found.agent, found.model, found.elapsed) == ("react-super", "gpt-4o", 90)
    plain = read_history(history(act("execute")))
    assert (plain.agent, plain.model, plain.elapsed) == ("", "", None)
