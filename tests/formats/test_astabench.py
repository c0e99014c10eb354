"""AstaBench's results."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.domain.errors import InputError
from leaderboard.domain.trajectory import MISSING, Ending, Step, StepKind, Trajectory
from leaderboard.formats import read
from tests.formats.frameworks import T0, astabench
from tests.formats.samples import act, as_bytes


def read_result(document: Any) -> Trajectory:
    return read(as_bytes(document), name="result.json")


def test_a_result_reads_whole() -> None:
    document = astabench(act("execute"), act("submit", {"loss": 1}), exec_result={"loss": 1})
    assert read_result(document) == Trajectory(
        steps=(
            Step(1, StepKind.EXECUTE, "execute", "ls", "", "train.py", 2.5, T0),
            Step(2, StepKind.SUBMIT, "submit", '{"loss": 1}', "", "train.py", 2.5, T0),
        ),
        format="AstaBench",
        answer={"loss": 1},
        ending=Ending.SUBMITTED,
        ending_detail="submit",
    )


@pytest.mark.parametrize(
    ("result", "answer"), [('{"a": 1}', {"a": 1}), ("0.5 or so", "0.5 or so"), ([1], [1]), (None, MISSING)]
)
def test_the_answer_is_the_result(result: Any, answer: Any) -> None:
    trajectory = read_result(astabench(act("execute"), exec_result=result))
    assert trajectory.answer == answer
    assert (trajectory.ending, trajectory.ending_detail) == (Ending.SUBMITTED, "submitted")


def test_a_result_that_was_not_submitted_is_no_answer() -> None:
    trajectory = read_result(astabench(act("execute"), exec_result="x", submitted=False))
    assert trajectory.answer is MISSING
    assert trajectory.ending is Ending.UNKNOWN


def test_a_submission_stands_for_a_result_that_is_missing() -> None:
    assert read_result(astabench(act("submit", {"a": 1}))).answer == {"a": 1}


def test_an_observation_can_be_null() -> None:
    document = astabench(act("execute"))
    document["history"][0]["observation"] = None
    trajectory = read_result(document)
    assert trajectory.steps[0].observation is None
    assert trajectory.warnings == ()


def test_a_history_with_a_query_is_still_astabench() -> None:
    assert read_result({**astabench(act("execute")), "query": "Train."}).query == "Train."


def test_an_action_that_is_no_object_is_kept_and_noted() -> None:
    trajectory = read_result(astabench("ls"))  # type: ignore[arg-type]
    assert (trajectory.steps[0].kind, trajectory.steps[0].action) == (StepKind.FORMAT_ERROR, "ls")
    assert trajectory.warnings[0].place == "$.history[0].action"


@pytest.mark.parametrize(
    ("history", "place"), [([], "$.history"), ("x", "$.history"), ([{"action": {}}, 1], "$.history[1]")]
)
def test_a_result_without_steps_is_refused(history: Any, place: str) -> None:
    with pytest.raises(InputError) as caught:
        read_result({"exec_result": 1, "history": history, "submitted": True})
    assert caught.value.problem.place == place
    assert caught.value.problem.remedy
