"""Compute an entry's figures from its tasks' results, overall and by group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskResult:
    """One metric of one task of the set.

    Attributes:
        task_id: unique within the set.
        categories: the groups in which the task counts; it may be several or none.
        values: one for each attempt, None where the metric does not apply or scoring failed; empty where the
            task was not attempted.
    """

    task_id: str
    categories: tuple[str, ...]
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over tasks, with the numbers of tasks and attempts.

    Attributes:
        value: the mean where a task without an attempt counts as failed, so that it is the worst value for a
            group of which no task was attempted; None where no task of the whole set has a value. If such a
            task counts as nothing, it is ``attempted``.
        attempted: the mean over the tasks that have a value; None where none has.
        scored: tasks that have a value.
        tasks: ``scored`` plus the tasks without an attempt, if these count; ``value`` is divided by it. A
            task that was attempted but has no value is in neither.
        attempts: attempts with a value, at the tasks that have one.
    """

    value: float | None
    attempted: float | None
    scored: int
    tasks: int
    attempts: int = 0


def pass_at_k(attempts: int, right: int, k: int) -> float | None:
    """The chance that one of k attempts is right, drawn without replacement from those made at a task.

    It is the unbiased estimate 1 - C(attempts - right, k) / C(attempts, k); None where fewer than k attempts
    were made. The figure of a task set is its mean over tasks.

    Raises:
        ValueError: k is below 1, or ``right`` is not from 0 to ``attempts``.
    """
    if k < 1 or not 0 <= right <= attempts:
        raise ValueError(f"no pass@{k} of {right} right among {attempts} attempts")
    if attempts < k:
        return None
    draws = math.comb(attempts, k)
    # Whole numbers until the division, which is then rounded once.
    return (draws - math.comb(attempts - right, k)) / draws


def aggregate(results: Sequence[TaskResult], *, k: int = 0, failed: float | None = 0.0) -> dict[str, Figure]:
    """Average one metric over a set; the key is a group, or ``""`` for the overall figure.

    Args:
        results: one for each task of the set, attempted or not.
        k: of pass@k, where an attempt is right if its value is 1; 0 for the mean over a task's attempts.
        failed: what a task without an attempt counts as; None for nothing.
    """
    groups: dict[str, list[TaskResult]] = {"": list(results)}
    for result in results:
        for category in dict.fromkeys(result.categories):
            groups.setdefault(category, []).append(result)
    is_scored = any(task_value(result.values, k) is not None for result in results)
    return {
        name: _figure(members, k=k, failed=failed, is_scored=is_scored) for name, members in groups.items()
    }


def task_value(values: Sequence[float | None], k: int = 0) -> float | None:
    """What a task's attempts give: their mean, or pass@k; None where there is no value, or not enough."""
    known = [value for value in values if value is not None]
    if k:
        return pass_at_k(len(known), sum(value == 1 for value in known), k)
    return math.fsum(known) / len(known) if known else None


def counted_value(result: TaskResult, *, k: int = 0, failed: float | None = 0.0) -> float | None:
    """What a task counts as in `Figure.value`; None where it counts as nothing."""
    return task_value(result.values, k) if result.values else failed


def _figure(results: Sequence[TaskResult], *, k: int, failed: float | None, is_scored: bool) -> Figure:
    found = [(value, result) for result in results if (value := task_value(result.values, k)) is not None]
    scored = len(found)
    untried = 0 if failed is None else sum(1 for result in results if not result.values)
    tasks = scored + untried
    if not scored:
        return Figure(failed if is_scored and tasks else None, None, 0, tasks)
    total = math.fsum(value for value, _result in found)
    attempts = sum(value is not None for _value, result in found for value in result.values)
    with_untried = total + untried * (failed or 0.0)
    return Figure(with_untried / tasks, total / scored, scored, tasks, attempts)
