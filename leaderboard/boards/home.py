"""What the first page says before its board: the site in figures, and the boards with who leads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from django.db.models import (
    Case,
    CharField,
    Count,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from leaderboard.attempts.solved import is_solved
from leaderboard.boards.selectors import Board
from leaderboard.domain.entries import EntryState
from leaderboard.domain.scores import BOARD
from leaderboard.models import Agent, Attempt, Benchmark, Entry, Figure, TaskSet
from leaderboard.scoring.contract import Metric
from leaderboard.scoring.usage import STEPS

FEWEST_STEPS: Final = 8
"""Of an attempt that shows how agents work."""


@dataclass(frozen=True, slots=True)
class Card:
    """A board in brief, or a benchmark whose sets are levels.

    ``leader`` and ``value`` are those of its first rank; empty and None without one, and of levels.
    """

    benchmark: Benchmark
    name: str
    address: str
    metric: Metric
    tasks: int
    entries: int
    leader: str
    value: float | None


@dataclass(frozen=True, slots=True)
class Home:
    """The public site in figures, a card for each board with tasks, and an attempt to begin with."""

    tasks: int
    agents: int
    trajectories: int
    cards: list[Card]
    attempt: int | None


def read_home(task_sets: list[TaskSet], board: Board) -> Home:
    """What the first page shows beside ``board``. One query."""
    shown = [each for each in task_sets if each.task_count]  # type: ignore[attr-defined]  # of `all_task_sets`
    to_read = Subquery(_attempts_to_read(board).values("pk")[:1])
    rows = {row.pk: row for row in _with_leaders(shown).annotate(to_read=to_read)}
    first = next(iter(rows.values()), None)
    return Home(
        tasks=sum(each.task_count for each in shown),  # type: ignore[attr-defined]
        agents=first.agents if first else 0,
        trajectories=sum(row.trajectories for row in rows.values()),
        cards=list(_cards(shown, rows)),
        attempt=first.to_read if first else None,
    )


def _cards(task_sets: list[TaskSet], rows: Mapping[int, Any]) -> Iterator[Card]:
    for benchmark, group in groupby(task_sets, key=lambda each: each.benchmark):
        sets = list(group)
        leading = benchmark.scoring.leading
        if len(sets) > 1 and benchmark.scoring.layout.levels:
            tasks = sum(each.task_count for each in sets)  # type: ignore[attr-defined]
            entries = sum(rows[each.pk].entries_shown for each in sets)
            name = f"{len(sets)} levels"
            yield Card(benchmark, name, benchmark.get_absolute_url(), leading, tasks, entries, "", None)
            continue
        for each in sets:
            row = rows[each.pk]
            leader, value = (
                (row.leader_most, row.value_most)
                if leading.more_is_better
                else (row.leader_least, row.value_least)
            )
            counts = (each.task_count, row.entries_shown)  # type: ignore[attr-defined]
            yield Card(benchmark, each.name, each.get_absolute_url(), leading, *counts, leader or "", value)


def _with_leaders(task_sets: Iterable[TaskSet]) -> QuerySet[Any]:
    """Task sets with the number of their entries and trajectories, and the first of their ranks."""
    metrics = [When(pk=each.pk, then=Value(each.scoring.ranked_by)) for each in task_sets]
    published = Entry.objects.filter(state=EntryState.PUBLISHED)
    entries = published.filter(task_set=OuterRef("pk"), attempted__gt=0)
    # A trajectory has steps, and how many attempts have some is stored with their mean: fewer rows to read.
    steps = Figure.objects.filter(
        task_set=OuterRef("pk"),
        entry__state=EntryState.PUBLISHED,
        scorer=BOARD,
        metric=STEPS.key,
        category="",
    )
    trajectories = steps.order_by().values("task_set").annotate(n=Sum("attempts")).values("n")
    ranked = Figure.objects.filter(
        task_set=OuterRef("pk"),
        scorer=BOARD,
        metric=OuterRef("metric"),
        category="",
        ranked=True,
        value__isnull=False,
    )
    # The first of one is the leader where more is better, of the other where less is.
    most, least = ranked.order_by("-value", "entry"), ranked.order_by("value", "entry")
    return TaskSet.objects.filter(pk__in=[each.pk for each in task_sets]).annotate(
        metric=Case(*metrics, default=Value(""), output_field=CharField()),
        agents=Subquery(
            _number_of(Agent.objects.filter(pk__in=published.filter(attempted__gt=0).values("agent")))
        ),
        entries_shown=Coalesce(Subquery(_number_of(entries)), 0),
        trajectories=Coalesce(Subquery(trajectories), 0),
        leader_most=Subquery(most.values("entry__agent__name")[:1]),
        value_most=Subquery(most.values("value")[:1]),
        leader_least=Subquery(least.values("entry__agent__name")[:1]),
        value_least=Subquery(least.values("value")[:1]),
    )


def _number_of(rows: QuerySet[Any]) -> QuerySet[Any]:
    """The number of ``rows`` as a subquery."""
    counted: QuerySet[Any] = rows.order_by().annotate(all=Value(1)).values("all").annotate(n=Count("pk"))
    return counted.values("n")


def _attempts_to_read(board: Board) -> QuerySet[Attempt]:
    """Attempts that show a newcomer what a trajectory is, the best first: solved ones of few steps."""
    first = next(iter(board.ranked_rows), None)
    is_good = is_solved(board.task_set.scoring) & Q(step_count__gte=FEWEST_STEPS)
    attempts = Attempt.objects.filter(entry=first.entry if first else None, has_trajectory=True)
    return attempts.order_by(Case(When(is_good, then=0), default=1), "step_count", "pk")
