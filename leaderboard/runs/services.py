"""What operators write: create, cancel, retry and publish runs."""

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
from leaderboard.domain.entries import EntryState, Provenance
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.jobs import TERMINAL, JobState
from leaderboard.entries.names import check_name_is_free, check_names, draft_slug, rename_entry
from leaderboard.entries.services import lock_entry, put_on_board
from leaderboard.models import Agent, Entry, Job, Run, Task, TaskSet

if TYPE_CHECKING:
    from django.contrib.auth.models import User


WORK_TASK = "runner.worker.tasks.work"
"""The Celery task that claims and executes a job, by name: the leaderboard must not import the runner."""
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
    """Queue ``attempts`` jobs for each task, with a draft entry for their results, and wake workers.

    ``agent`` is the name in the runner's registry, ``scaffold`` and ``model`` are the names on a board.
    ``settings`` are the agent's, without secrets. ``limits`` are the budgets that differ from the defaults.
    ``user`` is the operator; None for a command.

    Raises:
        InputError: there is no task, a value is invalid, or the name is taken; names the field.
    """
    tasks = list(tasks)
    most = task_set.benchmark.max_attempts
    _check_there_is_work(tasks, attempts=attempts, most=most, max_parallel=max_parallel)
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
    """Cancel those of the given jobs (None for all of the run) that have not ended; returns how many.

    A queued job is cancelled at once. A running job is cancelling until its worker has removed the sandbox.
    """
    chosen = _chosen(run, jobs)
    now = timezone.now()
    # Locked: both updates would miss a job that is claimed or queued again between them.
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
    """Queue those of the given jobs (None for all) again that had an infrastructure error or were cancelled.

    With ``only_failed``, only those that had an infrastructure error. Returns how many.
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
    """Put a run's results on the board. Idempotent. An empty ``scaffold`` or ``model`` changes no name.

    With ``without_unfinished`` the jobs that had an infrastructure error or were cancelled are left out.
    Their tasks count as not attempted, which is not the agent's fault, so the operator must ask for it.

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
    put_on_board(entry, user=user)
    record_event("publish run", run, actor=user, unfinished=unfinished)
    return entry


@transaction.atomic
def set_run_public(run: Run, public: bool, *, user: User | None = None) -> None:
    """Show a run to readers, or hide it from them."""
    Run.objects.filter(pk=run.pk).update(public=public)
    record_event("open run to readers" if public else "close run to readers", run, actor=user)


def wake_workers(count: int) -> None:
    """Send ``count`` messages on commit that wake workers. If one is lost, a job waits for the next sweep."""

    def send() -> None:
        for _message in range(count):
            current_app.send_task(WORK_TASK)

    # Robust: a broker that is down must not fail the request; the sweep sends the messages again.
    transaction.on_commit(send, robust=True)


def _check_there_is_work(tasks: list[Task], *, attempts: int, most: int, max_parallel: int) -> None:
    if not tasks:
        raise InputError(Problem("run", "tasks", "there is no task to run on", "choose at least one"))
    numbers = (("attempts", attempts, most), ("max_parallel", max_parallel, MAX_PARALLEL))
    for name, number, limit in numbers:
        if not 1 <= number <= limit:
            raise InputError(Problem("run", name, f"{number:,} is not a number from 1 to {limit:,}"))


def _check_can_be_published(run: Run, *, without_unfinished: bool) -> int:
    """Check that a run can be published; returns how many of its jobs ended without a result."""
    # Locked: a retry must not start meanwhile.
    rows = run.jobs.select_for_update().order_by("pk").values_list("state", flat=True)
    states = Counter(JobState(state) for state in rows)
    unfinished = states[JobState.FAILED] + states[JobState.CANCELLED]
    if not TERMINAL.issuperset(states):
        raise _run_error(run, "some jobs have not ended yet", "wait for them or cancel them")
    if not states[JobState.FINISHED]:
        raise _run_error(run, "no job has finished", "retry the jobs")
    if unfinished and not without_unfinished:
        reason = f"{unfinished:,} of {states.total():,} jobs had an infrastructure error or were cancelled"
        raise _run_error(run, reason, "retry them, or publish without them")
    return unfinished


def _run_error(run: Run, reason: str, remedy: str) -> InputError:
    return InputError(Problem(f"run {run.pk}", "", reason, remedy))


def _draft_entry(task_set: TaskSet, scaffold: str, model: str) -> Entry:
    named, _ = Agent.objects.get_or_create(name=scaffold, model=model)
    return Entry.objects.create(
        agent=named,
        task_set=task_set,
        state=EntryState.DRAFT,
        slug=draft_slug(),
        provenance=Provenance.RUN_HERE,
    )


def _queue_jobs(run: Run, tasks: list[Task], attempts: int) -> int:
    now = timezone.now()
    # All first attempts come before any second one, so that all tasks have a result early.
    jobs = Job.objects.bulk_create(
        Job(run=run, task=task, number=number, queued=now, claims_left=MAX_CLAIMS)
        for number in range(1, attempts + 1)
        for task in tasks
    )
    return len(jobs)


def _limit(name: str, value: Any) -> float:
    if name not in BUDGETS:
        raise InputError(Problem("limit", name, "there is no such limit", f"limits: {', '.join(BUDGETS)}"))
    kind = BUDGETS[name].number
    try:
        number: float = kind(value)
    except (ValueError, OverflowError):
        number = -1
    if not 0 <= number < math.inf:
        number_kind = "whole number" if kind is int else "number"
        raise InputError(Problem("limit", name, f"{value} is not a {number_kind} of at least 0"))
    return number


def _chosen(run: Run, jobs: Iterable[int] | None) -> QuerySet[Job]:
    return run.jobs.all() if jobs is None else run.jobs.filter(pk__in=list(jobs))
