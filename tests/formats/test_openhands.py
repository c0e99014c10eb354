"""OpenHands' events of both generations."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.domain.errors import InputError
from leaderboard.domain.trajectory import MISSING, Ending, Step, StepKind, Trajectory
from leaderboard.formats import Sample, list_samples, read
from tests.formats.frameworks import T0, finish, output_line, run, text_part, v0_events, v1_events
from tests.formats.samples import as_bytes

LS = ("terminal", {"kind": "TerminalAction", "command": "ls", "timeout": None}, "train.py")
FINISH = ("finish", {"kind": "FinishAction", "message": '{"loss": 0.5}'}, None)


def read_events(document: Any) -> Trajectory:
    return read(as_bytes(document), name="trajectory.json")


def only_step(*pair: Any) -> Step:
    (step,) = read_events(v0_events(pair)).steps
    return step


def test_events_of_v0_read_whole() -> None:
    assert read_events(v0_events(run("ls"), finish(final_thought='{"loss": 0.5}'))) == Trajectory(
        steps=(
            Step(1, StepKind.EXECUTE, "run", "ls", "Look.", "train.py", 2.5, T0),
            Step(2, StepKind.SUBMIT, "finish", '{"loss": 0.5}', "Done.", None, None, T0),
        ),
        format="OpenHands V0",
        query="Train the model.",
        prompt="A shell.",
        answer={"loss": 0.5},
        ending=Ending.SUBMITTED,
        ending_detail="finish",
        agent="OpenHands",
    )


def test_an_object_around_the_events_changes_nothing() -> None:
    events = v0_events(run("ls"))
    assert read_events({"trajectory": events}) == read_events(events)


@pytest.mark.parametrize(
    ("args", "answer"),
    [
        ({"final_thought": "0.5"}, 0.5),
        ({"outputs": {"content": "[1]"}}, [1]),
        ({"outputs": {"loss": 1}}, {"loss": 1}),
        ({"final_thought": "All done."}, "All done."),
        ({}, MISSING),
    ],
)
def test_the_answer_is_what_the_agent_finishes_with(args: Any, answer: Any) -> None:
    trajectory = read_events(v0_events(finish(**args)))
    assert trajectory.answer == answer
    assert trajectory.ending_detail == "finish"
    assert (trajectory.ending is Ending.SUBMITTED) == (answer is not MISSING)


@pytest.mark.parametrize(
    ("action", "args", "kind", "text"),
    [
        ("run_ipython", {"code": "1 + 1", "kernel_init_code": ""}, StepKind.EXECUTE, "1 + 1"),
        ("read", {"path": "/a.py", "start": 0, "end": -1, "view_range": None}, StepKind.VIEW, "/a.py"),
        ("browse", {"url": "http://x"}, StepKind.VIEW, "http://x"),
        ("think", {"thought": "Hm."}, StepKind.OTHER, "Hm."),
        (
            "delegate",
            {"agent": "b", "inputs": {"x": 1}},
            StepKind.OTHER,
            '{"agent": "b", "inputs": {"x": 1}}',
        ),
        ("call_tool_mcp", {"name": "bash", "arguments": {"command": "ls"}}, StepKind.EXECUTE, "ls"),
    ],
)
def test_an_action_tells_the_kind_of_step(action: str, args: Any, kind: StepKind, text: str) -> None:
    step = only_step(action, args, "seen")
    assert (step.kind, step.action) == (kind, text)


@pytest.mark.parametrize(
    ("action", "args", "before", "after"),
    [
        ("edit", {"command": "str_replace", "path": "a", "old_str": "x", "new_str": "y"}, "x", "y"),
        ("edit", {"command": "create", "path": "a", "file_text": "y"}, "", "y"),
        ("edit", {"path": "a", "content": "y", "start": 1, "end": -1, "command": ""}, "", "y"),
        ("write", {"path": "a", "content": "y", "start": 0, "end": -1}, "", "y"),
    ],
)
def test_an_edit_is_shown_as_one(action: str, args: Any, before: str, after: str) -> None:
    assert (
        only_step(action, args, "ok").action == f"a\n<<<BEFORE_EDIT>>>\n{before}\n<<<AFTER_EDIT>>>\n{after}"
    )


def test_what_the_machinery_says_is_no_step() -> None:
    events = v0_events(run("ls"))
    state = {"source": "environment", "observation": "agent_state_changed", "cause": 2, "content": "x"}
    events.append({**state, "id": 9, "extras": {"agent_state": "running"}})
    events.append({"id": 10, "source": "agent", "action": "change_agent_state", "args": {}})
    trajectory = read_events(events)
    assert [step.observation for step in trajectory.steps] == ["train.py"]


def test_what_the_agent_says_is_a_message_and_the_reply_its_observation() -> None:
    events = v0_events(("message", {"content": "Shall I?", "wait_for_response": True}, None), run("ls"))
    reply = {"id": 8, "source": "user", "action": "message", "args": {"content": "Go on."}}
    trajectory = read_events([*events[:3], reply, *events[3:]])
    first = trajectory.steps[0]
    assert (first.kind, first.thought, first.observation) == (StepKind.OTHER, "Shall I?", "Go on.")


@pytest.mark.parametrize(
    ("reason", "ending"),
    [
        ("RuntimeError: Agent reached maximum iteration. Current: 100", Ending.STEPS),
        ("AgentStuckInLoopError: Agent got stuck", Ending.EXCEPTION),
        ("litellm.ContextWindowExceededError", Ending.CONTEXT),
        ("Traceback:\n" + "x" * 180 + "\nmaximum iteration", Ending.STEPS),
    ],
)
def test_an_error_tells_why_the_run_ended(reason: str, ending: Ending) -> None:
    line = read_events(output_line(v0_events(run("ls")), error=reason))
    events = v0_events(run("ls"))
    extras = {"agent_state": "error", "reason": reason}
    events.append({"id": 9, "source": "environment", "observation": "agent_state_changed", "extras": extras})
    state = read_events(events)
    assert (line.ending, line.ending_detail) == (state.ending, state.ending_detail) == (ending, reason[:200])


def test_a_line_has_the_totals_and_names_the_task() -> None:
    line = output_line(v0_events(run("ls"))[2:])
    trajectory = read_events(line)
    assert (trajectory.cost, trajectory.prompt_tokens, trajectory.response_tokens) == (0.5, 900, 80)
    assert trajectory.query == "Train it."
    assert list_samples(as_bytes(line), name="a") == (Sample("", "conv_graph", None),)


def test_totals_of_events_are_the_last_ones() -> None:
    events = v0_events(run("ls"))
    events[2]["llm_metrics"] = {"accumulated_cost": 0.75}
    assert read_events(events).cost == 0.75


def test_lines_hold_a_sample_each() -> None:
    lines = [output_line(v0_events(run(word)), word, attempt=n) for n, word in enumerate(("a", "b"), start=1)]
    data = b"\n\n".join(as_bytes(line) for line in lines) + b"\n"
    assert list_samples(data, name="f") == (Sample("line 1", "a", 1), Sample("line 3", "b", 2))
    assert read(data, name="f", sample="line 3").steps[0].action == "b"


def test_what_is_wrong_in_a_line_names_the_line() -> None:
    data = as_bytes(output_line([])) + b"\n" + as_bytes(output_line([1]))
    for sample, place in (("line 1", "line 1, $.history"), ("line 2", "line 2, $.history")):
        with pytest.raises(InputError) as caught:
            read(data, name="output.jsonl", sample=sample)
        assert caught.value.problem.place == place
    *good, bad = list_samples(data + b"\n{", name="output.jsonl")
    assert [sample.problem for sample in good] == [None, None]
    assert bad.problem
    assert bad.problem.place.startswith("line 3")


def test_a_file_of_bad_lines_is_refused_as_a_whole() -> None:
    data = as_bytes(output_line([])) + b"\n{" * 51
    with pytest.raises(InputError, match="more than 50 lines can't be read, this one first"):
        list_samples(data, name="output.jsonl")


def test_older_files_have_pairs_without_ids() -> None:
    said = {"source": "user", "action": "message", "args": {"content": "Train."}}
    pairs: list[Any] = [
        [said, {}],
        [
            {"source": "agent", "action": "run", "args": {"command": "ls", "thought": ""}},
            {"source": "agent", "observation": "run", "content": "train.py", "extras": {"exit_code": 0}},
        ],
        [{"source": "agent", "action": "finish", "args": {"outputs": {"content": "3"}}}, {}],
    ]
    trajectory = read_events(output_line(pairs))
    assert [step.observation for step in trajectory.steps] == ["train.py", None]
    assert (trajectory.query, trajectory.answer) == ("Train.", 3)


def test_events_of_v1_read_whole() -> None:
    assert read_events(v1_events(LS, FINISH)) == Trajectory(
        steps=(
            Step(1, StepKind.EXECUTE, "terminal", "ls", "Look.", "train.py", 2.5, T0),
            Step(2, StepKind.SUBMIT, "finish", '{"loss": 0.5}', "Look.", None, None, T0),
        ),
        format="OpenHands V1",
        query="Train the model.",
        prompt="A shell.",
        answer={"loss": 0.5},
        ending=Ending.SUBMITTED,
        ending_detail="finish",
        agent="OpenHands",
    )


def test_a_call_of_v1_that_did_not_fit_its_tool_is_a_format_error() -> None:
    events = v1_events(("terminal", None, None))
    events.append({"kind": "AgentErrorEvent", "tool_call_id": "call-0", "error": "No such argument"})
    (step,) = read_events(events).steps
    assert (step.kind, step.action, step.observation) == (
        StepKind.FORMAT_ERROR,
        '{"x": 1}',
        "No such argument",
    )


def test_messages_states_and_thoughts_of_v1() -> None:
    events = v1_events(("think", {"kind": "ThinkAction", "thought": "Hm."}, "noted"))
    message = {"role": "assistant", "content": [text_part("Stuck.")]}
    events.append({"kind": "MessageEvent", "source": "agent", "llm_message": message})
    events.append({"kind": "MessageEvent", "source": "user", "llm_message": {"content": "Go on."}})
    events.append({"kind": "PauseEvent", "source": "user"})
    events.append({"kind": "ConversationErrorEvent", "code": "MaxIterationsReached", "detail": ""})
    trajectory = read_events(events)
    assert [(step.kind, step.action, step.thought, step.observation) for step in trajectory.steps] == [
        (StepKind.OTHER, "Hm.", "Look.", "noted"),
        (StepKind.OTHER, "", "Stuck.", "Go on."),
    ]
    assert (trajectory.ending, trajectory.ending_detail) == (Ending.STEPS, "MaxIterationsReached")


def test_a_thought_can_be_an_object() -> None:
    thought = {"text": "Look.", "reasoning_content": "Hm."}
    assert only_step("run", {"command": "ls", "thought": thought}, "x").thought == "Hm.\n\nLook."


def test_an_error_that_was_observed_belongs_to_its_action_and_to_the_ending() -> None:
    events = v0_events(run("ls", None))
    orphan = {"observation": "run", "cause": 77, "content": "whose?"}
    error = {"id": 3, "source": "agent", "observation": "error", "content": "time limit", "cause": 2}
    trajectory = read_events([*events, error, orphan])
    assert trajectory.steps[0].observation == "time limit"
    assert trajectory.ending is Ending.TIME


def test_odd_events_of_v1_are_read_past() -> None:
    (action,) = v1_events(("terminal", None, None))[2:]
    action["tool_call"] = {"function": {"arguments": "{"}}
    early = {"kind": "MessageEvent", "source": "user", "llm_message": "x"}
    state = {"kind": "ConversationStateUpdateEvent", "key": "full_state"}
    status = {"execution_status": "stuck"}
    rejected = {"kind": "UserRejectObservation", "action_id": "a0", "rejection_reason": "No."}
    elsewhere = {"kind": "ObservationEvent", "action_id": "zz", "observation": {}}
    texts = {"kind": "ObservationEvent", "action_id": "a0", "observation": "plain"}
    trajectory = read_events(
        [early, action, {**state, "value": status}, {**state, "value": 3}, rejected, elsewhere, texts]
    )
    assert (trajectory.steps[0].action, trajectory.steps[0].observation) == ("{", "No.\n\nplain")
    assert (trajectory.ending, trajectory.ending_detail) == (Ending.EXCEPTION, "stuck")


def test_a_run_that_stopped_by_itself_has_submitted_nothing() -> None:
    state = {"kind": "ConversationStateUpdateEvent", "key": "execution_status", "value": "finished"}
    trajectory = read_events([*v1_events(LS), state])
    assert (trajectory.ending, trajectory.ending_detail) == (Ending.UNKNOWN, "finished")
    assert trajectory.answer is MISSING


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ({"trajectory": {}}, "$.trajectory"),
        ({"trajectory": []}, "$.trajectory"),
        ({"trajectory": [1]}, "$.trajectory"),
        (v0_events(), "$"),
        (v1_events(), "$"),
    ],
)
def test_a_file_without_a_step_is_refused(document: Any, place: str) -> None:
    with pytest.raises(InputError) as caught:
        read_events(document)
    assert caught.value.problem.place == place
    assert caught.value.problem.remedy
