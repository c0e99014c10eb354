"""The grid of a board: all of its ranked entries by all of its tasks, on the metric that gives the ranks.

Four queries for any number of entries and tasks. It reads rows as plain values: as objects they took most of
a page's time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from leaderboard.core.figures import counting_score
from leaderboard.domain.aggregates import task_value
from leaderboard.domain.scores import BOARD, REPORTED
from leaderboard.models import Attempt, Entry, Figure, Score, Task, TaskSet
from leaderboard.scoring.contract import Metric, Scoring

MOST_ENTRIES: Final = 50


class GridCell(NamedTuple):
    """What an entry's attempts at a task give together: ``attempt`` is the first of them."""

    value: float | None
    attempt: int
    attempts: int


class GridRow(NamedTuple):
    """A task with a cell for each entry; None where it has no attempt."""

    task: Task
    cells: list[GridCell | None]

    @property
    def mean(self) -> float | None:
        """Over the entries that have a value."""
        values = [cell.value for cell in self.cells if cell and cell.value is not None]
        return math.fsum(values) / len(values) if values else None


@dataclass(frozen=True, slots=True)
class Grid:
    """The first ranked entries of a board, each with its rank, by the board's tasks, the hardest first."""

    metric: Metric
    entries: list[tuple[int, Entry]]
    rows: list[GridRow]
    is_cut: bool


class _Known(NamedTuple):
    value: float | None
    reason: str


def read_grid(task_set: TaskSet) -> Grid:
    """The grid of a board."""
    scoring = task_set.scoring
    metric = scoring.leading
    better = "-value" if metric.more_is_better else "value"
    ranked = Figure.objects.filter(
        task_set=task_set, scorer=BOARD, metric=metric.key, category="", ranked=True, value__isnull=False
    ).select_related("entry__agent")
    figures = list(ranked.order_by(better, "entry")[: MOST_ENTRIES + 1])
    shown = figures[:MOST_ENTRIES]
    entries, in_order = [figure.entry for figure in shown], [figure.value for figure in shown]
    fields = ("task_id", "title", *scoring.task_fields)
    tasks = list(Task.objects.filter(task_set=task_set).only(*fields))
    cells = _cells([entry.pk for entry in entries], tasks, scoring)
    rows = [GridRow(task, [cells.get((task.pk, entry.pk)) for entry in entries]) for task in tasks]
    rows.sort(key=lambda row: _difficulty(row, metric))
    ranks = [in_order.index(value) + 1 for value in in_order]
    return Grid(metric, list(zip(ranks, entries, strict=True)), rows, is_cut=len(figures) > len(shown))


def _difficulty(row: GridRow, metric: Metric) -> tuple[bool, float, str]:
    mean = row.mean
    signed = 0.0 if mean is None else mean if metric.more_is_better else -mean
    return mean is None, signed, row.task.task_id


def _cells(entries: list[int], tasks: Iterable[Task], scoring: Scoring) -> dict[tuple[int, int], GridCell]:
    """By the keys of task and entry."""
    metric = scoring.leading
    computable = {task.pk: metric.scored_as in task.computed_metrics(scoring) for task in tasks}
    scores: dict[tuple[int, str], _Known] = {}
    counted = Score.objects.filter(
        attempt__entry__in=entries, metric=metric.scored_as, scorer__in=(REPORTED, scoring.default_scorer)
    )
    for attempt, scorer, value, reason in counted.values_list("attempt", "scorer", "value", "reason"):
        scores[attempt, scorer] = _Known(value, reason)
    found: dict[tuple[int, int], list[tuple[int, float | None]]] = {}
    attempts = Attempt.objects.filter(entry__in=entries).order_by("number", "pk")
    recorded = metric.recorded or "number"
    read = attempts.values_list("pk", "entry", "task", "has_trajectory", recorded)
    for pk, entry, task, has_trajectory, used in read:
        if metric.recorded:
            value = used if has_trajectory else None
        else:
            counts = counting_score(
                scores.get((pk, scoring.default_scorer)),
                scores.get((pk, REPORTED)),
                computable=computable[task],
                has_trajectory=has_trajectory,
            )
            value = counts.value if counts else None
        found.setdefault((task, entry), []).append((pk, value))
    return {
        key: GridCell(task_value([value for _pk, value in made], metric.pass_at), made[0][0], len(made))
        for key, made in found.items()
    }
