"""Compute and store the figures of boards from scores, and what supports them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from operator import attrgetter
from typing import Any

from django.db import transaction

from leaderboard.domain import aggregates
from leaderboard.domain.aggregates import TaskResult
from leaderboard.domain.entries import RANKED, Evidence, Provenance, evidence_by, evidence_of
from leaderboard.domain.scorers import DEFAULT_SCORER, SCORED_FROM, SCORERS
from leaderboard.domain.scores import BOARD, MIXED, REPORTED, Metric, counts_as_reported
from leaderboard.models import Attempt, Entry, Figure, Score, Task, TaskSet


def percent(value: float | None) -> str:
    """A share as a percentage with one decimal, rounded half up; empty if missing."""
    return "" if value is None else f"{value * 100 + 1e-9:.1f}"


def figure_evidence(entry: Entry, scorer: str) -> Evidence:
    """What supports an entry's figures by a scorer."""
    return evidence_by(scorer, Evidence(entry.evidence), accepted=entry.accepted is not None)


def figure_json(figure: Figure, entry: Entry) -> dict[str, Any]:
    """A figure of ``entry`` as plain data."""
    return {
        "value": figure.value,
        "percent": percent(figure.value) or None,
        "tasks": figure.tasks,
        "scored": figure.scored,
        "mean_of_scored": figure.attempted,
        "source": figure.source,
        "version": figure.version,
        "evidence": figure_evidence(entry, figure.scorer),
        "stale": figure.stale,
    }


SCORER_ORDER = (REPORTED, *SCORERS)
"""Every scorer, in the order of display."""
KEY_FIELDS = ("entry_id", "scorer", "metric", "category")
CONTENT_FIELDS = (
    "task_set_id",
    "source",
    "version",
    "ranked",
    "value",
    "attempted",
    "scored",
    "tasks",
    "stale",
)


@dataclass(slots=True)
class _Column:
    """The scores of one scorer and metric by task, and the scorers and versions of those with a value."""

    values: dict[int, list[float | None]] = field(default_factory=lambda: defaultdict(list))
    made_by: dict[int, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    stale: bool = False

    def add(self, task: int, score: Score) -> None:
        self.values[task].append(score.value)
        self.stale = self.stale or score.stale
        if score.value is not None:
            self.made_by[task].add((score.scorer, score.version))

    def source_of(self, tasks: Iterable[int]) -> tuple[str, str]:
        """The source of a figure over ``tasks``, and the versions of its rules."""
        made_by = {each for task in tasks for each in self.made_by.get(task, ())}
        scorers = {scorer for scorer, _version in made_by}
        versions = ", ".join(sorted({version for _scorer, version in made_by if version}))[:40]
        return MIXED if len(scorers) > 1 else next(iter(scorers), REPORTED), versions


def refresh_figures(task_set: TaskSet, entries: Iterable[Entry]) -> None:
    """Recompute and store every figure and the evidence of ``entries``, which all belong to ``task_set``.

    Idempotent. Deletes the figures of categories that were removed from the catalogue.
    """
    fields = ("task_id", *SCORED_FROM)
    tasks = list(Task.objects.filter(task_set=task_set).only(*fields).prefetch_related("categories"))
    for entry in entries:
        _refresh_entry(task_set, entry, tasks)


@transaction.atomic
def _refresh_entry(task_set: TaskSet, entry: Entry, tasks: list[Task]) -> None:
    # The lock makes refreshes of one entry run one after another: otherwise one that read older scores could
    # overwrite newer figures. NO KEY, because a plain lock would wait for transactions that add an attempt.
    entry = Entry.objects.select_for_update(no_key=True).get(pk=entry.pk)
    attempts = list(Attempt.objects.filter(entry=entry).only("task_id", "has_trajectory").order_by("number"))
    attempted = {attempt.task_id for attempt in attempts}
    # A run's attempt without a step is the site's own record too.
    bare = 0 if entry.provenance == Provenance.RUN_HERE else sum(not each.has_trajectory for each in attempts)
    entry.attempted = len(attempted)
    entry.evidence = evidence_of(
        attempts=len(attempts), without_trajectory=bare, accepted=entry.accepted is not None
    )
    # Boards rely on it: an entry has figures only if it has attempts.
    _store(entry, _figures(task_set, entry, attempts, tasks) if attempted else [])
    entry.save(update_fields=("attempted", "evidence"))


def _figures(task_set: TaskSet, entry: Entry, attempts: list[Attempt], tasks: list[Task]) -> list[Figure]:
    columns = _columns(entry, attempts, tasks)
    attempted = {attempt.task_id for attempt in attempts}
    members: dict[str, list[int]] = {"": [task.pk for task in tasks]}
    for task in tasks:
        for category in task.categories.all():
            members.setdefault(category.slug, []).append(task.pk)
    figures: list[Figure] = []
    for scorer in (BOARD, *SCORER_ORDER):
        ranked = figure_evidence(entry, scorer) in RANKED
        for metric in Metric:
            column = columns[scorer, metric]
            for slug, cell in aggregates.aggregate(_results(tasks, attempted, column)).items():
                source, version = column.source_of(members[slug])
                figures.append(
                    Figure(
                        task_set=task_set if entry.is_published else None,
                        entry=entry,
                        scorer=scorer,
                        source=source if scorer == BOARD else scorer,
                        version=version,
                        ranked=ranked,
                        metric=metric,
                        category=slug,
                        stale=column.stale,
                        **asdict(cell),
                    )
                )
    return figures


def _columns(
    entry: Entry, attempts: list[Attempt], tasks: list[Task]
) -> defaultdict[tuple[str, str], _Column]:
    """The scores of each scorer and metric; those of the scorer ``board`` are the ones that count."""
    by_attempt: dict[int, dict[tuple[str, str], Score]] = defaultdict(dict)
    for score in Score.objects.filter(attempt__entry=entry):
        by_attempt[score.attempt_id][score.scorer, score.metric] = score
    computed = {task.pk: task.computed_metrics for task in tasks}
    columns: defaultdict[tuple[str, str], _Column] = defaultdict(_Column)
    for attempt in attempts:
        scores = by_attempt[attempt.pk]
        for (scorer, metric), score in scores.items():
            columns[scorer, metric].add(attempt.task_id, score)
        for metric in Metric:
            counting = counting_score(
                scores.get((DEFAULT_SCORER, metric)),
                scores.get((REPORTED, metric)),
                computable=metric in computed.get(attempt.task_id, ()),
                has_trajectory=attempt.has_trajectory,
            )
            if counting:
                columns[BOARD, metric].add(attempt.task_id, counting)
    return columns


def counting_score(
    computed: Score | None, reported: Score | None, *, computable: bool, has_trajectory: bool
) -> Score | None:
    """Which of an attempt's two scores in a metric counts on a board."""
    known = computed is not None and (computed.value is not None or bool(computed.reason))
    if reported and counts_as_reported(computed=known, computable=computable, has_trajectory=has_trajectory):
        return reported
    return computed


def _results(tasks: list[Task], attempted: set[int], column: _Column) -> list[TaskResult]:
    """One metric by one scorer, task by task; distinguishes no score from no attempt."""
    return [
        TaskResult(
            task.task_id,
            tuple(category.slug for category in task.categories.all()),
            tuple(column.values.get(task.pk, (None,) if task.pk in attempted else ())),
        )
        for task in tasks
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
