"""Runs and units as their pages show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import Count, QuerySet
from django.utils import timezone

from leaderboard.domain.states import CLAIMED, TERMINAL, UnitState
from leaderboard.models import Run, Task, Unit, UnitStep, Worker

BUDGET = "budget"
TIMED_OUT = "landmarks_timed_out"
"""Where in a unit's environment its limits are."""
QUEUE_SHOWN = 50
"""Units of the queue that its page lists; the rest are counted."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run with the number of its units in each state."""

    run: Run
    states: dict[str, int]
    total: int

    @property
    def ended(self) -> bool:
        return all(UnitState(state) in TERMINAL for state in self.states)


@dataclass(frozen=True, slots=True)
class GridRow:
    """A task of a run, a unit a try."""

    task: Task
    units: list[Unit]


@dataclass(frozen=True, slots=True)
class Budget:
    """One limit of a unit; ``share`` of it is used, 0 where there is no limit."""

    name: str
    used: float
    limit: float | None

    @property
    def share(self) -> float:
        return min(1.0, self.used / self.limit) if self.limit else 0.0


@dataclass(frozen=True, slots=True)
class Queue:
    """What waits, in the order in which it was queued, and who works."""

    units: list[Unit]
    total: int
    workers: list[Worker]


def summarise(runs: Iterable[Run]) -> list[RunSummary]:
    """Each run with its units counted by state. One query for all of ``runs``."""
    runs = list(runs)
    counts: dict[int, Counter[str]] = {run.pk: Counter() for run in runs}
    rows = Unit.objects.filter(run__in=runs).order_by().values_list("run", "state").annotate(n=Count("pk"))
    for run_id, state, n in rows:
        counts[run_id][state] = n
    return [
        RunSummary(
            run,
            {state: counts[run.pk][state] for state in UnitState if counts[run.pk][state]},
            counts[run.pk].total(),
        )
        for run in runs
    ]


def read_queue() -> Queue:
    """The queue and the workers that are alive. Three queries."""
    queued = Unit.objects.filter(state=UnitState.QUEUED).order_by("queued", "pk")
    since = timezone.now() - timedelta(seconds=settings.RUNNER_LEASE_SECONDS)
    return Queue(
        units=list(queued.select_related("task", "run__entry__agent")[:QUEUE_SHOWN]),
        total=queued.count(),
        workers=list(Worker.objects.filter(seen__gte=since)),
    )


def run_grid(run: Run) -> list[GridRow]:
    """A run's units, a row a task. One query."""
    rows: dict[int, GridRow] = {}
    for unit in run.units.select_related("task").defer("live_output"):
        rows.setdefault(unit.task_id, GridRow(unit.task, [])).units.append(unit)
    return list(rows.values())


def steps_after(unit: Unit, take: int, number: int) -> QuerySet[UnitStep]:
    """The steps that a page which has seen up to ``number`` of ``take`` lacks, later takes included."""
    later_takes = unit.steps.filter(take__gt=take)
    return (unit.steps.filter(take=take, number__gt=number) | later_takes).order_by("take", "number")


def budgets(unit: Unit) -> list[Budget]:
    """What a unit has used of each limit, as far as its worker has told."""
    limits = unit.environment.get(BUDGET, {})
    return [Budget(name, unit.used.get(name) or 0, limit) for name, limit in limits.items()]


def hit_landmarks(unit: Unit) -> list[int]:
    """The numbers of the landmarks that the present take has hit so far. One query."""
    steps = unit.steps.filter(take=unit.take).values_list("landmarks", flat=True)
    return sorted({number for landmarks in steps for number in landmarks})


def timed_out_landmarks(unit: Unit) -> list[int]:
    """The numbers of those that are not looked for any more until the attempt is scored."""
    numbers: list[int] = unit.used.get(TIMED_OUT, [])
    return numbers


def is_live(unit: Unit) -> bool:
    """Whether something may still happen to a unit by itself: then its page asks again."""
    return unit.state == UnitState.QUEUED or UnitState(unit.state) in CLAIMED
