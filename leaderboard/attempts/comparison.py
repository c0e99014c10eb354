"""Two attempts at one task side by side: stored steps, aligned, with the lines in which they differ."""

from __future__ import annotations

from leaderboard.domain.alignment import MAX_STEPS, Alignment, align
from leaderboard.models import Attempt, AttemptStep
from leaderboard.rendering.side_by_side import Brief, Comparison, brief, compare_steps


def why_not_comparable(one: Attempt, other: Attempt) -> str:
    """Why two attempts are not shown side by side, and what to do; empty if they can be."""
    task = one.task.task_id
    if one == other:
        return f"An attempt is not compared with itself. Choose another one at {task}."
    if one.task_id != other.task_id:
        return (
            f"These are attempts at different tasks, {task} and {other.task.task_id}. Only attempts at one "
            "task are compared: steps and landmarks of different tasks do not correspond. "
            f"Choose another attempt at {task}."
        )
    for attempt in (one, other):
        if not attempt.has_trajectory:
            return f"The attempt of {attempt.entry.agent} has no trajectory, and so no steps to compare."
    return ""


def align_attempts(one: Attempt, other: Attempt) -> Alignment:
    """Align the stored steps of two attempts. One query."""
    return align(*[[step.acted for step in steps] for steps in _read_steps(one, other)])


def compare_attempts(one: Attempt, other: Attempt, page: int) -> Comparison:
    """One page of two attempts side by side. One query."""
    return compare_steps(*_read_steps(one, other), page)


def _read_steps(one: Attempt, other: Attempt) -> tuple[list[Brief], list[Brief]]:
    """The steps of both. Only the beginnings of texts are kept: an output can be as long as a file."""
    found: dict[int, list[Brief]] = {one.pk: [], other.pk: []}
    rows = AttemptStep.objects.filter(attempt__in=found, number__lte=MAX_STEPS + 1).defer("thought")
    for row in rows.order_by("attempt", "number").iterator(chunk_size=20):
        found[row.attempt_id].append(brief(row))
    return found[one.pk], found[other.pk]
