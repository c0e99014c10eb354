"""What operators write: runs made, cancelled, retried, published."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from celery import current_app
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from leaderboard.budgets import BUDGETS
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.states import TERMINAL, UnitState
from leaderboard.models import Agent, Entry, Run, Task, TaskSet, Unit
from leaderboard.services.attempts import free_slug
from leaderboard.services.audit import record_event
from leaderboard.services.units import TAKES

if TYPE_CHECKING:
    from django.contrib.auth.models import User

WORK_TASK = "runner.tasks.work"
"""The Celery task that claims a unit and executes it: known by name, since we must not import the runner."""
MOST = 1000
"""Of attempts at a task, and of units at the same time."""


@transaction.atomic
def create_run(
    *,
    task_set: TaskSet,
    tasks: Iterable[Task],
    attempts: int,
    agent: str,
    scaffold: str,
    model: str,
    settings: Mapping[str, Any],
    sandbox: str,
    limits: Mapping[str, Any],
    max_parallel: int,
    user: User | None = None,
) -> Run:
    """Queue ``attempts`` units for each task, with a draft entry for their results, and wake workers up.

    Args:
        task_set: what the tasks belong to.
        tasks: what to run on; at least one.
        attempts: tries at each task, from 1.
        agent: the agent's name in the runner's registry.
        scaffold: what the agent is called on a board.
        model: what its model is called on a board.
        settings: the agent's settings, without secrets.
        sandbox: ``docker`` or ``local``.
        limits: budgets that differ from the defaults.
        max_parallel: units that may run at the same time.
        user: who asked for it; None for a command.

    Raises:
        InputError: there is no task to run on, or a number that can't be; names it.
    """
    tasks = list(tasks)
    _check_there_is_work(tasks, attempts=attempts, max_parallel=max_parallel)
    run = Run.objects.create(
        task_set=task_set,
        entry=_draft_entry(task_set, scaffold, model),
        agent=agent,
        agent_settings=dict(settings),
        sandbox=sandbox,
        limits={name: _limit(name, value) for name, value in limits.items()},
        max_parallel=max_parallel,
        created_by=user,
    )
    units = _queue_units(run, tasks, attempts)
    record_event("create run", run, agent=agent, units=units)
    wake_workers(min(max_parallel, units))
    return run


@transaction.atomic
def cancel_units(run: Run, units: Iterable[int] | None = None) -> int:
    """Cancel units of a run (all where None) that have not ended; returns how many.

    A queued one is cancelled at once. A running one is being cancelled until its worker has removed its
    sandbox.
    """
    chosen = _chosen(run, units)
    now = timezone.now()
    # Held fast: one that is claimed or given back between the two updates would be missed by both.
    list(chosen.select_for_update().order_by("pk").values_list("pk"))
    waiting = chosen.filter(state=UnitState.QUEUED).update(state=UnitState.CANCELLED, ended=now)
    running = chosen.filter(state=UnitState.RUNNING).update(state=UnitState.CANCELLING, phase="cancelling")
    if waiting or running:
        record_event("cancel units", run, queued=waiting, running=running)
    return waiting + running


@transaction.atomic
def retry_units(run: Run, units: Iterable[int] | None = None, *, only_failed: bool = False) -> int:
    """Queue units again that failed of us or were cancelled (all of the run's where None); returns how many.

    Args:
        run: whose units.
        units: their keys; all of the run's where None.
        only_failed: leave the cancelled ones: retry infrastructure failures only.
    """
    states = {UnitState.FAILED} if only_failed else {UnitState.FAILED, UnitState.CANCELLED}
    count = (
        _chosen(run, units)
        .filter(state__in=states)
        .update(state=UnitState.QUEUED, takes_left=TAKES, queued=timezone.now(), reason="", ended=None)
    )
    if count:
        record_event("retry units", run, units=count)
        wake_workers(min(run.max_parallel, count))
    return count


@transaction.atomic
def publish_run(run: Run) -> Entry:
    """Put a run's results on the board.

    Raises:
        InputError: units have not ended, nothing finished, or the agent has an entry on this set already.
    """
    entry = run.entry
    states = set(run.units.values_list("state", flat=True))
    if not states <= TERMINAL:
        raise InputError(
            Problem(str(run), "", "some units have not ended yet", "wait for them or cancel them")
        )
    if UnitState.FINISHED not in states:
        raise InputError(Problem(str(run), "", "no unit has finished", "there is nothing to publish"))
    taken = Entry.objects.filter(agent=entry.agent, task_set=entry.task_set, published=True).exclude(
        pk=entry.pk
    )
    if taken.exists():
        reason = f"{entry.agent} has an entry on this board already"
        raise InputError(Problem(str(run), "", reason, "run it again under another name or model name"))
    Entry.objects.filter(pk=entry.pk).update(published=True)
    entry.figures.update(task_set=entry.task_set)
    record_event("publish run", run)
    entry.refresh_from_db()
    return entry


@transaction.atomic
def set_run_public(run: Run, public: bool) -> None:
    """Let readers watch a run, or no longer."""
    Run.objects.filter(pk=run.pk).update(public=public)
    record_event("open run to readers" if public else "close run to readers", run)


def wake_workers(count: int) -> None:
    """Send ``count`` wake-up calls when the transaction is through. Losing them costs the time to a sweep."""

    def send() -> None:
        for _ in range(count):
            current_app.send_task(WORK_TASK)

    # A broker that is down must not undo what the database has: the sweeper makes up for it.
    transaction.on_commit(send, robust=True)


def _check_there_is_work(tasks: list[Task], **numbers: int) -> None:
    if not tasks:
        raise InputError(Problem("run", "tasks", "there is no task to run on", "pick at least one"))
    for name, number in numbers.items():
        if not 1 <= number <= MOST:
            raise InputError(Problem("run", name, f"{number} is not a number from 1 to {MOST}"))


def _draft_entry(task_set: TaskSet, scaffold: str, model: str) -> Entry:
    who, _ = Agent.objects.get_or_create(name=scaffold, model=model)
    return Entry.objects.create(
        agent=who,
        task_set=task_set,
        published=False,
        slug=free_slug(f"{scaffold} {model} {task_set.slug} run"),
        source="run here",
    )


def _queue_units(run: Run, tasks: list[Task], attempts: int) -> int:
    now = timezone.now()
    # All first tries before any second one: a board fills evenly.
    units = Unit.objects.bulk_create(
        Unit(run=run, task=task, number=number, queued=now, takes_left=TAKES)
        for number in range(1, attempts + 1)
        for task in tasks
    )
    return len(units)


def _limit(name: str, value: Any) -> float:
    if name not in BUDGETS:
        raise InputError(Problem("limit", name, "there is no such limit", f"limits: {', '.join(BUDGETS)}"))
    kind = BUDGETS[name].number
    try:
        number: float = kind(value)
    except (ValueError, OverflowError):
        number = -1
    if not 0 <= number < math.inf:
        wanted = "a whole number" if kind is int else "a number"
        raise InputError(Problem("limit", name, f"{value} is not {wanted} from 0 on"))
    return number


def _chosen(run: Run, units: Iterable[int] | None) -> QuerySet[Unit]:
    return run.units.all() if units is None else run.units.filter(pk__in=list(units))
