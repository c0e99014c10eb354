"""Two versions of an entry, figure by figure and task by task."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Q

from leaderboard.domain.scores import Metric
from leaderboard.models import Attempt, Category, Entry, Figure, Score, Task
from leaderboard.selectors.catalogue import set_categories
from leaderboard.selectors.versions import line_before, line_of
from leaderboard.services.figures import BOARD

Sources = dict[str, str]
"""By metric, whose figure the board shows of an entry."""
Means = dict[tuple[int, str], float | None]
"""By task key and metric, the mean over attempts; None where none has a score."""


@dataclass(frozen=True, slots=True)
class Change:
    """One figure before and after, in [0, 1]; None where it is missing."""

    before: float | None
    after: float | None

    @property
    def difference(self) -> float | None:
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def changed(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class TaskChanges:
    """A task that either version attempted, with a change for each metric in their order."""

    task: Task
    changes: list[Change]

    @property
    def changed(self) -> bool:
        return any(change.changed for change in self.changes)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What ``after`` changes against ``before``.

    ``totals`` has a row overall (None) and one for each category; a task without an attempt counts as failed
    in them. ``sources_differ`` names the metrics that the two take from different scorers.
    """

    before: Entry
    after: Entry
    totals: list[tuple[Category | None, list[Change]]]
    tasks: list[TaskChanges]
    sources_differ: list[Metric]

    @property
    def changed_tasks(self) -> list[TaskChanges]:
        return [task for task in self.tasks if task.changed]


def version_before(entry: Entry) -> Entry | None:
    """What an entry's figures are compared with: the version before it, published or not."""
    line = line_before(entry) if entry.is_draft else line_of(entry)
    earlier = line if entry.is_draft else line[: line.index(entry)]
    return earlier[-1] if earlier else None


def compare_versions(entry: Entry, before: Entry) -> Comparison:
    """``entry`` against ``before``, by what a board shows of each. Nine queries at any size."""
    figures = [_figures(version) for version in (before, entry)]
    sources: list[Sources] = [
        {metric: figure.source for (metric, category), figure in found.items() if not category}
        for found in figures
    ]
    means = [_means(version, source) for version, source in zip((before, entry), sources, strict=True)]
    categories: list[Category | None] = [None, *set_categories(entry.task_set)]
    attempted = Attempt.objects.filter(entry__in=(before, entry)).values("task")
    tasks = Task.objects.filter(pk__in=attempted).only("task_id", "title", "task_set").order_by("task_id")
    return Comparison(
        before=before,
        after=entry,
        totals=[
            (
                category,
                [
                    Change(*(_value(found, metric, category.slug if category else "") for found in figures))
                    for metric in Metric
                ],
            )
            for category in categories
        ],
        tasks=[
            TaskChanges(
                task, [Change(*(found.get((task.pk, metric)) for found in means)) for metric in Metric]
            )
            for task in tasks
        ],
        sources_differ=[
            metric for metric in Metric if len({source[metric] for source in sources if metric in source}) > 1
        ],
    )


def _figures(entry: Entry) -> dict[tuple[str, str], Figure]:
    return {(figure.metric, figure.category): figure for figure in entry.figures.filter(scorer=BOARD)}


def _value(figures: dict[tuple[str, str], Figure], metric: str, category: str) -> float | None:
    figure = figures.get((metric, category))
    return figure.value if figure else None


def _means(entry: Entry, sources: Sources) -> Means:
    wanted = Q(pk=None)
    for metric, source in sources.items():
        wanted |= Q(metric=metric, scorer=source)
    values: dict[tuple[int, str], list[float]] = defaultdict(list)
    rows = Score.objects.filter(wanted, attempt__entry=entry, value__isnull=False)
    for task, metric, value in rows.values_list("attempt__task_id", "metric", "value"):
        if value is not None:
            values[task, metric].append(value)
    return {key: math.fsum(found) / len(found) for key, found in values.items()}
