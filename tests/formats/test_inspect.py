"""Inspect's logs: .json, and .eval of every shape."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from backports.zstd import zipfile

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import MISSING, Ending, Step, StepKind, Trajectory
from leaderboard.formats import Sample, inspect_steps, list_samples, read
from tests.formats.frameworks import (
    T0,
    T1,
    TURNS,
    asks,
    astabench,
    chunked_log,
    eval_log,
    inspect_log,
    inspect_sample,
    tells,
)
from tests.formats.samples import act, as_bytes

WHOLE = Trajectory(
    steps=(
        Step(1, StepKind.EXECUTE, "bash", "ls", "Look.", "train.py"),
        Step(2, StepKind.SUBMIT, "submit", '{"loss": 0.5}', "Look."),
    ),
    format="Inspect",
    query="Train the model.",
    prompt="A shell.",
    answer={"loss": 0.5},
    ending=Ending.SUBMITTED,
    ending_detail="submit",
    prompt_tokens=151,
    response_tokens=12,
    cached_tokens=50,
    model="m",
    elapsed=12.5,
    rewards=(("super", 0.5),),
)


def read_sample(*turns: Any, **fields: Any) -> Trajectory:
    return read(as_bytes(inspect_log(inspect_sample(*turns, **fields))), name="log.json")


def refusal(data: bytes, sample: str = "") -> Problem:
    with pytest.raises(InputError) as caught:
        read(data, name="log.eval", sample=sample)
    assert caught.value.problem.file == "log.eval"
    assert caught.value.problem.remedy
    return caught.value.problem


@pytest.mark.parametrize(
    "data",
    [
        as_bytes(inspect_log(inspect_sample(*TURNS))),
        as_bytes(inspect_sample(*TURNS)),
        eval_log(inspect_sample(*TURNS)),
        eval_log(inspect_sample(*TURNS), method=zipfile.ZIP_ZSTANDARD),
        eval_log(inspect_sample(*TURNS), method=zipfile.ZIP_STORED, header=False),
        chunked_log(inspect_sample(*TURNS)),
        chunked_log(inspect_sample(*TURNS), method=zipfile.ZIP_DEFLATED),
    ],
    ids=["json", "one sample", "deflate", "zstd", "unfinished", "chunked", "chunked, deflate"],
)
def test_every_shape_of_log_reads_alike(data: bytes) -> None:
    assert replace(read(data, name="log"), warnings=()) == WHOLE


@pytest.mark.parametrize(
    "data",
    [
        eval_log(inspect_sample(*TURNS), header=False),
        as_bytes(inspect_log(inspect_sample(*TURNS), status="started")),
    ],
)
def test_an_unfinished_log_is_read_and_noted(data: bytes) -> None:
    (note,) = read(data, name="log").warnings
    assert (note.reason, note.remedy) == ("the log is unfinished", "check whether samples are missing")


def test_a_sample_that_is_there_twice_is_refused() -> None:
    problem = refusal(as_bytes(inspect_log(inspect_sample(*TURNS), inspect_sample(*TURNS))))
    assert (problem.place, problem.reason) == (
        "$.samples[1]",
        "the sample conv_graph_epoch_1 is already in the log",
    )


def test_an_id_is_one_that_can_be_stored() -> None:
    log = as_bytes(inspect_log(inspect_sample(*TURNS, id="a\ud800\0"), inspect_sample(*TURNS, id=None)))
    assert [sample.key for sample in list_samples(log, name="log")] == ["a�␀_epoch_1", "2_epoch_1"]


@pytest.mark.parametrize("build", [eval_log, lambda *samples: as_bytes(inspect_log(*samples))])
def test_a_log_has_a_sample_for_each_task_and_epoch(build: Any) -> None:
    data = build(inspect_sample(*TURNS), inspect_sample(*TURNS[:2], epoch=2), inspect_sample(id=7))
    assert list_samples(data, name="log") == (
        Sample("conv_graph_epoch_1", "conv_graph", 1),
        Sample("conv_graph_epoch_2", "conv_graph", 2),
        Sample("7_epoch_1", "7", 1),
    )
    assert len(read(data, name="log", sample="conv_graph_epoch_2").steps) == 1


def test_a_task_can_have_slashes_in_its_id() -> None:
    sample = inspect_sample(*TURNS, id="a/b_epoch_1")
    for data in (eval_log(sample), chunked_log(sample)):
        assert list_samples(data, name="log") == (Sample("a/b_epoch_1_epoch_1", "a/b_epoch_1", 1),)
        assert read(data, name="log") == WHOLE


@pytest.mark.parametrize("start", ["attachment://", "tc://"])
def test_attachments_are_put_in_their_place(start: str) -> None:
    turns = (asks(("c1", "bash", {"cmd": f"{start}a"}), content=f"{start}b"), tells("c1", f"{start}c"))
    step = read_sample(*turns, attachments={"a": "ls -l", "b": "Look."}).steps[0]
    assert (step.action, step.thought, step.observation) == ("ls -l", "Look.", f"{start}c")


def test_a_chunked_log_counts_its_attachments() -> None:
    turns = (asks(("c1", "bash", {"cmd": "ls"})), tells("c1", "attachment://1"))
    data = chunked_log(inspect_sample(*turns, attachments=["x", "train.py"]))
    assert read(data, name="log").steps[0].observation == "train.py"


def test_attachments_can_be_put_in_place_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspect_steps, "MAX_BYTES", 100)
    turns = (asks(("c1", "bash", {})), *(tells("c1", "attachment://a") for _ in range(11)))
    log = inspect_log(inspect_sample(*turns, attachments={"a": "x" * 10}))
    assert refusal(as_bytes(log)).place == "$.samples[0], $.attachments"


def test_a_conversation_is_ranges_of_the_messages() -> None:
    sample = inspect_sample(*TURNS)
    told = sample["messages"]
    sample["messages"] = [{"role": "assistant", "content": "dropped"}, *told]
    sample["message_refs"] = [[1, 3], [3, 6]]
    assert read(chunked_log(sample), name="log") == WHOLE


@pytest.mark.parametrize("refs", [[[0, 99]], [[2, "x"]], ["x"], [[0, 5]] * 99])
def test_ranges_that_are_none_are_refused(refs: Any) -> None:
    problem = refusal(chunked_log(inspect_sample(*TURNS, message_refs=refs)))
    assert problem.place.startswith("samples/conv_graph_epoch_1/sample.json, $.message_refs[")


def test_the_times_of_a_call_are_in_the_events() -> None:
    timed = {"event": "tool", "id": "c1", "timestamp": T0, "completed": T1}
    (step, _) = read_sample(*TURNS, events=[timed, {"event": "model"}, 3]).steps
    assert (step.started, step.duration) == (T0, 2.5)
    (step, _) = read_sample(*TURNS, events=[{**timed, "working_time": 2.0}]).steps
    assert step.duration == 2.0


@pytest.mark.parametrize("attached", [False, True])
def test_a_trajectory_that_was_put_into_the_log_is_the_one(attached: bool) -> None:
    history = astabench(act("execute", "pwd"), act("submit", 1))["history"]
    told = f"Loaded trajectory:\n```json\n{json.dumps(history)}\n```"
    data = "attachment://h" if attached else told
    trajectory = read_sample(events=[{"event": "info", "data": data}], attachments={"h": told})
    assert [step.action for step in trajectory.steps] == ["pwd", "1"]
    assert trajectory.answer == {"loss": 0.5}


def test_a_trajectory_in_the_log_that_is_no_json_is_noted() -> None:
    broken = {"event": "info", "data": "Loaded trajectory:\n```json\n[{\n```"}
    trajectory = read_sample(*TURNS, events=[{"event": "info", "data": {"x": 1}}, broken])
    assert trajectory.steps == WHOLE.steps
    assert trajectory.warnings[0].place == "$.samples[0], $.events[1].data"


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ({"scores": {"a": {"answer": None}, "b": {"answer": "[1]"}}}, [1]),
        ({"scores": None, "score": {"answer": "x y"}}, "x y"),
        ({"scores": {}}, MISSING),
    ],
)
def test_the_answer_is_what_was_submitted_or_else_what_a_scorer_took(fields: Any, answer: Any) -> None:
    assert read_sample(*TURNS, **fields).answer == {"loss": 0.5}
    assert read_sample(*TURNS[:2], **fields).answer == answer


@pytest.mark.parametrize(
    ("fields", "ending", "detail"),
    [
        ({"limit": {"type": "token", "limit": 9}}, Ending.CONTEXT, "token limit"),
        ({"limit": {"type": "message", "limit": 9}}, Ending.STEPS, "message limit"),
        ({"limit": {"type": "working", "limit": 9}}, Ending.TIME, "working limit"),
        ({"limit": {"type": "operator", "limit": 9}}, Ending.EXCEPTION, "operator limit"),
        ({"error": {"message": "It broke.", "traceback": "…"}}, Ending.EXCEPTION, "It broke."),
        ({}, Ending.SUBMITTED, "scored"),
        ({"scores": {}}, Ending.UNKNOWN, ""),
    ],
)
def test_limits_and_errors_tell_why_it_ended(fields: Any, ending: Ending, detail: str) -> None:
    trajectory = read_sample(*TURNS[:2], **fields)
    assert (trajectory.ending, trajectory.ending_detail) == (ending, detail)


def test_what_is_said_after_a_submission_belongs_to_it() -> None:
    trajectory = read_sample(*TURNS, tells("c2", "ok"), {"role": "assistant", "content": "Done."})
    assert trajectory.steps[-1].kind is StepKind.SUBMIT
    assert trajectory.steps[-1].observation == "ok\n\nDone."


def test_reasoning_and_talk_are_thoughts() -> None:
    content = [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "Look."}]
    again = {"role": "user", "content": "Call a tool."}
    first, second = read_sample({"role": "assistant", "content": content}, again, *TURNS[:2]).steps
    assert (first.kind, first.thought, first.observation) == (StepKind.OTHER, "Hm.\n\nLook.", "Call a tool.")
    assert second.action == "ls"


def test_an_error_of_a_tool_is_what_was_seen() -> None:
    failed = tells("c1", "", error={"type": "timeout", "message": "Too slow."})
    assert read_sample(TURNS[0], failed).steps[0].observation == "Too slow."


def test_a_call_that_could_not_be_parsed_is_a_format_error() -> None:
    turn = asks(("c1", "bash", {"cmd": "ls"}))
    turn["tool_calls"][0]["parse_error"] = "No."
    assert read_sample(turn).steps[0].kind is StepKind.FORMAT_ERROR


def test_the_input_can_be_messages() -> None:
    asked = [{"role": "system", "content": "S"}, {"role": "user", "content": "One."}]
    assert read_sample(*TURNS, input=asked).query == "One."


@pytest.mark.parametrize(
    ("log", "place"),
    [
        (inspect_log(), ""),
        (inspect_log(samples=None), ""),
        (inspect_log(samples={"a": 1}), "$.samples"),
        (inspect_log("x"), "$.samples[0]"),
        (inspect_log(inspect_sample()), "$.samples[0], $.messages"),
        (inspect_log(inspect_sample(messages=3)), "$.samples[0], $.messages"),
        (inspect_log(inspect_sample("x")), "$.samples[0], $.messages[2]"),  # type: ignore[arg-type]
    ],
)
def test_a_log_without_a_step_is_refused(log: Any, place: str) -> None:
    assert refusal(as_bytes(log)).place == place
