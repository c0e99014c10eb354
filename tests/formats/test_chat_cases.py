"""Chats as their tools write them, where those files are at hand, and what must come out of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from django.conf import settings

from leaderboard import formats
from leaderboard.domain.errors import InputError
from leaderboard.domain.trajectory import MISSING, StepKind, Trajectory
from leaderboard.intake.check import check_folder
from leaderboard.intake.known_tasks import shipped_tasks

CASES: Final = settings.BASE_DIR.parent / "shared" / "cases" / "formats"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the cases are not at hand")

SHORT: Final = {StepKind.EXECUTE: "e", StepKind.SUBMIT: "s", StepKind.FORMAT_ERROR: "f"}
UPLOAD: Final = "hal/super_masked_some_agent_1777629600_UPLOAD.json"
SMATCH, ACCURACY = {"Smatch": 0.84}, {"accuracy": 0.735}
GPT: Final = "gpt-4o-mini"
# File and task; then kinds, answer, tokens in, out and cached, cost, model.
EXPECTED: Final[dict[tuple[str, str], tuple[Any, ...]]] = {
    ("openai-chat/amrbart_data.json", ""): ("eefes", SMATCH, None, None, None, None, ""),
    ("openai-chat/amrbart_data.messages.json", "amrbart_data"): ("eefes", SMATCH, *[None] * 4, GPT),
    ("openai-chat/conversations.jsonl", "amrbart_data"): ("eefes", SMATCH, 2000, 150, 900, None, ""),
    ("openai-chat/conversations.jsonl", "glee_data"): ("e", MISSING, *[None] * 4, ""),
    ("openai-chat/list/amrbart_data.json", ""): ("eees", ACCURACY, *[None] * 4, ""),
    ("openai-chat/messages/glee_data.json", ""): ("eees", ACCURACY, *[None] * 4, "made-model-1"),
    ("openai-chat/lines/conversations.jsonl", "amrbart_data"): ("eees", ACCURACY, *[None] * 4, ""),
    ("openai-chat/lines/conversations.jsonl", "glee_data"): ("eee", MISSING, *[None] * 4, ""),
    ("mini-responses/amrbart_data.traj.json", ""): ("eee", ACCURACY, *[None] * 3, 0.02, "made-model-1"),
    ("mini-swe-agent/amrbart_data/amrbart_data.traj.json", ""): (
        *("eeefs", SMATCH, 2900, 110, 1800, 0.06),
        "openai/gpt-5-mini",
    ),
    (UPLOAD, "amrbart_data"): ("eefes", SMATCH, 2200, 150, 1200, None, GPT),
    (UPLOAD, "glee_data"): ("e", MISSING, 300, 30, None, None, GPT),
    ("hal/older_UPLOAD.json", "amrbart_data"): ("eefes", SMATCH, 2200, 150, 1200, None, GPT),
    ("smolagents/amrbart_data/run_result.json", ""): ("eefs", SMATCH, 2500, 140, None, None, ""),
    ("smolagents/full_steps.json", ""): ("ee", MISSING, 1200, 90, None, None, ""),
}


def read_all(file: str) -> dict[tuple[str, str], Trajectory]:
    opened = formats.open_file((CASES / file).read_bytes(), name=file)
    return {(file, sample.task_id): opened.read(sample.key) for sample in opened.samples}


@pytest.mark.parametrize("file", sorted({file for file, _task in EXPECTED}))
def test_each_file_gives_what_its_description_says(file: str) -> None:
    found = {
        key: (
            "".join(SHORT.get(step.kind, "x") for step in read.steps),
            read.answer,
            read.prompt_tokens,
            read.response_tokens,
            read.cached_tokens,
            read.cost,
            read.model,
        )
        for key, read in read_all(file).items()
    }
    assert found == {key: value for key, value in EXPECTED.items() if key[0] == file}


@pytest.mark.parametrize("file", ["openai-chat/amrbart_data.json", UPLOAD, "hal/older_UPLOAD.json"])
def test_the_chat_reads_the_same_in_a_list_and_in_a_hal_upload(file: str) -> None:
    steps = next(iter(read_all(file).values())).steps
    assert [step.observation for step in steps] == [
        *("data.tsv train.py", "try --quick", "the arguments are no JSON"),
        *("score 0.84", None),
    ]
    assert [len(step.media) for step in steps] == [0, 0, 0, 1, 0]
    assert [step.thought for step in steps] == [
        "First a look.",
        "",
        "The notes say quick.",
        "Again.",
        "I report.",
    ]


@pytest.mark.parametrize(
    ("file", "place", "reason"),
    [
        ("openai-chat/not-a-run.json", "$.messages", "there is no step of an agent"),
        ("hal/slim_UPLOAD.json", "$.raw_logging_results", "there is no transcript in it"),
    ],
)
def test_what_is_no_run_is_refused(file: str, place: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        read_all(file)
    problem = caught.value.problem
    assert (problem.place, problem.reason.startswith(reason), bool(problem.remedy)) == (place, True, True)


@pytest.mark.parametrize(
    ("files", "attempts"),
    [
        (["openai-chat/amrbart_data.json"], [("amrbart_data", 1)]),
        (["openai-chat/conversations.jsonl"], [("amrbart_data", 1), ("glee_data", 1)]),
        (["openai-chat/lines/conversations.jsonl"], [("amrbart_data", 1), ("glee_data", 1)]),
        (["mini-swe-agent/amrbart_data/amrbart_data.traj.json"], [("amrbart_data", 1)]),
        ([UPLOAD, "hal/slim_UPLOAD.json"], [("amrbart_data", 1), ("glee_data", 1)]),
        (["hal/older_UPLOAD.json"], [("amrbart_data", 1)]),
        (["smolagents/amrbart_data/run_result.json"], [("amrbart_data", 1)]),
    ],
)
def test_an_upload_finds_the_attempts(
    tmp_path: Path, files: list[str], attempts: list[tuple[str, int]]
) -> None:
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes((CASES / file).read_bytes())
    report = check_folder(tmp_path, name="results.zip", known_tasks=shipped_tasks())
    assert report.task_set == "super/masked"
    assert [(line.task_id, line.number) for line in report.attempts] == attempts
