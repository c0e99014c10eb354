"""Compute an entry's figures from its tasks' results, overall and by category."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskResult:
    """One metric of one task of the set.

    Attributes:
        task_id: unique within the set.
        categories: the categories in which the task counts; it may be several or none.
        values: one for each attempt, in [0, 1], None where the metric does not apply or scoring failed; empty
            where the task was not attempted.
    """

    task_id: str
    categories: tuple[str, ...]
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over tasks, with the number of tasks.

    Attributes:
        value: the mean where a task without an attempt counts as failed, so that it is 0 for a category of
            which no task was attempted; None where no task of the whole set has a value.
        attempted: the mean over the tasks that have a value; None where none has.
        scored: tasks that have a value.
        tasks: ``scored`` plus the tasks without an attempt; ``value`` is divided by it. A task that was
            attempted but has no value is in neither.
    """

    value: float | None
    attempted: float | None
    scored: int
    tasks: int


def aggregate(results: Sequence[TaskResult]) -> dict[str, Figure]:
    """Average one metric over a set; the key is a category, or ``""`` for the overall figure.

    ``results`` has one for each task of the set, attempted or not.
    """
    groups: dict[str, list[TaskResult]] = {"": list(results)}
    for result in results:
        for category in dict.fromkeys(result.categories):
            groups.setdefault(category, []).append(result)
    is_scored = any(value is not None for result in results for value in result.values)
    return {name: _figure(members, is_scored=is_scored) for name, members in groups.items()}


def _figure(results: Sequence[TaskResult], *, is_scored: bool) -> Figure:
    means = []
    for result in results:
        known = [value for value in result.values if value is not None]
        if known:
            means.append(math.fsum(known) / len(known))
    scored = len(means)
    tasks = scored + sum(1 for result in results if not result.values)
    if not scored:
        return Figure(0.0 if is_scored and tasks else None, None, 0, tasks)
    total = math.fsum(means)
    return Figure(total / tasks, total / scored, scored, tasks)
