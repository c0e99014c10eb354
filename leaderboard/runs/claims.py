"""What workers write about jobs. Every write checks the claim: a worker that lost its lease writes nothing.

Every function with a ``claim`` raises `LostLease` if its worker no longer holds the job.

The database row is authoritative; a Celery message only wakes a worker, which then claims any queued job. The
periodic sweep replaces lost messages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from leaderboard.attempts.services import record_attempt
from leaderboard.core.audit import record_event
from leaderboard.core.figures import refresh_figures
from leaderboard.core.leases import LeasedTable, LostLease
from leaderboard.domain.jobs import CLAIMED, JOB_MACHINE, JobState
from leaderboard.domain.text import storable
from leaderboard.models import Job, JobStep, Run, Worker
from leaderboard.pipeline import Prepared

JOBS = LeasedTable(Job.objects, CLAIMED)
CANDIDATES = 20
"""Queued jobs that one claim tries; if it gets none of them, other workers have claimed them."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A job that a worker has claimed, with the number of the claim that its writes must match."""

    job_id: int
    number: int


@dataclass(frozen=True, slots=True)
class Swept:
    """The result of a sweep: how many jobs were queued again, failed, and cancelled."""

    requeued: int
    failed: int
    cancelled: int


@transaction.atomic
def claim_job(worker: str) -> Claim | None:
    """Claim a queued job; None if there is none.

    The run with the fewest running jobs comes first, and within it the job that has waited longest. A run
    never has more than ``max_parallel`` running jobs.
    """
    for job in _candidates():
        # Two workers must not both take the last free place of a run: lock it, then count again.
        run = Run.objects.select_for_update().get(pk=job.run_id)
        if run.jobs.filter(state__in=CLAIMED).count() >= run.max_parallel:
            continue
        claim_number = JOBS.claim(
            job,
            state=JobState.RUNNING,
            worker=worker,
            phase="starting",
            started=timezone.now(),
            ended=None,
            live_output="",
            used={},
        )
        if claim_number:
            return Claim(job.pk, claim_number)
    return None


def renew_lease(claim: Claim) -> JobState:
    """Extend the lease; returns the job's state, running or cancelling."""
    JOBS.renew(claim.job_id, claim.number)
    return job_state(claim)


def job_state(claim: Claim) -> JobState:
    """The job's state. Writes nothing."""
    state = _claimed(claim).values_list("state", flat=True).first()
    if state is None:
        raise LostLease(claim)
    return JobState(state)


def note_progress(claim: Claim, **changes: Any) -> None:
    """Store ``phase``, ``used``, ``live_output`` or ``environment`` for the job's page."""
    if "live_output" in changes:
        changes["live_output"] = storable(changes["live_output"])
    _write(claim, **changes)


@transaction.atomic
def note_step(claim: Claim, *, number: int, html: str, landmarks: list[int], used: dict[str, Any]) -> None:
    """Store a finished step; replaces a stored step of the same number."""
    _write(claim, used=used, live_output="")
    JobStep.objects.update_or_create(
        job_id=claim.job_id,
        claim_number=claim.number,
        number=number,
        defaults={"html": html, "landmarks": landmarks},
    )


@transaction.atomic
def finish_job(claim: Claim, *, prepared: Prepared, digest: str, used: dict[str, Any]) -> None:
    """Store the attempt and finish the job, in one transaction."""
    _write(claim, state=JobState.FINISHED, phase="", reason="", used=used, live_output="", **_end_fields())
    job = Job.objects.select_related("run__entry__task_set", "task").get(pk=claim.job_id)
    record_attempt(entry=job.run.entry, task=job.task, number=job.number, digest=digest, prepared=prepared)
    job.attempt = job.run.entry.attempts.get(task=job.task, number=job.number)
    job.save(update_fields=("attempt",))
    refresh_figures(job.run.entry.task_set, [job.run.entry])


@transaction.atomic
def release_job(claim: Claim, reason: str, *, retry: bool = True) -> JobState:
    """End a claim after an infrastructure error: the job is queued again, or failed. Returns its state.

    It fails where no claim is left, and without ``retry``: a wrong API key, for example, needs none.
    """
    return _end_claim(JOBS.lock(claim.job_id, claim.number), reason, retry=retry)


def confirm_cancelled(claim: Claim) -> None:
    """Mark a cancelling job as cancelled, after its sandbox was removed.

    Raises:
        LostLease: the worker no longer holds the job, or it is not being cancelled.
    """
    cancelled = _claimed(claim).filter(state=JobState.CANCELLING)
    if not cancelled.update(state=JobState.CANCELLED, phase="", live_output="", **_end_fields()):
        raise LostLease(claim)


@transaction.atomic
def sweep() -> Swept:
    """End the claims of dead workers: of every claimed job whose lease has expired. Idempotent."""
    outcomes = []
    for job in JOBS.expired():
        reason = f"worker {job.worker} stopped answering in claim {job.claim_number:,}"
        outcomes.append(_end_claim(job, reason))
    return Swept(*(outcomes.count(state) for state in (JobState.QUEUED, JobState.FAILED, JobState.CANCELLED)))


def note_worker(name: str, notice: str = "") -> None:
    """Store a worker's heartbeat, and in ``notice`` why it takes no jobs, if so."""
    Worker.objects.update_or_create(name=name, defaults={"seen": timezone.now(), "notice": storable(notice)})


def forget_worker(name: str) -> None:
    """Remove a worker that has stopped normally."""
    Worker.objects.filter(name=name).delete()


def live_claims() -> set[Claim]:
    """Every current claim: sandboxes of other claims are orphans."""
    held = Job.objects.filter(state__in=CLAIMED).values_list("pk", "claim_number")
    return {Claim(job_id, claim_number) for job_id, claim_number in held}


def claimable_jobs() -> int:
    """How many queued jobs could be claimed now, at most ``CANDIDATES``."""
    return len(_candidates())


def _candidates() -> list[Job]:
    running = Count("run__jobs", filter=Q(run__jobs__state__in=CLAIMED))
    queued = Job.objects.filter(state=JobState.QUEUED).annotate(running=running)
    return list(
        queued.filter(running__lt=F("run__max_parallel")).order_by("running", "queued", "pk")[:CANDIDATES]
    )


def _end_claim(job: Job, reason: str, *, retry: bool = True) -> JobState:
    """Change the state of a job whose claim ended without a result; returns the new state."""
    if job.state == JobState.CANCELLING:
        wanted = JobState.CANCELLED
    else:
        wanted = JobState.QUEUED if job.claims_left and retry else JobState.FAILED
    JOB_MACHINE.check(JobState(job.state), wanted)
    reason = storable(reason)
    JOBS.write(
        job.pk, job.claim_number, state=wanted, reason=reason, phase="", live_output="", **_end_fields()
    )
    if wanted is JobState.FAILED:
        record_event("give up job", job, reason=reason)
    return wanted


def _claimed(claim: Claim) -> QuerySet[Job]:
    return JOBS.held_row(claim.job_id, claim.number)


def _write(claim: Claim, **changes: Any) -> None:
    JOBS.write(claim.job_id, claim.number, **changes)


def _end_fields() -> dict[str, Any]:
    return {"lease_until": None, "ended": timezone.now()}
