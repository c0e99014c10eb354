"""Logs as agents' own tools write them, where those files are at hand, and what must come out of each."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Final

import pytest
from django.conf import settings

from leaderboard import formats
from leaderboard.domain.trajectory import MISSING, Ending, StepKind, Trajectory
from leaderboard.formats.bundles import pack
from leaderboard.intake.check import check_folder
from leaderboard.intake.known_tasks import shipped_tasks

CASES: Final = settings.BASE_DIR.parent / "shared" / "cases" / "formats"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the cases are not at hand")

SHORT: Final = {
    StepKind.EXECUTE: "e",
    StepKind.VIEW: "r",
    StepKind.SEARCH: "r",
    StepKind.EDIT: "w",
    StepKind.CREATE: "w",
}
SMATCH, ACCURACY = {"Smatch": 0.84}, {"accuracy": 0.735}
HAIKU, GPT, MADE = "claude-haiku-4-5-20251001", "gpt-5.5", "made-model-1"
CODEX: Final = "codex/amrbart_data/rollout-2026-02-08T17-28-00-33333333-0000-4000-8000-000000000001.jsonl"
GEMINI: Final = "gemini-cli/amrbart_data/session-2026-02-08T17-28-44444444.jsonl"
# Kinds, a sub-agent's with a mark; answer, tokens in, out and cached, cost, model, stated seconds.
EXPECTED: Final[dict[str, tuple[Any, ...]]] = {
    "claude-code/amrbart_data": ("e x r' w e r m", SMATCH, 2020, 205, 1230, None, HAIKU, None),
    "claude-code/stream.jsonl": ("x r' e m", SMATCH, 1790, 115, 1230, 0.012, HAIKU, 41),
    "claude-code-session/amrbart_data.jsonl": ("e r w x e' m", ACCURACY, 5600, 150, 5000, None, MADE, None),
    "claude-code-stream/amrbart_data.jsonl": ("e r w x e' m", ACCURACY, 5600, 150, 5000, 0.03, MADE, 14),
    CODEX: ("e e w e m", SMATCH, 3000, 130, 900, None, GPT, None),
    "codex-rollout/amrbart_data.jsonl": ("e e m", ACCURACY, 200, 20, 80, None, MADE, None),
    "codex/exec.jsonl": ("e w e", MISSING, None, None, None, None, "", None),
    GEMINI: ("e r e m", SMATCH, 4100, 95, 1700, None, "gemini-3-pro", None),
    "gemini-cli/session-legacy.json": ("e r e m", SMATCH, 4100, 95, 1700, None, "gemini-3-pro", None),
    "gemini-cli/stream.jsonl": ("e m", SMATCH, 3100, 50, 900, None, "gemini-3-pro", 42),
    "copilot-cli/amrbart_data/events.jsonl": ("e x r' e m", SMATCH, 2400, 150, 900, None, "gpt-5.2", None),
    "openinference/spans.jsonl": ("e e m", SMATCH, 900, 60, None, None, "gpt-4o-mini", 10),
}


def content(name: str) -> bytes:
    """The bytes of a file, or of the bundle that a folder is."""
    path = CASES / name
    if path.is_file():
        return path.read_bytes()
    files = {each.relative_to(path).as_posix(): each for each in path.rglob("*.jsonl")}
    (group,) = formats.group_files(list(files))
    return pack({each: files[each].read_bytes() for each in group.names})


def read(name: str) -> Trajectory:
    opened = formats.open_file(content(name), name=name)
    (sample,) = opened.samples
    assert sample.task_id == ("amrbart_data" if name.startswith("openinference") else "")
    return opened.read()


def shown(found: Trajectory) -> str:
    kinds = (
        ("m" if step.action_type == "message" else SHORT.get(step.kind, "x")) + ("'" if step.agent else "")
        for step in found.steps
    )
    return " ".join(kinds)


@pytest.mark.parametrize("name", EXPECTED)
def test_each_log_gives_what_its_description_says(name: str) -> None:
    found = read(name)
    tokens = found.prompt_tokens, found.response_tokens, found.cached_tokens
    assert (shown(found), found.answer, *tokens, found.cost, found.model, found.elapsed) == EXPECTED[name]
    by_itself = Ending.SUBMITTED if found.answer is not MISSING else Ending.EXCEPTION
    assert found.ending is by_itself
    assert not found.warnings


def test_details_of_the_logs_are_as_described() -> None:
    session, rollout = read("claude-code/amrbart_data"), read(CODEX)
    assert session.steps[0].thought == "First a look, and a helper.\n\nI look, and a helper reads."
    assert session.steps[1].observation == "The notes say quick."
    assert "slow\n<<<AFTER_EDIT>>>\nquick" in session.steps[3].action
    assert [len(step.media) for step in session.steps] == [0, 0, 0, 0, 0, 1, 0]
    assert [step.thought for step in rollout.steps] == ["**A look first**", "", "", "", '{"Smatch": 0.84}']
    assert [step.observation for step in rollout.steps] == [
        *("data.tsv train.py", "try --quick", "Success.", "score 0.84", None)
    ]
    assert rollout.steps[2].action == "train.py\n<<<BEFORE_EDIT>>>\nslow\n<<<AFTER_EDIT>>>\nquick"
    assert [step.observation for step in read(GEMINI).steps][1] == "no such file"
    assert read("copilot-cli/amrbart_data/events.jsonl").steps[3].observation == "no room left"
    assert read("codex/exec.jsonl").ending_detail == "the stream was cut off"
    assert [step.duration for step in read("openinference/spans.jsonl").steps] == [1, 1, None]


@pytest.mark.parametrize("name", [name for name in EXPECTED if "amrbart_data" in name or "spans" in name])
def test_an_upload_of_a_log_is_one_attempt_at_its_task(tmp_path: Path, name: str) -> None:
    source = CASES / name
    if source.is_dir():
        shutil.copytree(source, tmp_path / name)
    else:
        (tmp_path / name).parent.mkdir(parents=True)
        shutil.copyfile(source, tmp_path / name)
    report = check_folder(tmp_path, name="results.zip", known_tasks=shipped_tasks())
    assert [(line.task_id, line.number) for line in report.attempts] == [("amrbart_data", 1)]
    assert not [finding for line in report.files for finding in line.findings if finding.severity == "error"]
