"""SWE-agent's ``.traj``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboard.domain.errors import InputError
from leaderboard.domain.trajectory import MISSING, Ending, StepKind, Trajectory
from leaderboard.formats import Sample, list_samples, read
from tests.formats.samples import as_bytes, swe_step, traj


def read_traj(document: Any) -> Trajectory:
    return read(as_bytes(document), name="a.traj")


def places(trajectory: Trajectory) -> list[str]:
    return [warning.place for warning in trajectory.warnings]


def test_steps_come_as_the_file_has_them() -> None:
    trajectory = read_traj(traj(swe_step("ls -l\n"), swe_step("submit", thought="Done.", observation="")))
    first, last = trajectory.steps
    assert (first.kind, first.action_type, first.action) == (StepKind.EXECUTE, "execute", "ls -l\n")
    assert (first.thought, first.observation, first.duration) == ("Look.", "train.py", 0.25)
    assert (last.kind, last.action, last.observation) == (StepKind.SUBMIT, "submit", "")
    assert trajectory.format == "SWE-agent .traj"
    assert trajectory.warnings == ()


def test_totals_and_the_answer_are_in_the_info() -> None:
    stats = {"instance_cost": 1.5, "tokens_sent": 900, "tokens_received": 80, "api_calls": 2}
    trajectory = read_traj(traj(swe_step("submit"), submission='{"loss": 0.5}', model_stats=stats))
    assert (trajectory.cost, trajectory.prompt_tokens, trajectory.response_tokens) == (1.5, 900, 80)
    assert trajectory.answer == {"loss": 0.5}
    assert (trajectory.ending, trajectory.ending_detail) == (Ending.SUBMITTED, "submitted")


@pytest.mark.parametrize("as_config", [lambda config: config, json.dumps])
def test_the_model_is_that_of_the_configuration_and_the_version_that_of_the_info(as_config: Any) -> None:
    document = traj(swe_step("ls"), swe_agent_version="1.1.0")
    document["replay_config"] = as_config({"agent": {"model": {"name": "gpt-4o"}}})
    trajectory = read_traj(document)
    assert (trajectory.agent, trajectory.model) == ("SWE-agent 1.1.0", "gpt-4o")


@pytest.mark.parametrize(
    ("submission", "answer"),
    [
        ('[1, "a"]', [1, "a"]),
        ("{'loss': None}", {"loss": None}),
        ("diff --git a/x b/x\n", "diff --git a/x b/x\n"),
        ({"loss": 1}, {"loss": 1}),
        (None, MISSING),
        ("  ", MISSING),
    ],
)
def test_a_submission_is_parsed_where_its_text_shows_a_value(submission: Any, answer: Any) -> None:
    assert read_traj(traj(swe_step("submit"), submission=submission)).answer == answer


def test_an_answer_in_the_submit_command_counts_where_the_info_has_none() -> None:
    trajectory = read_traj(traj(swe_step('submit {"loss": 2}'), submission=None))
    assert trajectory.answer == {"loss": 2}


@pytest.mark.parametrize(
    ("status", "ending"),
    [
        ("submitted", Ending.SUBMITTED),
        ("submitted (exit_cost)", Ending.SUBMITTED),
        ("exit_context", Ending.CONTEXT),
        ("exit_cost", Ending.COST),
        ("exit_total_execution_time", Ending.TIME),
        ("exit_format", Ending.EXCEPTION),
        ("exit_error", Ending.EXCEPTION),
        (None, Ending.UNKNOWN),
    ],
)
def test_the_exit_status_tells_why_it_ended(status: Any, ending: Ending) -> None:
    trajectory = read_traj(traj(swe_step("ls"), exit_status=status))
    assert (trajectory.ending, trajectory.ending_detail) == (ending, status or "")


def test_an_exit_that_stands_where_the_command_would_be_ends_the_run() -> None:
    trajectory = read_traj(traj(swe_step("ls"), swe_step("exit_context"), exit_status=None))
    assert trajectory.steps[-1].kind is StepKind.EXCEPTION
    assert trajectory.ending is Ending.CONTEXT


@pytest.mark.parametrize(
    ("action", "kind", "action_type"),
    [
        ("open src/a.py 10", StepKind.VIEW, "open"),
        ("goto 30", StepKind.VIEW, "goto"),
        ("scroll_down", StepKind.VIEW, "scroll_down"),
        ('search_dir "def f" src', StepKind.SEARCH, "search_dir"),
        ("find_file a.py", StepKind.SEARCH, "find_file"),
        ("create b.py", StepKind.CREATE, "create"),
        ("edit 1:2\nx = 1\nend_of_edit", StepKind.EDIT, "edit"),
        ("python edit.py", StepKind.EXECUTE, "execute"),
        ("", StepKind.FORMAT_ERROR, ""),
    ],
)
def test_a_command_tells_the_kind_of_step(action: str, kind: StepKind, action_type: str) -> None:
    step = read_traj(traj(swe_step(action), swe_step("ls"))).steps[0]
    assert (step.kind, step.action_type, step.action) == (kind, action_type, action)


def test_a_command_of_the_editor_is_taken_apart() -> None:
    line = "str_replace_editor str_replace /a.py --old_str 'x = 1' --new_str 'x = 2'"
    step = read_traj(traj(swe_step(line))).steps[0]
    assert (step.kind, step.action_type) == (StepKind.EDIT, "str_replace_editor str_replace")
    assert step.action == "/a.py\n<<<BEFORE_EDIT>>>\nx = 1\n<<<AFTER_EDIT>>>\nx = 2"


@pytest.mark.parametrize("line", ["str_replace_editor view 'unclosed", "str_replace_editor view"])
def test_a_command_of_the_editor_that_is_no_command_line_is_kept(line: str) -> None:
    step = read_traj(traj(swe_step(line))).steps[0]
    assert (step.kind, step.action) == (StepKind.EDIT, line)


def test_a_submission_that_was_sent_back_for_review_is_none() -> None:
    trajectory = read_traj(traj(swe_step("submit"), swe_step("ls"), exit_status="submitted (exit_cost)"))
    assert [step.kind for step in trajectory.steps] == [StepKind.OTHER, StepKind.EXECUTE]


def test_an_older_file_reads_alike() -> None:
    old = swe_step("ls", state='{"open_file": "n/a"}')
    old["messages"] = old.pop("query")
    del old["execution_time"]
    trajectory = read_traj(traj(old, history=[]))
    assert (trajectory.prompt, trajectory.query) == ("A shell.", "Train the model.")
    assert trajectory.steps[0].duration is None
    assert trajectory.warnings == ()


def test_a_demonstration_is_not_the_query() -> None:
    demonstration = {"role": "user", "content": "As others did", "message_type": "demonstration"}
    messages = [demonstration, {"role": "user", "content": [{"type": "text", "text": "Do it."}]}]
    assert read_traj(traj(swe_step("ls"), history=messages)).query == "Do it."


def test_a_response_without_an_action_is_shown_as_the_thought() -> None:
    step = read_traj(traj(swe_step("", thought="", response="Hm."))).steps[0]
    assert (step.kind, step.thought) == (StepKind.FORMAT_ERROR, "Hm.")


@pytest.mark.parametrize(
    "history", [[3, {"role": "user", "content": "x", "is_demo": True}], [{"role": "assistant"}], "x"]
)
def test_where_the_history_does_not_say_the_first_step_tells_the_query(history: Any) -> None:
    assert read_traj(traj(swe_step("ls"), history=history)).query == "Train the model."
    assert read_traj(traj(swe_step("ls", query=None), history=history)).query == ""


@pytest.mark.parametrize(
    ("fields", "task"),
    [
        ({"environment": "conv_graph"}, "conv_graph"),
        ({"environment": "swe_main"}, ""),
        ({"environment": "main", "replay_config": json.dumps({"problem_statement": {"id": "pie"}})}, "pie"),
        ({"instance_id": "pie", "environment": "x"}, "pie"),
        ({"environment": None, "replay_config": "{"}, ""),
    ],
)
def test_the_task_is_what_the_file_names(fields: dict[str, Any], task: str) -> None:
    document = {**traj(swe_step("ls")), **fields}
    assert list_samples(as_bytes(document), name="a.traj") == (Sample("", task, None),)


@pytest.mark.parametrize(
    ("change", "place", "reason"),
    [
        ({"trajectory": {}}, "$.trajectory", "the trajectory is an object, not a list of steps"),
        ({"trajectory": []}, "$.trajectory", "the agent took no step"),
        ({"trajectory": [swe_step("ls"), 3]}, "$.trajectory[1]", "step 2 is a number, not an object"),
    ],
)
def test_a_file_without_steps_is_refused(change: Any, place: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        read_traj({**traj(swe_step("ls")), **change})
    assert (caught.value.problem.place, caught.value.problem.reason) == (place, reason)
    assert caught.value.problem.remedy


def test_odd_parts_are_noted_and_read_past() -> None:
    document = traj(swe_step("ls", execution_time="fast"))
    document["info"] = "none"
    del document["trajectory"][0]["observation"]
    trajectory = read_traj(document)
    assert places(trajectory) == [
        "$.info",
        "$.trajectory[0].execution_time",
        "$.trajectory[0].observation",
    ]


def test_a_submission_that_is_a_diff_is_the_patch_too() -> None:
    patch = "diff --git a/x b/x\n"
    found = read_traj(traj(swe_step("submit"), submission=patch))
    assert (found.answer, found.patch) == (patch, patch)
    assert read_traj(traj(swe_step("submit"), submission="{}")).patch == ""
