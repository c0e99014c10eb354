"""ATIF, versions 1.0 to 1.8."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.domain.errors import InputError
from leaderboard.domain.trajectory import MISSING, Ending, Step, StepKind, Trajectory
from leaderboard.formats import list_samples, read
from tests.formats.frameworks import T0, atif, atif_step
from tests.formats.samples import as_bytes

LS = ("bash_command", {"keystrokes": "ls\n", "duration": 0.1}, "train.py")
TURN: Any = {
    "started": f"{T0}Z",
    "prompt_tokens": 100,
    "response_tokens": 10,
    "cost": 0.01,
    "cached_tokens": 50,
}
SUBMIT = ("submit", {"answer": '{"loss": 0.5}'}, "ok")


def read_atif(document: Any) -> Trajectory:
    return read(as_bytes(document), name="trajectory.json")


def test_a_file_reads_whole() -> None:
    trajectory = read_atif(atif(atif_step(LS, reasoning_content="Hm."), atif_step(SUBMIT)))
    assert trajectory == Trajectory(
        steps=(
            Step(1, StepKind.EXECUTE, "bash_command", "ls\n", "Hm.\n\nLook.", "train.py", **TURN),
            Step(2, StepKind.SUBMIT, "submit", '{"loss": 0.5}', "Look.", "ok", **TURN),
        ),
        format="ATIF",
        query="Train the model.",
        prompt="A shell.",
        answer={"loss": 0.5},
        ending=Ending.SUBMITTED,
        ending_detail="submit",
        cost=0.02,
        prompt_tokens=200,
        response_tokens=20,
        cached_tokens=100,
        agent="terminus-2 2.0",
        model="m",
    )


@pytest.mark.parametrize("minor", range(9))
def test_every_version_is_read(minor: int) -> None:
    assert read_atif(atif(atif_step(SUBMIT), version=f"1.{minor}")).warnings == ()


def test_a_newer_version_is_noted() -> None:
    assert read_atif(atif(atif_step(SUBMIT), version="2.0")).warnings[0].place == "$.schema_version"


def test_without_a_submission_the_answer_is_missing() -> None:
    trajectory = read_atif(atif(atif_step(LS)))
    assert trajectory.answer is MISSING
    assert trajectory.ending is Ending.UNKNOWN


def test_a_finish_without_an_answer_submits_nothing() -> None:
    trajectory = read_atif(atif(atif_step(LS, ("mark_task_complete", {}, "done"))))
    assert (trajectory.ending, trajectory.ending_detail) == (Ending.UNKNOWN, "mark_task_complete")
    assert trajectory.answer is MISSING
    assert trajectory.warnings == ()


def test_totals_of_the_whole_come_before_those_of_the_steps() -> None:
    final = {"total_prompt_tokens": 7, "total_completion_tokens": 6, "total_cost_usd": 5, "total_steps": 3}
    trajectory = read_atif(atif(atif_step(SUBMIT), final_metrics=final))
    assert (trajectory.cost, trajectory.prompt_tokens, trajectory.response_tokens) == (5.0, 7, 6)


def test_text_can_come_in_parts() -> None:
    parts = [
        {"type": "text", "text": "a"},
        {"type": "image", "source": {"path": "x.png"}},
        {"type": "sound"},
        {"type": "tool_use", "input": {}},
        {"x": 1},
        "b",
    ]
    step = read_atif(atif(atif_step(("submit", {"answer": 1}, parts), message=parts))).steps[0]
    assert step.thought == step.observation == 'a\n[image]\n[sound]\n{"x": 1}\nb'


def test_a_result_that_names_no_call_belongs_to_its_turn() -> None:
    turn = atif_step(LS)
    turn["observation"]["results"] = [{"content": "one"}, {"source_call_id": None, "content": None}]
    assert read_atif(atif(turn)).steps[0].observation == "one\n\n"


def test_ids_that_come_again_in_another_turn_stay_in_it() -> None:
    other = ("bash_command", {"keystrokes": "pwd\n"}, "/repo")
    trajectory = read_atif(atif(atif_step(LS), atif_step(other)))
    assert [step.observation for step in trajectory.steps] == ["train.py", "/repo"]


def test_a_turn_without_a_call_is_a_message() -> None:
    turn = {"source": "agent", "message": "ls", "observation": {"results": [{"content": "train.py"}]}}
    step = read_atif(atif(turn)).steps[0]
    assert (step.kind, step.action_type, step.thought, step.observation) == (
        StepKind.OTHER,
        "message",
        "ls",
        "train.py",
    )


def test_what_is_said_between_turns_belongs_to_the_turn_before() -> None:
    between = {"source": "user", "message": "Go on."}
    system = {"source": "system", "message": "", "observation": {"results": [{"content": "Context cut."}]}}
    trajectory = read_atif(atif(atif_step(LS), between, system, atif_step(SUBMIT)))
    assert trajectory.steps[0].observation == "train.py\n\nGo on.\n\nContext cut."


def test_an_edit_is_shown_as_one() -> None:
    edit = (
        "str_replace_editor",
        {"command": "str_replace", "path": "/a", "old_str": "x", "new_str": "y"},
        "",
    )
    step = read_atif(atif(atif_step(edit))).steps[0]
    assert (step.kind, step.action) == (
        StepKind.EDIT,
        "/a\n<<<BEFORE_EDIT>>>\nx\n<<<AFTER_EDIT>>>\ny",
    )


def test_the_task_can_be_named_among_the_extras() -> None:
    document = atif(atif_step(LS), extra={"task_id": "conv_graph"})
    assert list_samples(as_bytes(document), name="a")[0].task_id == "conv_graph"


@pytest.mark.parametrize(
    ("steps", "place"),
    [
        (None, "$.steps"),
        ([], "$.steps"),
        ([{"source": "user", "message": "x"}], "$.steps"),
        ([1], "$.steps[0]"),
    ],
)
def test_a_file_without_a_step_of_the_agent_is_refused(steps: Any, place: str) -> None:
    with pytest.raises(InputError) as caught:
        read_atif({**atif(), "steps": steps})
    assert caught.value.problem.place == place
    assert caught.value.problem.remedy


def test_odd_parts_are_noted_and_read_past() -> None:
    odd = {"source": "agent", "message": "", "tool_calls": ["x"], "observation": []}
    odder = {"source": "agent", "message": "", "tool_calls": "x", "metrics": 3}
    trajectory = read_atif(atif(odd, odder, {"source": "moon"}, atif_step(SUBMIT), final_metrics=4))
    assert [note.place for note in trajectory.warnings] == [
        "$.steps[2].tool_calls[0]",
        "$.steps[3].tool_calls",
        "$.steps[4].source",
    ]
