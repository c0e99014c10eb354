"""Reads for the pages of runs and jobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from leaderboard.core.workers import live_workers
from leaderboard.domain.jobs import TERMINAL, JobState
from leaderboard.models import Job, JobStep, Run, Task, Worker

BUDGET = "budget"
"""The key of the limits in a job's ``environment``."""
TIMED_OUT = "landmarks_timed_out"
"""The key in a job's ``used``."""
QUEUE_SHOWN = 50
"""Jobs of the queue that its page lists; the rest are counted."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run with the number of its jobs in each state."""

    run: Run
    states: dict[str, int]
    total: int

    @property
    def ended(self) -> bool:
        return all(JobState(state) in TERMINAL for state in self.states)


@dataclass(frozen=True, slots=True)
class GridRow:
    """A task of a run, with a job for each try."""

    task: Task
    jobs: list[Job]


@dataclass(frozen=True, slots=True)
class Budget:
    """One limit of a job; ``share`` is the used fraction, 0 without a limit."""

    name: str
    used: float
    limit: float | None

    @property
    def share(self) -> float:
        return min(1.0, self.used / self.limit) if self.limit else 0.0


@dataclass(frozen=True, slots=True)
class JobQueue:
    """The queued jobs, oldest first, and the live workers."""

    jobs: list[Job]
    total: int
    workers: list[Worker]


def summarise(runs: Iterable[Run]) -> list[RunSummary]:
    """Each run with its jobs counted by state. One query for all of ``runs``."""
    runs = list(runs)
    counts: dict[int, Counter[str]] = {run.pk: Counter() for run in runs}
    rows = Job.objects.filter(run__in=runs).order_by().values_list("run", "state").annotate(n=Count("pk"))
    for run_id, state, n in rows:
        counts[run_id][state] = n
    return [
        RunSummary(
            run,
            {state: counts[run.pk][state] for state in JobState if counts[run.pk][state]},
            counts[run.pk].total(),
        )
        for run in runs
    ]


def read_job_queue() -> JobQueue:
    """The queue, and the workers with a recent heartbeat. Three queries."""
    queued = Job.objects.filter(state=JobState.QUEUED).order_by("queued", "pk")
    return JobQueue(
        jobs=list(queued.select_related("task", "run__entry__agent")[:QUEUE_SHOWN]),
        total=queued.count(),
        workers=list(live_workers()),
    )


def run_grid(run: Run) -> list[GridRow]:
    """A run's jobs, in a row for each task. One query."""
    rows: dict[int, GridRow] = {}
    for job in run.jobs.select_related("task").defer("live_output"):
        rows.setdefault(job.task_id, GridRow(job.task, [])).jobs.append(job)
    return list(rows.values())


def steps_after(job: Job, claim_number: int, number: int) -> QuerySet[JobStep]:
    """The steps that a polling page lacks: those after step ``number`` of a claim, and of later claims."""
    later_claims = job.steps.filter(claim_number__gt=claim_number)
    return (job.steps.filter(claim_number=claim_number, number__gt=number) | later_claims).order_by(
        "claim_number", "number"
    )


def budgets(job: Job) -> list[Budget]:
    """What a job has used of each limit, as its worker last reported."""
    limits = job.environment.get(BUDGET, {})
    return [Budget(name, job.used.get(name) or 0, limit) for name, limit in limits.items()]


def hit_landmarks(job: Job) -> list[int]:
    """The numbers of the landmarks that the current claim has hit so far. One query."""
    steps = job.steps.filter(claim_number=job.claim_number).values_list("landmarks", flat=True)
    return sorted({number for landmarks in steps for number in landmarks})


def timed_out_landmarks(job: Job) -> list[int]:
    """The numbers of the landmarks that timed out: they are not checked again before the final scoring."""
    return list(job.used.get(TIMED_OUT, []))
