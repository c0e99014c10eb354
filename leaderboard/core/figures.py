"""Compute and store the figures of boards from scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from operator import attrgetter
from typing import Any

from django.db import transaction

from leaderboard.domain import aggregates
from leaderboard.domain.aggregates import TaskResult
from leaderboard.domain.scorers import DEFAULT_SCORER, SCORERS
from leaderboard.domain.scores import BOARD, REPORTED, Metric
from leaderboard.models import Attempt, Entry, Figure, Score, Task, TaskSet


def percent(value: float | None) -> str:
    """A share as a percentage with one decimal, rounded half up; empty if missing."""
    return "" if value is None else f"{value * 100 + 1e-9:.1f}"


def figure_json(figure: Figure) -> dict[str, Any]:
    """A figure as plain data."""
    return {
        "value": figure.value,
        "percent": percent(figure.value) or None,
        "tasks": figure.tasks,
        "scored": figure.scored,
        "mean_of_scored": figure.attempted,
        "source": figure.source,
        "stale": figure.stale,
    }


SCORER_ORDER = (REPORTED, *SCORERS)
"""Every scorer, in the order of display."""
Values = dict[tuple[str, str], dict[int, list[float | None]]]
"""The scores of each attempt, by (scorer, metric) and then by the task's primary key."""
KEY_FIELDS = ("entry_id", "scorer", "metric", "category")
CONTENT_FIELDS = ("task_set_id", "source", "value", "attempted", "scored", "tasks", "stale")


def refresh_figures(task_set: TaskSet, entries: Iterable[Entry]) -> None:
    """Recompute and store every figure of ``entries``, which all belong to ``task_set``.

    Idempotent. Deletes the figures of categories that were removed from the catalogue.
    """
    tasks = {
        task.pk: (task.task_id, tuple(category.slug for category in task.categories.all()))
        for task in Task.objects.filter(task_set=task_set).prefetch_related("categories")
    }
    for entry in entries:
        _refresh_entry(task_set, entry, tasks)


@transaction.atomic
def _refresh_entry(task_set: TaskSet, entry: Entry, tasks: Mapping[int, tuple[str, tuple[str, ...]]]) -> None:
    # The lock makes refreshes of one entry run one after another: otherwise one that read older scores could
    # overwrite newer figures. NO KEY, because a plain lock would wait for transactions that add an attempt.
    entry = Entry.objects.select_for_update(no_key=True).get(pk=entry.pk)
    attempted = set(Attempt.objects.filter(entry=entry).values_list("task_id", flat=True))
    values: Values = defaultdict(lambda: defaultdict(list))
    stale: set[tuple[str, str]] = set()
    rows = Score.objects.filter(attempt__entry=entry).order_by("attempt__number")
    for task, scorer, metric, value, is_stale in rows.values_list(
        "attempt__task_id", "scorer", "metric", "value", "stale"
    ):
        values[scorer, metric][task].append(value)
        if is_stale:
            stale.add((scorer, metric))

    figures: list[Figure] = []
    for metric in Metric:
        by_scorer = {
            scorer: aggregates.aggregate(_results(tasks, attempted, values[scorer, metric]))
            for scorer in SCORER_ORDER
        }
        shown = _board_scorer(by_scorer)
        for scorer, source in ((BOARD, shown), *((scorer, scorer) for scorer in SCORER_ORDER)):
            figures += [
                Figure(
                    task_set=task_set if entry.is_published else None,
                    entry=entry,
                    scorer=scorer,
                    source=source,
                    metric=metric,
                    category=category,
                    stale=(source, metric) in stale,
                    **asdict(cell),
                )
                for category, cell in by_scorer[source].items()
            ]
    # Boards rely on it: an entry has figures only if it has attempts.
    _store(entry, figures if attempted else [])
    Entry.objects.filter(pk=entry.pk).update(attempted=len(attempted))


def _results(
    tasks: Mapping[int, tuple[str, tuple[str, ...]]],
    attempted: set[int],
    values: Mapping[int, list[float | None]],
) -> list[TaskResult]:
    """One metric by one scorer, task by task; distinguishes no score from no attempt."""
    return [
        TaskResult(task_id, categories, tuple(values.get(pk, (None,) if pk in attempted else ())))
        for pk, (task_id, categories) in tasks.items()
    ]


def _store(entry: Entry, figures: list[Figure]) -> None:
    """Write the figures that differ from the stored ones: most refreshes change few or none."""
    entry.figures.exclude(category__in={figure.category for figure in figures}).delete()
    key, content = attrgetter(*KEY_FIELDS), attrgetter(*CONTENT_FIELDS)
    stored = {key(figure): content(figure) for figure in entry.figures.all()}
    Figure.objects.bulk_create(
        [figure for figure in figures if stored.get(key(figure)) != content(figure)],
        update_conflicts=True,
        unique_fields=KEY_FIELDS,
        update_fields=CONTENT_FIELDS,
    )


def _board_scorer(by_scorer: Mapping[str, Mapping[str, aggregates.Figure]]) -> str:
    """Whose figure the board shows: the computed one if it covers at least as many tasks as the reported one.

    The overall figure decides for every category: a row never mixes sources in one metric.
    """
    computed, reported = by_scorer[DEFAULT_SCORER][""], by_scorer[REPORTED][""]
    return DEFAULT_SCORER if computed.scored >= reported.scored and computed.scored else REPORTED
