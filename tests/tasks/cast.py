"""Attempts at a task as they are stored, without the trajectories that they came from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from leaderboard.domain.entries import EntryState, Evidence
from leaderboard.domain.trajectory import MISSING
from leaderboard.entries.names import ensure_entry
from leaderboard.models import Attempt, Entry, LandmarkOutcome, Score, Task
from tests.cast import MODEL


def entry_of(task: Task, agent: str, *, state: str = EntryState.PUBLISHED) -> Entry:
    """An entry without attempts."""
    entry = ensure_entry(task_set=task.task_set, agent=agent, model=MODEL)
    Entry.objects.filter(pk=entry.pk).update(evidence=Evidence.TRAJECTORIES, state=state)
    return entry


def tried(
    task: Task,
    agent: str,
    answer: Any = MISSING,
    *,
    value: float | None = None,
    landmarks: Mapping[int, str] | None = None,
    number: int = 1,
    state: str = EntryState.PUBLISHED,
    **fields: Any,
) -> Attempt:
    """An attempt with a trajectory, a computed ``value`` of the decisive metric and a status by landmark."""
    scoring = task.scoring
    attempt = Attempt.objects.create(
        entry=entry_of(task, agent, state=state),
        task=task,
        number=number,
        answer="" if answer is MISSING else json.dumps(answer),
        **{"has_trajectory": True, "step_count": 10, "ending": "submitted", **fields},
    )
    if value is not None:
        source = scoring.default_scorer or "reported"
        Score.objects.create(attempt=attempt, scorer=source, metric=scoring.decisive.key, value=value)
    for landmark, status in (landmarks or {}).items():
        first = 2 * landmark if status == "hit" else None
        LandmarkOutcome.objects.create(attempt=attempt, number=landmark, status=status, first_step=first)
    return attempt


def failed_by(kind: str, step: int | None = 3) -> dict[str, Any]:
    """The fields of an attempt whose diagnosis begins with a finding of this class."""
    finding = {"kind": kind, "sentence": "", "first_step": step, "last_step": step, "evidence": ""}
    finding |= {"evidence_step": step, "confidence": "high"}
    return {"finding": kind, "diagnosis": {"version": "2", "findings": [finding], "facts": []}}
