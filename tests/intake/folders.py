"""Folders of results, written from a few words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from leaderboard.intake.found_files import Survey
from leaderboard.intake.known_tasks import KnownTasks
from leaderboard.intake.layout import list_files
from leaderboard.intake.survey import survey
from leaderboard.scoring.super import SCORING
from tests.formats.samples import act, as_bytes, history

KNOWN_TASKS = KnownTasks(
    {
        "super/expert": ("cet", "amos", "conv_graph"),
        "super/masked": ("cet_data", "amos_goal", "conv_graph_configuration,data"),
    },
    scorings=dict.fromkeys(("super/expert", "super/masked"), SCORING),
)


def trajectory(answer: Any = None, **fields: Any) -> bytes:
    """A sound history.json; another answer makes other bytes."""
    return as_bytes(history(act("execute"), act("submit", {"a": answer}), **fields))


def write(folder: Path, *names: str) -> Path:
    """Files by these names, each a trajectory of its own."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(trajectory(name))
    return folder


def write_file(folder: Path, name: str, content: bytes | str | Any) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not isinstance(content, bytes):
        content = content.encode() if isinstance(content, str) else json.dumps(content).encode()
    path.write_bytes(content)
    return folder


def found_in(folder: Path, *, known_tasks: KnownTasks = KNOWN_TASKS, task_set: str = "") -> Survey:
    return survey(list_files(folder), name="results.zip", known_tasks=known_tasks, task_set=task_set)


def told(found: Survey) -> dict[str, tuple[str, int, str]]:
    """By file and sample: task, attempt, and what told the task."""
    return {
        f"{attempt.name} {attempt.sample}".strip(): (
            attempt.task_id,
            attempt.number,
            attempt.matched_by.value,
        )
        for attempt in found.attempts
    }


def reasons(found: Survey) -> list[str]:
    """All that was found, in the order of the files."""
    findings = [*found.findings, *(finding for other in found.others for finding in other.findings)]
    return [str(finding.problem) for finding in findings]
