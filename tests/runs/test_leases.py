"""A lease is renewed or lost; whoever lost one writes nothing, and the job is taken up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leaderboard.core.leases import MAX_CLAIMS, LostLease
from leaderboard.domain.jobs import JobState
from leaderboard.models import AuditEvent, Job, Run
from leaderboard.runs.claims import (
    Claim,
    Swept,
    confirm_cancelled,
    job_state,
    note_progress,
    note_step,
    release_job,
    renew_lease,
    sweep,
)
from leaderboard.runs.services import cancel_jobs
from tests.cast import CET, PET, all_rows
from tests.runs.cast import claim, finish, job_of, let_the_lease_end, make_run

pytestmark = pytest.mark.django_db
WRITES: dict[str, Callable[[Claim], Any]] = {
    "renew": renew_lease,
    "state": job_state,
    "progress": lambda held: note_progress(held, phase="thinking"),
    "step": lambda held: note_step(held, number=1, html="", landmarks=[], used={}),
    "finish": finish,
    "give back": lambda held: release_job(held, "broken"),
    "confirm": confirm_cancelled,
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_worker_that_lost_its_lease_writes_nothing(write: Callable[[Claim], Any]) -> None:
    make_run(PET)
    lost = claim()
    let_the_lease_end(lost)
    sweep()
    claim("celery@there")
    before = all_rows()

    with pytest.raises(LostLease):
        write(lost)

    assert all_rows() == before


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_worker_that_lost_its_lease_to_nobody_writes_nothing_either(write: Callable[[Claim], Any]) -> None:
    make_run(PET)
    lost = claim()
    let_the_lease_end(lost)
    sweep()
    before = all_rows()

    with pytest.raises(LostLease):
        write(lost)

    assert all_rows() == before


def test_a_lease_is_renewed_and_the_worker_hears_of_a_cancellation() -> None:
    run = make_run(PET)
    held = claim()
    let_the_lease_end(held)
    assert renew_lease(held) is JobState.RUNNING
    assert sweep() == Swept(0, 0, 0)

    cancel_jobs(run)

    assert renew_lease(held) is JobState.CANCELLING
    assert job_state(held) is JobState.CANCELLING


def test_a_lost_job_is_queued_once_and_then_fails_with_the_reason() -> None:
    make_run(PET)
    let_the_lease_end(claim())
    assert sweep() == Swept(requeued=1, failed=0, cancelled=0)
    assert Job.objects.get().state == JobState.QUEUED

    let_the_lease_end(claim("celery@there"))

    assert sweep() == Swept(requeued=0, failed=1, cancelled=0)
    job = Job.objects.get()
    assert (job.state, job.claim_number) == (JobState.FAILED, MAX_CLAIMS)
    assert job.reason == "worker celery@there stopped answering in claim 2"
    assert AuditEvent.objects.filter(action="give up job").count() == 1


def test_a_lost_job_that_was_being_cancelled_is_cancelled() -> None:
    run = make_run(PET)
    held = claim()
    cancel_jobs(run)
    let_the_lease_end(held)

    assert sweep() == Swept(requeued=0, failed=0, cancelled=1)
    assert job_of(held).state == JobState.CANCELLED


def test_sweeping_again_changes_nothing() -> None:
    make_run(PET, CET)
    let_the_lease_end(claim())
    claim()
    sweep()
    before = all_rows()

    assert sweep() == Swept(0, 0, 0)
    assert all_rows() == before


def test_a_job_of_a_run_that_is_gone_is_lost() -> None:
    run = make_run(PET)
    held = claim()
    Run.objects.filter(pk=run.pk).delete()

    with pytest.raises(LostLease):
        renew_lease(held)
