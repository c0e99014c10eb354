"""Compute and store the figures of boards from scores, and what supports them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from operator import attrgetter
from typing import Any

from django.db import transaction

from leaderboard.domain.aggregates import TaskResult, aggregate
from leaderboard.domain.entries import RANKED, Evidence, Provenance, evidence_by, evidence_of
from leaderboard.domain.scores import BOARD, MIXED, RECORDED, REPORTED, counts_as_reported
from leaderboard.models import Attempt, Entry, Figure, Score, Task, TaskSet
from leaderboard.scoring.contract import Metric, Scoring, Unit
from leaderboard.scoring.values import percent


def figure_evidence(entry: Entry, scorer: str) -> Evidence:
    """What supports an entry's figures by a scorer."""
    return evidence_by(scorer, Evidence(entry.evidence), accepted=entry.accepted is not None)


def figure_json(figure: Figure, entry: Entry, metric: Metric) -> dict[str, Any]:
    """A figure of ``entry`` as plain data."""
    return {
        "value": figure.value,
        "percent": percent(figure.value) or None if metric.unit == Unit.SHARE else None,
        "tasks": figure.tasks,
        "scored": figure.scored,
        "attempts": figure.attempts,
        "mean_of_scored": figure.attempted,
        "source": figure.source,
        "version": figure.version,
        "evidence": figure_evidence(entry, figure.scorer),
        "stale": figure.stale,
    }


def metric_json(metric: Metric) -> dict[str, Any]:
    """What the API says of a metric."""
    return {
        "key": metric.key,
        "label": metric.label,
        "about": metric.about,
        "unit": metric.unit,
        "lowest": metric.lowest,
        "highest": metric.highest,
        "more_is_better": metric.more_is_better,
        "k": metric.pass_at or None,
    }


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table: a metric, and its figure or score if there is one."""

    metric: Metric
    row: Figure | Score | None

    @property
    def value(self) -> float | None:
        return self.row.value if self.row else None


def scorers_of(scoring: Scoring) -> tuple[str, ...]:
    """The name of every scorer, in the order of display."""
    return (REPORTED, *scoring.by_scorer)


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
    "attempts",
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
    fields = ("task_id", *task_set.scoring.task_fields)
    tasks = list(Task.objects.filter(task_set=task_set).only(*fields).prefetch_related("categories"))
    for entry in entries:
        _refresh_entry(task_set, entry, tasks)


@transaction.atomic
def _refresh_entry(task_set: TaskSet, entry: Entry, tasks: list[Task]) -> None:
    # The lock makes refreshes of one entry run one after another: otherwise one that read older scores could
    # overwrite newer figures. NO KEY, because a plain lock would wait for transactions that add an attempt.
    entry = Entry.objects.select_for_update(no_key=True).get(pk=entry.pk)
    used = [metric.recorded for metric in task_set.scoring.metrics if metric.recorded]
    read = Attempt.objects.filter(entry=entry).only("task_id", "has_trajectory", *used)
    attempts = list(read.order_by("number"))
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
    scoring = task_set.scoring
    columns = _columns(scoring, entry, attempts, tasks)
    attempted = {attempt.task_id for attempt in attempts}
    groups = {task.pk: tuple(category.slug for category in task.categories.all()) for task in tasks}
    members: dict[str, list[int]] = {"": list(groups)}
    for pk, slugs in groups.items():
        for slug in slugs:
            members.setdefault(slug, []).append(pk)
    figures: list[Figure] = []
    for metric in scoring.metrics:
        for scorer in (BOARD, *scorers_of(scoring)):
            column = columns[RECORDED if metric.recorded else scorer, metric.scored_as]
            results = _results(groups, attempted, column, grouped=not metric.recorded)
            for slug, cell in aggregate(results, k=metric.pass_at, failed=metric.worst).items():
                made_by, version = column.source_of(members[slug])
                default = made_by if scorer == BOARD else scorer
                figures.append(
                    Figure(
                        task_set=task_set if entry.is_published else None,
                        entry=entry,
                        scorer=scorer,
                        source=RECORDED if metric.recorded else default,
                        version=version,
                        ranked=figure_evidence(entry, scorer) in RANKED,
                        metric=metric.key,
                        category=slug,
                        stale=column.stale,
                        **asdict(cell),
                    )
                )
    return figures


def _columns(
    scoring: Scoring, entry: Entry, attempts: list[Attempt], tasks: list[Task]
) -> defaultdict[tuple[str, str], _Column]:
    """The scores of each scorer and metric; those of the scorer ``board`` are the ones that count.

    What an attempt used is under the scorer ``recorded``.
    """
    by_attempt: dict[int, dict[tuple[str, str], Score]] = defaultdict(dict)
    for score in Score.objects.filter(attempt__entry=entry):
        by_attempt[score.attempt_id][score.scorer, score.metric] = score
    computed = {task.pk: task.computed_metrics(scoring) for task in tasks}
    columns: defaultdict[tuple[str, str], _Column] = defaultdict(_Column)
    for attempt in attempts:
        scores = by_attempt[attempt.pk]
        for (scorer, metric), score in scores.items():
            columns[scorer, metric].add(attempt.task_id, score)
        for each in scoring.metrics:
            if each.recorded:
                columns[RECORDED, each.key].values[attempt.task_id].append(recorded_value(attempt, each))
                continue
            counting = counting_score(
                scores.get((scoring.default_scorer, each.key)),
                scores.get((REPORTED, each.key)),
                computable=each.key in computed.get(attempt.task_id, ()),
                has_trajectory=attempt.has_trajectory,
            )
            if counting:
                columns[BOARD, each.key].add(attempt.task_id, counting)
    return columns


def recorded_value(attempt: Attempt, metric: Metric) -> float | None:
    """What an attempt used, by a metric of `Metric.recorded`; None where its file does not tell."""
    value: float | None = getattr(attempt, metric.recorded)
    return value if attempt.has_trajectory else None


def counting_score(
    computed: Score | None, reported: Score | None, *, computable: bool, has_trajectory: bool
) -> Score | None:
    """Which of an attempt's two scores in a metric counts on a board."""
    known = computed is not None and (computed.value is not None or bool(computed.reason))
    if reported and counts_as_reported(computed=known, computable=computable, has_trajectory=has_trajectory):
        return reported
    return computed


def _results(
    groups: Mapping[int, tuple[str, ...]], attempted: set[int], column: _Column, *, grouped: bool
) -> list[TaskResult]:
    """One metric by one scorer, task by task; distinguishes no score from no attempt."""
    return [
        TaskResult(
            str(pk),
            slugs if grouped else (),
            tuple(column.values.get(pk, (None,) if pk in attempted else ())),
        )
        for pk, slugs in groups.items()
    ]


def _store(entry: Entry, figures: list[Figure]) -> None:
    """Write the figures that differ from the stored ones: most refreshes change few or none."""
    key, content = attrgetter(*KEY_FIELDS), attrgetter(*CONTENT_FIELDS)
    kept = {key(figure) for figure in figures}
    there = list(entry.figures.all())
    gone = [figure.pk for figure in there if key(figure) not in kept]
    if gone:
        entry.figures.filter(pk__in=gone).delete()
    stored = {key(figure): content(figure) for figure in there}
    Figure.objects.bulk_create(
        [figure for figure in figures if stored.get(key(figure)) != content(figure)],
        update_conflicts=True,
        unique_fields=KEY_FIELDS,
        update_fields=CONTENT_FIELDS,
    )
