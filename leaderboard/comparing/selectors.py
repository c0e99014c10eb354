"""What a comparison of entries shows, as somebody may see them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter

from django.db.models import Count, OuterRef, Prefetch, Q, Subquery, prefetch_related_objects

from leaderboard.attempts.withheld import shown_figures, shown_outcomes, shown_scores
from leaderboard.core.figures import Cell, counting_score
from leaderboard.core.permissions import Visitor, sees_as_draft, visible_entries
from leaderboard.domain.aggregates import task_value
from leaderboard.domain.entries import WITHDRAWN_OR_HIDDEN, EntryState
from leaderboard.domain.errors import Problem
from leaderboard.domain.paired import PairedDifference, paired_differences
from leaderboard.domain.scores import BOARD, MIXED, RECORDED, REPORTED, LandmarkStatus
from leaderboard.models import Attempt, Category, Entry, Figure, LandmarkOutcome, Score, Task, TaskSet
from leaderboard.scoring.contract import Metric, Scoring
from leaderboard.scoring.usage import recorded_value

FEWEST_ENTRIES, MOST_ENTRIES = 2, 6
MOST_OFFERED = 200
"""Entries that can be added from the page itself; all of a board can be from the board."""


class Order(StrEnum):
    """The order of tasks. DIFFICULTY: those first at which the entries shown did worst."""

    DIFFICULTY = "difficulty"
    NAME = "name"


class Show(StrEnum):
    """Which tasks are shown. A task is solved by an entry if one of its attempts is."""

    ALL = "all"
    DIFFER = "differ"
    ONE_SOLVED = "one-solved"
    ALL_SOLVED = "all-solved"
    NONE_SOLVED = "none-solved"


@dataclass(frozen=True, slots=True)
class CompareQuery:
    """What is asked of a comparison; ``metric`` is the key of one of the scoring's, empty for the leading."""

    metric: str = ""
    order: str = Order.DIFFICULTY
    show: str = Show.ALL


@dataclass(frozen=True, slots=True)
class Chosen:
    """The entries that were asked for, in that order, and why they can't be compared.

    ``missing`` are the slugs of those that are not there for who asks.
    """

    entries: list[Entry]
    missing: list[str]
    problems: list[Problem]

    @property
    def are_comparable(self) -> bool:
        return not self.problems and len(self.entries) >= FEWEST_ENTRIES


@dataclass(frozen=True, slots=True)
class Side:
    """One of the entries that are compared; ``name`` is the shortest that tells it from the others."""

    entry: Entry
    name: str
    draft: bool


@dataclass(frozen=True, slots=True)
class AttemptCell:
    """An attempt in the grid, as shown.

    Attributes:
        value: by the chosen metric; None without a score, for a ``reason`` if there is one.
        source: the scorer of the value, as of a figure; empty without one.
        solved: None if that is not known, or not shown.
        hits: how many of the task's ``landmarks`` it hit; None if none were looked for.
        finding: the class of its first finding, of an attempt that is not solved.
    """

    attempt: Attempt
    value: float | None
    source: str
    reason: str
    solved: bool | None
    hits: int | None
    landmarks: int
    finding: str


@dataclass(frozen=True, slots=True)
class TaskCell:
    """An entry's attempts at a task, and what they give together."""

    value: float | None
    attempts: list[AttemptCell]

    @property
    def source(self) -> str:
        """The source of its value, as of a figure; empty without one."""
        sources = {each.source for each in self.attempts if each.source}
        return MIXED if len(sources) > 1 else next(iter(sources), "")

    @property
    def solved(self) -> bool | None:
        """Whether one of its attempts solved the task; without one, it is not solved."""
        known = [each.solved for each in self.attempts]
        return True if True in known else None if None in known else False


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task with a cell for each entry."""

    task: Task
    cells: list[TaskCell]

    @property
    def values(self) -> list[float]:
        return [cell.value for cell in self.cells if cell.value is not None]

    @property
    def mean(self) -> float | None:
        """Over the entries that have a value."""
        return math.fsum(self.values) / len(self.values) if self.values else None

    def is_shown(self, show: str) -> bool:
        if show == Show.DIFFER:
            return len(set(self.values)) > 1
        solved = [cell.solved for cell in self.cells]
        # Where it is not known of one, nothing is said of all.
        wanted = {
            Show.ALL: True,
            Show.ONE_SOLVED: None not in solved and solved.count(True) == 1,
            Show.ALL_SOLVED: all(solved),
            Show.NONE_SOLVED: solved.count(False) == len(solved),
        }
        return wanted[Show(show)]


@dataclass(frozen=True, slots=True)
class ComparedEntries:
    """Entries of a task set against each other.

    ``groups`` has a cell for each entry: overall (None), then by category. ``rows`` are the tasks that
    ``query`` asks for, ``attempted`` is how many some entry attempted.
    """

    task_set: TaskSet
    query: CompareQuery
    metric: Metric
    sides: list[Side]
    groups: list[tuple[Category | None, list[Cell]]]
    differences: list[PairedDifference]
    rows: list[TaskRow]
    attempted: int

    @property
    def entries(self) -> list[Entry]:
        return [side.entry for side in self.sides]

    @property
    def related_by(self) -> str:
        """What related tasks share, in the plural."""
        groups = self.task_set.scoring.groups
        return groups.many if groups.are_open else "repositories"


def choose_entries(user: Visitor, slugs: Sequence[str]) -> Chosen:
    """The entries with these slugs that ``user`` may see; also by the slugs that they had as drafts.

    One query, or two where some are missing.
    """
    if len(slugs) > MOST_ENTRIES:
        reason = f"{len(slugs):,} entries are too many to compare"
        return Chosen([], [], [Problem("query", "$.e", reason, f"choose at most {MOST_ENTRIES}")])
    related = ("agent", "team", "task_set__benchmark")
    wanted = visible_entries(user).filter(Q(slug__in=slugs) | Q(draft_slug__in=slugs))
    found = wanted.select_related(*related) if slugs else ()
    by_slug = {entry.draft_slug: entry for entry in found} | {entry.slug: entry for entry in found}
    entries = list({by_slug[slug].pk: by_slug[slug] for slug in slugs if slug in by_slug}.values())
    missing = [slug for slug in slugs if slug not in by_slug]
    return Chosen(entries, missing, [*_not_there(missing), *_of_several_sets(entries)])


def _not_there(missing: Collection[str]) -> Iterable[Problem]:
    gone = Entry.objects.filter(slug__in=missing, state__in=WITHDRAWN_OR_HIDDEN) if missing else ()
    why = {entry.slug: f"the entry “{entry.slug}” was {entry.state}: {entry.state_reason}" for entry in gone}
    for slug in missing:
        yield Problem("query", "$.e", why.get(slug, f"there is no entry “{slug[:200]}”"), "leave it out")


def _of_several_sets(entries: Iterable[Entry]) -> Iterable[Problem]:
    by_set: dict[str, list[str]] = {}
    for entry in entries:
        by_set.setdefault(str(entry.task_set.key), []).append(str(entry.agent))
    if len(by_set) > 1:
        sets = "; ".join(f"{key}: {', '.join(names)}" for key, names in by_set.items())
        reason = f"only entries of one task set can be compared, and these are of {len(by_set)}: {sets}"
        yield Problem("query", "$.e", reason, "leave out those of other sets")


def entries_to_add(task_set: TaskSet, chosen: Iterable[Entry]) -> list[Entry]:
    """The first entries on a board that are not yet compared, by name. One query."""
    listed = Entry.objects.filter(task_set=task_set, state=EntryState.PUBLISHED, attempted__gt=0)
    others = listed.exclude(pk__in=[entry.pk for entry in chosen]).select_related("agent")
    return list(others.only("slug", "agent__name", "agent__model")[:MOST_OFFERED])


def compare_entries(entries: Sequence[Entry], query: CompareQuery, *, user: Visitor) -> ComparedEntries:
    """Compare entries of one task set. Five queries, and up to eight more for each draft."""
    task_set = entries[0].task_set
    scoring = task_set.scoring
    metric = scoring.by_key.get(query.metric, scoring.leading)
    sides = [
        Side(entry, name, sees_as_draft(user, entry))
        for entry, name in zip(entries, _names(entries), strict=True)
    ]
    rows = _task_rows(sides, metric, scoring)
    values = [
        {row.task.pk: value for row in rows if (value := row.cells[n].value) is not None}
        for n in range(len(sides))
    ]
    clusters = {row.task.pk: row.task.cluster(getattr(row.task, "open_group", None) or "") for row in rows}
    shown = [row for row in rows if row.is_shown(query.show)]
    if query.order == Order.DIFFICULTY:
        shown.sort(key=lambda row: _difficulty(row, metric))
    return ComparedEntries(
        task_set=task_set,
        query=query,
        metric=metric,
        sides=sides,
        groups=_groups(sides, metric, task_set),
        differences=paired_differences(values, clusters),
        rows=shown,
        attempted=len(rows),
    )


def _names(entries: Sequence[Entry]) -> list[str]:
    """Of each entry the shortest name that tells it from the others."""
    of_each = [
        (entry.agent.name, str(entry.agent), f"{entry.agent} (version {entry.version})", entry.slug)
        for entry in entries
    ]
    for names in zip(*of_each, strict=True):
        if len(set(names)) == len(names):
            return list(names)
    return [entry.slug for entry in entries]


def _difficulty(row: TaskRow, metric: Metric) -> tuple[bool, float]:
    mean = row.mean
    return (mean is None, 0.0 if mean is None else mean if metric.more_is_better else -mean)


def _groups(
    sides: Sequence[Side], metric: Metric, task_set: TaskSet
) -> list[tuple[Category | None, list[Cell]]]:
    stored = Figure.objects.filter(scorer=BOARD, metric=metric.key)
    prefetch_related_objects([side.entry for side in sides], Prefetch("figures", queryset=stored))
    by_side = [
        {figure.category: figure for figure in shown_figures(side.entry, draft=side.draft)} for side in sides
    ]
    # Those that the figures have are those of the set's tasks; what attempts used has none.
    known = Category.objects.filter(benchmark=task_set.benchmark)
    slugs = {slug for figures in by_side for slug in figures}
    groups: list[Category | None] = [None, *(group for group in known if group.slug in slugs)]
    return [
        (group, [Cell(metric, figures.get(group.slug if group else "")) for figures in by_side])
        for group in groups
    ]


def _task_rows(sides: Sequence[Side], metric: Metric, scoring: Scoring) -> list[TaskRow]:
    """A row for each task that some entry attempted, by its id. Three queries."""
    task_set = sides[0].entry.task_set
    fields = ("task_id", "title", "repository", "task_set", "landmarks", *scoring.task_fields)
    found_tasks = Task.objects.filter(task_set=task_set).only(*fields)
    if scoring.groups.are_open:
        # Groups that came with the tasks: what is masked in one paper has a copy of its code for each task.
        groups = Category.objects.filter(tasks=OuterRef("pk")).values("slug")[:1]
        found_tasks = found_tasks.annotate(open_group=Subquery(groups))
    # In the same order on every database, as clusters are drawn by it.
    tasks = {task.pk: task for task in sorted(found_tasks, key=attrgetter("task_id"))}
    computed = {pk: task.computed_metrics(scoring) for pk, task in tasks.items()}
    attempts = _attempts(sides, metric)
    for task in tasks.values():
        task.task_set = task_set
    for attempt in attempts:
        attempt.task = tasks[attempt.task_id]
    scores = _scores(attempts, sides, metric, scoring)
    drafts = {side.entry.pk for side in sides if side.draft}
    found: dict[tuple[int, int], list[AttemptCell]] = {}
    for attempt in attempts:
        by_key = {(score.scorer, score.metric): score for score in scores.get(attempt.pk, ())}
        draft = attempt.entry_id in drafts
        cell = _attempt_cell(attempt, by_key, metric, scoring, computed[attempt.task_id], draft=draft)
        found.setdefault((attempt.task_id, attempt.entry_id), []).append(cell)
    attempted = {pk for pk, _entry in found}
    return [
        TaskRow(task, [_task_cell(found.get((task.pk, side.entry.pk), []), metric) for side in sides])
        for task in tasks.values()
        if task.pk in attempted
    ]


def _attempts(sides: Sequence[Side], metric: Metric) -> list[Attempt]:
    """The attempts of all entries, with their landmarks' ``hits``."""
    of_attempt = LandmarkOutcome.objects.filter(attempt=OuterRef("pk"), status=LandmarkStatus.HIT).order_by()
    hits = of_attempt.values("attempt").annotate(n=Count("pk")).values("n")
    used = (metric.recorded,) if metric.recorded else ()
    return list(
        Attempt.objects.filter(entry__in=[side.entry.pk for side in sides])
        .only("entry_id", "task_id", "number", "has_trajectory", "ending", "finding", *used)
        .annotate(hits=Subquery(hits))
        .order_by("number", "pk")
    )


def _scores(
    attempts: Sequence[Attempt], sides: Sequence[Side], metric: Metric, scoring: Scoring
) -> dict[int, list[Score]]:
    """The scores of attempts that may count in the grid, by attempt; those of drafts as they are shown."""
    wanted = Score.objects.filter(
        scorer__in=(REPORTED, scoring.default_scorer),
        metric__in={metric.scored_as, scoring.decisive.key},
    )
    drafts = {side.entry.pk for side in sides if side.draft}
    whole = [side.entry.pk for side in sides if not side.draft]
    scores: dict[int, list[Score]] = {}
    # Not by a prefetch, which took as long as all the rest.
    for score in wanted.filter(attempt__entry__in=whole) if whole else ():
        scores.setdefault(score.attempt_id, []).append(score)
    of_drafts = [attempt for attempt in attempts if attempt.entry_id in drafts]
    prefetch_related_objects(of_drafts, Prefetch("scores", queryset=wanted), "landmark_outcomes")
    return scores | {attempt.pk: shown_scores(attempt, draft=True) for attempt in of_drafts}


def _attempt_cell(
    attempt: Attempt,
    scores: Mapping[tuple[str, str], Score],
    metric: Metric,
    scoring: Scoring,
    computed: Collection[str],
    *,
    draft: bool,
) -> AttemptCell:
    def counting(key: str) -> Score | None:
        return counting_score(
            scores.get((scoring.default_scorer, key)),
            scores.get((REPORTED, key)),
            computable=key in computed,
            has_trajectory=attempt.has_trajectory,
        )

    decisive = counting(scoring.decisive.key)
    solved = None
    if decisive and decisive.value is not None:
        solved = decisive.value == scoring.decisive.highest
    score = None if metric.recorded else counting(metric.scored_as)
    value = recorded_value(attempt, metric) if metric.recorded else score.value if score else None
    source = RECORDED if metric.recorded else score.scorer if score else ""
    return AttemptCell(
        attempt=attempt,
        value=value,
        source="" if value is None else source,
        reason=score.reason if score and value is None else "",
        solved=solved,
        hits=_hits(attempt, draft=draft),
        landmarks=len(attempt.task.landmarks),
        finding="" if solved else attempt.finding,
    )


def _hits(attempt: Attempt, *, draft: bool) -> int | None:
    if not attempt.has_trajectory or not attempt.task.landmarks:
        return None
    if draft:
        outcomes = shown_outcomes(attempt, draft=True).values()
        return sum(outcome.status == LandmarkStatus.HIT for outcome in outcomes)
    return getattr(attempt, "hits", None) or 0


def _task_cell(attempts: list[AttemptCell], metric: Metric) -> TaskCell:
    return TaskCell(task_value([each.value for each in attempts], metric.pass_at), attempts)
