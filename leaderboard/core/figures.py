"""Compute and store the figures of boards from scores, and what supports them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from operator import attrgetter
from typing import Any, Protocol, TypeVar

from django.conf import settings
from django.db import transaction

from leaderboard.domain.aggregates import TaskResult, aggregate, counted_value
from leaderboard.domain.entries import RANKED, Evidence, Provenance, evidence_by, evidence_of
from leaderboard.domain.intervals import figure_intervals
from leaderboard.domain.paired import by_cluster
from leaderboard.domain.scores import BOARD, MIXED, RECORDED, REPORTED, counts_as_reported
from leaderboard.domain.tiers import find_tiers
from leaderboard.models import Attempt, Entry, Figure, Score, Standing, Task, TaskSet
from leaderboard.scoring.contract import Metric, Scoring, Unit
from leaderboard.scoring.usage import recorded_value
from leaderboard.scoring.values import percent, value_text


def figure_evidence(entry: Entry, scorer: str) -> Evidence:
    """What supports an entry's figures by a scorer."""
    return evidence_by(scorer, Evidence(entry.evidence), accepted=entry.accepted is not None)


def figure_json(figure: Figure, entry: Entry, metric: Metric) -> dict[str, Any]:
    """A figure of ``entry`` as plain data."""
    return {
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
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


def tier_json(tier: Standing | None) -> dict[str, Any] | None:
    """The ranks that a figure can't be told apart from, as plain data."""
    return {"first": tier.first, "last": tier.last, "more_tasks": tier.more_tasks} if tier else None


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

    @property
    def text(self) -> str:
        """The value as pages show it; empty without one."""
        return value_text(self.value, self.metric.unit)

    @property
    def margin(self) -> str:
        """Half the width of a figure's interval, such as ``±10.7``; empty without one."""
        row = self.row
        if not isinstance(row, Figure) or row.low is None or row.high is None:
            return ""
        return f"±{value_text((row.high - row.low) / 2, self.metric.unit)}"


def scorers_of(scoring: Scoring) -> tuple[str, ...]:
    """The name of every scorer, in the order of display."""
    return (REPORTED, *scoring.by_scorer)


FEWEST_RANKED = 2
"""Entries of a board that there is something to tell apart of."""
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
    "low",
    "high",
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


def refresh_figures(task_set: TaskSet, entries: Iterable[Entry], *, standings: bool = True) -> None:
    """Recompute and store every figure and the evidence of ``entries``, which all belong to ``task_set``.

    Then the standings of its board, if one of them is on it; ``standings=False`` if none of the scores behind
    the ranks has changed. Idempotent. Deletes the figures of categories that were removed from the catalogue.
    """
    tasks = _tasks(task_set)
    published = [_refresh_entry(task_set, entry, tasks) for entry in entries]
    if standings and any(published):
        refresh_standings(task_set)


def _tasks(task_set: TaskSet) -> list[Task]:
    """In the same order on every database, as their clusters are drawn by it."""
    fields = ("task_id", "repository", *task_set.scoring.task_fields)
    tasks = Task.objects.filter(task_set=task_set).only(*fields).prefetch_related("categories")
    return sorted(tasks, key=attrgetter("task_id"))


def _clusters(tasks: Iterable[Task], scoring: Scoring) -> dict[int, str | int]:
    """Of each task what it shares with related ones."""
    groups = {task.pk: [group.slug for group in task.categories.all()] for task in tasks}
    return {
        task.pk: task.cluster(next(iter(groups[task.pk]), "") if scoring.groups.are_open else "")
        for task in tasks
    }


@transaction.atomic
def _refresh_entry(task_set: TaskSet, entry: Entry, tasks: list[Task]) -> bool:
    """Returns whether the entry is published."""
    # The lock makes refreshes of one entry run one after another: otherwise one that read older scores could
    # overwrite newer figures. NO KEY, because a plain lock would wait for transactions that add an attempt.
    entry = Entry.objects.select_for_update(no_key=True).get(pk=entry.pk)
    attempts = _attempts(task_set.scoring, entry)
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
    return entry.is_published


def _attempts(scoring: Scoring, entry: Entry) -> list[Attempt]:
    used = [metric.recorded for metric in scoring.metrics if metric.recorded]
    read = Attempt.objects.filter(entry=entry).only("task_id", "has_trajectory", *used)
    return list(read.order_by("number"))


def _figures(task_set: TaskSet, entry: Entry, attempts: list[Attempt], tasks: list[Task]) -> list[Figure]:
    scoring = task_set.scoring
    columns = _columns(scoring, entry, attempts, tasks, scoring.metrics)
    attempted = {attempt.task_id for attempt in attempts}
    groups = {task.pk: tuple(category.slug for category in task.categories.all()) for task in tasks}
    clusters = _clusters(tasks, scoring)
    members: dict[str, list[int]] = {"": list(groups)}
    for pk, slugs in groups.items():
        for slug in slugs:
            members.setdefault(slug, []).append(pk)
    figures: list[Figure] = []
    spread: list[list[list[float]]] = []
    shares: list[bool] = []
    for metric in scoring.metrics:
        for scorer in (BOARD, *scorers_of(scoring)):
            column = columns[RECORDED if metric.recorded else scorer, metric.scored_as]
            results = _results(groups, attempted, column, grouped=not metric.recorded)
            counted = _counted(results, metric)
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
                values = {pk: counted[pk] for pk in members[slug] if cell.scored and pk in counted}
                spread.append(by_cluster(values, clusters))
                shares.append(metric.unit == Unit.SHARE)
    for figure, interval in zip(figures, figure_intervals(spread, shares), strict=True):
        figure.low, figure.high = interval or (None, None)
    return figures


def _counted(results: Iterable[TaskResult], metric: Metric) -> dict[int, float]:
    """What each task counts as in the figure of ``metric``; without those that count as nothing."""
    found = {
        int(each.task_id): counted_value(each, k=metric.pass_at, failed=metric.worst) for each in results
    }
    return {pk: value for pk, value in found.items() if value is not None}


def _columns(
    scoring: Scoring,
    entry: Entry,
    attempts: list[Attempt],
    tasks: list[Task],
    metrics: Collection[Metric],
) -> defaultdict[tuple[str, str], _Column]:
    """The scores of each scorer in ``metrics``; those of the scorer ``board`` are the ones that count.

    What an attempt used is under the scorer ``recorded``.
    """
    by_attempt: dict[int, dict[tuple[str, str], Score]] = defaultdict(dict)
    keys = {metric.scored_as for metric in metrics}
    for score in Score.objects.filter(attempt__entry=entry, metric__in=keys):
        by_attempt[score.attempt_id][score.scorer, score.metric] = score
    computed = {task.pk: task.computed_metrics(scoring) for task in tasks}
    columns: defaultdict[tuple[str, str], _Column] = defaultdict(_Column)
    for attempt in attempts:
        scores = by_attempt[attempt.pk]
        for (scorer, metric), score in scores.items():
            columns[scorer, metric].add(attempt.task_id, score)
        for each in metrics:
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


class HasValue(Protocol):
    """A score, as a row or as a few of its columns."""

    @property
    def value(self) -> float | None: ...

    @property
    def reason(self) -> str: ...


Counted = TypeVar("Counted", bound=HasValue)


def counting_score(
    computed: Counted | None, reported: Counted | None, *, computable: bool, has_trajectory: bool
) -> Counted | None:
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


@transaction.atomic
def refresh_standings(task_set: TaskSet) -> None:
    """Recompute and store which ranks of a board can't be told apart, for each scorer. Idempotent.

    Of the first entries only, up to ``SUPERBOARD_TIER_ENTRIES``: every two of them are tested. Nothing may be
    locked after it in the same transaction, as it locks the board: refreshes run one after another.
    """
    TaskSet.objects.select_for_update(no_key=True, of=("self",)).get(pk=task_set.pk)
    figures = [_ranked_figures(task_set, scorer) for scorer in (BOARD, *scorers_of(task_set.scoring))]
    several = [each for each in figures if len(each) >= FEWEST_RANKED]
    standings = _standings(task_set, several) if several else []
    stored = Standing.objects.filter(figure__entry__task_set=task_set)
    there = {each.pk: (each.first, each.last, each.more_tasks) for each in stored}
    if gone := there.keys() - {each.pk for each in standings}:
        stored.filter(pk__in=gone).delete()
    Standing.objects.bulk_create(
        [each for each in standings if there.get(each.pk) != (each.first, each.last, each.more_tasks)],
        update_conflicts=True,
        unique_fields=("figure",),
        update_fields=("first", "last", "more_tasks"),
    )


def _ranked_figures(task_set: TaskSet, scorer: str) -> list[Figure]:
    """The first of a board by rank, one more than are tested."""
    leading = task_set.scoring.leading
    ranked = Figure.objects.filter(
        task_set=task_set,
        scorer=scorer,
        metric=leading.key,
        category="",
        ranked=True,
        value__isnull=False,
    )
    best_first = "-value" if leading.more_is_better else "value"
    ordered = ranked.select_related("entry").order_by(best_first, "entry")
    return list(ordered[: settings.SUPERBOARD_TIER_ENTRIES + 1])


def _standings(task_set: TaskSet, boards: Iterable[list[Figure]]) -> list[Standing]:
    tasks = _tasks(task_set)
    values = _LeadingValues(task_set, tasks)
    clusters = _clusters(tasks, task_set.scoring)
    standings = []
    for figures in boards:
        tested = figures[: settings.SUPERBOARD_TIER_ENTRIES]
        in_order = [figure.value for figure in tested]
        tiers = find_tiers(
            [values.of(figure.entry, figure.scorer) for figure in tested],
            [in_order.index(value) + 1 for value in in_order],
            clusters,
            more_below=len(figures) > len(tested),
        )
        both = zip(tested, tiers, strict=True)
        standings += [Standing(figure=figure, **asdict(tier)) for figure, tier in both]
    return standings


class _LeadingValues:
    """What each task counts as in an entry's figure of the leading metric; an entry is read once."""

    def __init__(self, task_set: TaskSet, tasks: list[Task]) -> None:
        self._scoring, self._tasks = task_set.scoring, tasks
        self._groups: dict[int, tuple[str, ...]] = dict.fromkeys((task.pk for task in tasks), ())
        self._read: dict[int, tuple[set[int], defaultdict[tuple[str, str], _Column]]] = {}

    def of(self, entry: Entry, scorer: str) -> dict[int, float]:
        metric = self._scoring.leading
        if entry.pk not in self._read:
            attempts = _attempts(self._scoring, entry)
            columns = _columns(self._scoring, entry, attempts, self._tasks, (metric,))
            self._read[entry.pk] = {attempt.task_id for attempt in attempts}, columns
        attempted, columns = self._read[entry.pk]
        column = columns[RECORDED if metric.recorded else scorer, metric.scored_as]
        return _counted(_results(self._groups, attempted, column, grouped=False), metric)


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
