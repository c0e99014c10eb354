"""HAL's uploads, with a conversation for each task or with Weave's calls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from leaderboard.domain.errors import InputError
from leaderboard.domain.trajectory import Trajectory
from leaderboard.formats import list_samples, open_file, read
from tests.formats.chats import (
    ASKED,
    CHAT_READ,
    CHAT_STEPS,
    calls,
    chat,
    hal,
    hal_task,
    says,
    usage,
    weave_calls,
)
from tests.formats.samples import as_bytes

USAGES = (usage(400, 40), usage(500, 30, 300), usage(600, 40, 400), usage(700, 40, 500))
LS = ("c1", "bash", {"command": "ls"})


def expected(**fields: Any) -> Trajectory:
    """The chat with the usage of each answer, and the sum of them."""
    turns = iter(enumerate(USAGES))
    steps = []
    for step in CHAT_STEPS:
        if step.number == 2:
            # The second call of the first answer.
            steps.append(replace(step, started="2026-05-01T10:00:00+00:00"))
            continue
        number, told = next(turns)
        counted: dict[str, Any] = {
            "prompt_tokens": told["prompt_tokens"],
            "response_tokens": told["completion_tokens"],
            "cached_tokens": told["prompt_tokens_details"]["cached_tokens"],
            "reasoning_tokens": 0,
        }
        steps.append(replace(step, started=f"2026-05-01T10:00:0{number}+00:00", **counted))
    return replace(
        CHAT_READ,
        steps=tuple(steps),
        prompt_tokens=2200,
        response_tokens=150,
        cached_tokens=1200,
        reasoning_tokens=0,
        model="m",
        agent="Some Agent (m)",
        **fields,
    )


def test_each_task_of_an_upload_reads_whole() -> None:
    logged = {"conv_graph": hal_task(chat(), *USAGES), "glee": hal_task([*ASKED, calls(LS)], usage(300, 30))}
    file = open_file(as_bytes(hal(logged, wall_clock_times={"conv_graph": 64.0})), name="a.json")
    assert [(sample.key, sample.task_id) for sample in file.samples] == [("conv_graph",) * 2, ("glee",) * 2]
    assert file.read("conv_graph") == expected(elapsed=64.0)
    assert len(file.read("glee").steps) == 1
    assert file.read("glee").prompt_tokens == 300


def test_weaves_calls_of_an_older_upload_read_whole() -> None:
    logged = weave_calls(chat(), *USAGES)
    assert read(as_bytes(hal(logged)), name="a.json") == expected()
    for call in logged:
        call["attributes"] = {"weave_task_id": call.pop("weave_task_id")}
        call["summary"] = {"usage": {"m": call["output"].pop("usage")}}
    assert read(as_bytes(hal(logged)), name="a.json") == expected()


def test_answers_that_are_in_no_conversation_are_noted() -> None:
    other = weave_calls([*ASKED, calls(LS), says("assistant", "Short.")], usage(1, 1), usage(1, 1))
    trajectory = read(as_bytes(hal([*weave_calls(chat(), *USAGES), other[0]])), name="a.json")
    (note,) = trajectory.warnings
    assert note.reason.startswith("1 answer of the model is not in the longest conversation")
    assert trajectory.prompt_tokens == 2201
    lost = hal_task([*ASKED, calls(LS)], usage(300, 30), usage(300, 30), usage(300, 30))
    trajectory = read(as_bytes(hal({"glee": lost})), name="a.json")
    assert trajectory.warnings[0].reason.startswith("2 answers of the model are not in")
    assert trajectory.prompt_tokens == 900


@pytest.mark.parametrize(
    ("document", "reason", "remedy"),
    [
        (hal([]), "there is no transcript in it", "give the whole upload, not the slim one"),
        (hal({}), "there is no transcript in it", "give the whole upload, not the slim one"),
        (hal(None), "there is no transcript in it", "give the whole upload, not the slim one"),
        (
            hal("see Inspect"),
            "HAL kept no transcript in it, only a text",
            "give Inspect's own log of the run",
        ),
        (hal([{"op_name": "x"}]), "none of its calls names a task", "give an upload with weave_task_id"),
        ({"encrypted_data": "x", "salt": "y"}, "this HAL upload is encrypted", "decrypt it with HAL's own"),
    ],
)
def test_an_upload_without_transcripts_is_refused_once(document: Any, reason: str, remedy: str) -> None:
    with pytest.raises(InputError) as caught:
        list_samples(as_bytes(document), name="a_UPLOAD.json")
    problem = caught.value.problem
    assert problem.reason.startswith(reason)
    assert problem.remedy.startswith(remedy)
    assert problem.file == "a_UPLOAD.json"


def test_a_task_without_a_transcript_is_refused_and_the_others_are_read() -> None:
    upload = hal({"glee": "failed", "conv_graph": hal_task(chat(), *USAGES)})
    bad, good = list_samples(as_bytes(upload), name="a.json")
    assert bad.problem is not None
    assert (bad.problem.place, bad.problem.reason) == (
        "$.raw_logging_results.glee",
        "the transcript is a string",
    )
    assert good.problem is None


def test_a_fault_in_a_conversation_is_placed_in_the_upload() -> None:
    with pytest.raises(InputError) as caught:
        read(as_bytes(hal({"glee": hal_task([*ASKED, calls(LS), 1])})), name="a.json")
    assert caught.value.problem.place == "$.raw_logging_results.glee, $.messages[3]"
