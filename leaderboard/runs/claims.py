"""What workers write. Every write names the take it holds; a worker that lost its lease writes nothing.

The row is the truth, and a message is only a wake-up call: whoever is woken claims what there is, and for a
call that got lost the sweeper makes up.
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
"""Queued jobs looked at in one claim; others have them if none of these can be had."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A job held by a worker, under the claim that fences its writes."""

    job_id: int
    number: int


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep did: numbers of jobs put back, given up, and seen to be cancelled."""

    requeued: int
    failed: int
    cancelled: int


@transaction.atomic
def claim_job(worker: str) -> Claim | None:
    """Take a queued job, or None where none can be had.

    Runs take turns: the one with the fewest jobs running comes first, then the job that waited longest. A
    run never has more than its ``max_parallel``.
    """
    for job in _candidates():
        # Two workers must not both take the last place of a run: they queue for its row, and count again.
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
    """Say that the worker lives, and hear where the job stands: running, or being cancelled.

    Raises:
        LostLease: the job is no longer this worker's.
    """
    JOBS.renew(claim.job_id, claim.number)
    return job_state(claim)


def job_state(claim: Claim) -> JobState:
    """Where the job stands, without a write.

    Raises:
        LostLease: the job is no longer this worker's.
    """
    state = _claimed(claim).values_list("state", flat=True).first()
    if state is None:
        raise LostLease(claim)
    return JobState(state)


def note_progress(claim: Claim, **changes: Any) -> None:
    """Store ``phase``, ``used``, ``live_output`` or ``environment`` for those who watch.

    Raises:
        LostLease: the job is no longer this worker's.
    """
    if "live_output" in changes:
        changes["live_output"] = storable(changes["live_output"])
    _write(claim, **changes)


@transaction.atomic
def note_step(claim: Claim, *, number: int, html: str, landmarks: list[int], used: dict[str, Any]) -> None:
    """Store a step that has happened; the same step again replaces it.

    Raises:
        LostLease: the job is no longer this worker's.
    """
    _write(claim, used=used, live_output="")
    JobStep.objects.update_or_create(
        job_id=claim.job_id,
        claim_number=claim.number,
        number=number,
        defaults={"html": html, "landmarks": landmarks},
    )


@transaction.atomic
def finish_job(claim: Claim, *, prepared: Prepared, digest: str, used: dict[str, Any]) -> None:
    """Record the attempt and end the job, both or neither.

    Raises:
        LostLease: the job is no longer this worker's.
    """
    _write(claim, state=JobState.FINISHED, phase="", reason="", used=used, live_output="", **_ended())
    job = Job.objects.select_related("run__entry__task_set", "task").get(pk=claim.job_id)
    record_attempt(entry=job.run.entry, task=job.task, number=job.number, digest=digest, prepared=prepared)
    job.attempt = job.run.entry.attempts.get(task=job.task, number=job.number)
    job.save(update_fields=("attempt",))
    refresh_figures(job.run.entry.task_set, [job.run.entry])


@transaction.atomic
def release_job(claim: Claim, reason: str, *, retry: bool = True) -> JobState:
    """End a claim that failed of us: queued again while takes are left, failed then. Returns what it became.

    Args:
        claim: the claim.
        reason: why, for the operator.
        again: whether another claim may help; a wrong key, say, fails every one.

    Raises:
        LostLease: the job is no longer this worker's.
    """
    # By its key: in the order of its task the task would be locked as well.
    job = _claimed(claim).select_for_update().order_by("pk").first()
    if job is None:
        raise LostLease(claim)
    return _end_claim(job, reason, retry=retry)


def confirm_cancelled(claim: Claim) -> None:
    """Say that the sandbox of a job that is being cancelled is gone.

    Raises:
        LostLease: the job is no longer this worker's, or nobody has cancelled it.
    """
    cancelled = _claimed(claim).filter(state=JobState.CANCELLING)
    if not cancelled.update(state=JobState.CANCELLED, phase="", live_output="", **_ended()):
        raise LostLease(claim)


@transaction.atomic
def sweep() -> Swept:
    """Take up what dead workers left: every claimed job whose lease has ended. Idempotent."""
    outcomes = []
    for job in JOBS.expired():
        reason = f"worker {job.worker} stopped answering in claim {job.claim_number:,}"
        outcomes.append(_end_claim(job, reason))
    return Swept(*(outcomes.count(state) for state in (JobState.QUEUED, JobState.FAILED, JobState.CANCELLED)))


def note_worker(name: str, notice: str = "") -> None:
    """Say that a worker lives, and why it takes no job where it does not."""
    Worker.objects.update_or_create(name=name, defaults={"seen": timezone.now(), "notice": storable(notice)})


def forget_worker(name: str) -> None:
    """Say that a worker has stopped, and was not lost."""
    Worker.objects.filter(name=name).delete()


def live_claims() -> set[Claim]:
    """Every claim that a worker holds: sandboxes of others are orphans."""
    held = Job.objects.filter(state__in=CLAIMED).values_list("pk", "claim_number")
    return {Claim(job_id, claim_number) for job_id, claim_number in held}


def claimable_jobs() -> int:
    """How many jobs wait whose run has room for them, as far as one look tells."""
    return len(_candidates())


def _candidates() -> list[Job]:
    running = Count("run__jobs", filter=Q(run__jobs__state__in=CLAIMED))
    queued = Job.objects.filter(state=JobState.QUEUED).annotate(running=running)
    return list(
        queued.filter(running__lt=F("run__max_parallel")).order_by("running", "queued", "pk")[:CANDIDATES]
    )


def _end_claim(job: Job, reason: str, *, retry: bool = True) -> JobState:
    """Move a claimed job on after a claim that did not come to an end."""
    if job.state == JobState.CANCELLING:
        wanted = JobState.CANCELLED
    else:
        wanted = JobState.QUEUED if job.claims_left and again else JobState.FAILED
    JOB_MACHINE.check(JobState(job.state), wanted)
    reason = storable(reason)
    Job.objects.filter(pk=job.pk, claim_number=job.claim_number, state=job.state).update(
        state=wanted, reason=reason, phase="", live_output="", **_ended()
    )
    if wanted is JobState.FAILED:
        record_event("give up job", job, reason=reason)
    return wanted


def _claimed(claim: Claim) -> QuerySet[Job]:
    return JOBS.held_row(claim.job_id, claim.number)


def _write(claim: Claim, **changes: Any) -> None:
    JOBS.write(claim.job_id, claim.number, **changes)


def _ended() -> dict[str, Any]:
    return {"lease_until": None, "ended": timezone.now()}
