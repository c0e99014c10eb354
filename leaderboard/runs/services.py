"""What operators write: runs made, cancelled, retried, published."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from celery import current_app
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from leaderboard.core.audit import record_event
from leaderboard.core.leases import MAX_CLAIMS
from leaderboard.domain.budgets import BUDGETS
from leaderboard.domain.entries import RUN_HERE, EntryState
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.jobs import TERMINAL, JobState
from leaderboard.entries.names import check_name_is_free, check_names, free_slug, rename_entry
from leaderboard.entries.services import lock_entry, put_on_board
from leaderboard.models import Agent, Entry, Job, Run, Task, TaskSet

if TYPE_CHECKING:
    from django.contrib.auth.models import User


WORK_TASK = "runner.worker.tasks.work"
"""The Celery task that claims a job and executes it: known by name, since we must not import the runner."""
MAX_ATTEMPTS = 20
"""At one task in one run."""
MAX_PARALLEL = 32
"""Jobs of one run at the same time."""


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
    """Queue ``attempts`` jobs for each task, with a draft entry for their results, and wake workers up.

    Args:
        task_set: what the tasks belong to.
        tasks: what to run on; at least one.
        attempts: tries at each task, from 1 to ``MAX_ATTEMPTS``.
        agent: the agent's name in the runner's registry.
        scaffold: what the agent is called on a board.
        model: what its model is called on a board.
        settings: the agent's settings, without secrets.
        sandbox: ``docker`` or ``local``.
        limits: budgets that differ from the defaults.
        max_parallel: jobs that may run at the same time, from 1 to ``MAX_PARALLEL``.
        user: who asked for it; None for a command.

    Raises:
        InputError: no task, a number or a name that can't be, or that of an entry on the board; names it.
    """
    tasks = list(tasks)
    _check_there_is_work(tasks, attempts=attempts, max_parallel=max_parallel)
    check_names(scaffold, model)
    check_name_is_free(task_set, scaffold, model)
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
    jobs = _queue_jobs(run, tasks, attempts)
    record_event("create run", run, actor=user, agent=agent, jobs=jobs)
    wake_workers(min(max_parallel, jobs))
    return run


@transaction.atomic
def cancel_jobs(run: Run, jobs: Iterable[int] | None = None, *, user: User | None = None) -> int:
    """Cancel jobs of a run (all where None) that have not ended; returns how many.

    A queued one is cancelled at once. A running one is being cancelled until its worker has removed its
    sandbox.
    """
    chosen = _chosen(run, jobs)
    now = timezone.now()
    # Held fast: one that is claimed or given back between the two updates would be missed by both.
    list(chosen.select_for_update().order_by("pk").values_list("pk"))
    waiting = chosen.filter(state=JobState.QUEUED).update(state=JobState.CANCELLED, ended=now)
    running = chosen.filter(state=JobState.RUNNING).update(state=JobState.CANCELLING, phase="cancelling")
    if waiting or running:
        record_event("cancel jobs", run, actor=user, queued=waiting, running=running)
    return waiting + running


@transaction.atomic
def retry_jobs(
    run: Run,
    jobs: Iterable[int] | None = None,
    *,
    only_failed: bool = False,
    user: User | None = None,
) -> int:
    """Queue jobs again that failed of us or were cancelled (all of the run's where None); returns how many.

    Args:
        run: whose jobs.
        jobs: their keys; all of the run's where None.
        only_failed: leave the cancelled ones: retry infrastructure failures only.
        user: who asked for it.
    """
    states = {JobState.FAILED} if only_failed else {JobState.FAILED, JobState.CANCELLED}
    count = (
        _chosen(run, jobs)
        .filter(state__in=states)
        .update(state=JobState.QUEUED, claims_left=MAX_CLAIMS, queued=timezone.now(), reason="", ended=None)
    )
    if count:
        record_event("retry jobs", run, actor=user, jobs=count)
        wake_workers(min(run.max_parallel, count))
    return count


@transaction.atomic
def publish_run(
    run: Run,
    *,
    scaffold: str = "",
    model: str = "",
    without_unfinished: bool = False,
    user: User | None = None,
) -> Entry:
    """Put a run's results on the board; what is there already stays as it is.

    Args:
        run: whose results.
        scaffold: what the agent is called on the board; as when the run was made where empty.
        model: the same for its model.
        without_unfinished: leave out the jobs that failed of us or were cancelled. Their tasks then count as
            not attempted, which is a failure of ours and none of the agent's, so it must be asked for.
        user: who asked for it.

    Raises:
        InputError: jobs have not ended, or ended without a result; or another entry has the name.
    """
    entry = lock_entry(run.entry)
    if entry.is_open:
        return entry
    unfinished = _check_can_be_published(run, without_unfinished=without_unfinished)
    scaffold, model = scaffold or entry.agent.name, model or entry.agent.model
    check_names(scaffold, model)
    if (scaffold, model) != (entry.agent.name, entry.agent.model):
        rename_entry(entry, scaffold, model)
        # Nobody has seen a draft's address but operators, and they come by the run's.
        entry.slug = _slug(entry.task_set, scaffold, model)
        entry.save(update_fields=("slug",))
    put_on_board(entry, user=user)
    record_event("publish run", run, actor=user, unfinished=unfinished)
    return entry


@transaction.atomic
def set_run_public(run: Run, public: bool, *, user: User | None = None) -> None:
    """Let readers watch a run, or no longer."""
    Run.objects.filter(pk=run.pk).update(public=public)
    record_event("open run to readers" if public else "close run to readers", run, actor=user)


def wake_workers(count: int) -> None:
    """Send ``count`` wake-up calls when the transaction is through. Losing them costs the time to a sweep."""

    def send() -> None:
        for _call in range(count):
            current_app.send_task(WORK_TASK)

    # A broker that is down must not undo what the database has: the sweeper makes up for it.
    transaction.on_commit(send, robust=True)


def _check_there_is_work(tasks: list[Task], *, attempts: int, max_parallel: int) -> None:
    if not tasks:
        reason = "there is no task to run on"
        raise InputError(Problem("run", "tasks", reason, "pick at least one"))
    asked = (("attempts", attempts, MAX_ATTEMPTS), ("max_parallel", max_parallel, MAX_PARALLEL))
    for name, number, most in asked:
        if not 1 <= number <= most:
            reason = f"{number:,} is not a number from 1 to {most:,}"
            raise InputError(Problem("run", name, reason))


def _check_can_be_published(run: Run, *, without_unfinished: bool) -> int:
    """How many jobs of a run ended without a result, where it may be published nevertheless."""
    # Held fast: a retry must not begin in between.
    rows = run.jobs.select_for_update().order_by("pk").values_list("state", flat=True)
    states = Counter(JobState(state) for state in rows)
    unfinished = states[JobState.FAILED] + states[JobState.CANCELLED]
    if not TERMINAL.issuperset(states):
        raise _refusal(run, "some jobs have not ended yet", "wait for them or cancel them")
    if not states[JobState.FINISHED]:
        raise _refusal(run, "no job has finished", "there is nothing to publish")
    if unfinished and not without_unfinished:
        reason = f"{unfinished:,} of {states.total():,} jobs failed of us or were cancelled"
        raise _refusal(run, reason, "retry them, or publish without what did not finish")
    return unfinished


def _refusal(run: Run, reason: str, remedy: str) -> InputError:
    return InputError(Problem(f"run {run.pk}", "", reason, remedy))


def _draft_entry(task_set: TaskSet, scaffold: str, model: str) -> Entry:
    who, _ = Agent.objects.get_or_create(name=scaffold, model=model)
    return Entry.objects.create(
        agent=who,
        task_set=task_set,
        state=EntryState.DRAFT,
        slug=_slug(task_set, scaffold, model),
        source=RUN_HERE,
    )


def _slug(task_set: TaskSet, scaffold: str, model: str) -> str:
    return free_slug(f"{scaffold} {model} {task_set.slug} run")


def _queue_jobs(run: Run, tasks: list[Task], attempts: int) -> int:
    now = timezone.now()
    # All first tries before any second one: a board fills evenly.
    jobs = Job.objects.bulk_create(
        Job(run=run, task=task, number=number, queued=now, claims_left=MAX_CLAIMS)
        for number in range(1, attempts + 1)
        for task in tasks
    )
    return len(jobs)


def _limit(name: str, value: Any) -> float:
    if name not in BUDGETS:
        reason = "there is no such limit"
        remedy = f"limits: {', '.join(BUDGETS)}"
        raise InputError(Problem("limit", name, reason, remedy))
    kind = BUDGETS[name].number
    try:
        number: float = kind(value)
    except (ValueError, OverflowError):
        number = -1
    if not 0 <= number < math.inf:
        reason = (
            f"{value} is not a whole number from 0 on"
            if kind is int
            else f"{value} is not a number from 0 on"
        )
        raise InputError(Problem("limit", name, reason))
    return number


def _chosen(run: Run, jobs: Iterable[int] | None) -> QuerySet[Job]:
    return run.jobs.all() if jobs is None else run.jobs.filter(pk__in=list(jobs))
