"""A worker is killed in a trap, and another makes up for it."""

from __future__ import annotations

import signal

from leaderboard.domain.jobs import JobState
from leaderboard.models import Attempt, Run
from leaderboard.runs.services import cancel_jobs
from tests.runs.scripted import end_all_leases
from tests.runs.workers import Workers

CANCELLING = "while cancelling"
LEASE = "60"
"""Seconds. No test waits for them: leases of the dead are ended by hand."""


def die_and_be_made_up_for(workers: Workers, run: Run, trap: str, lease: str = LEASE) -> None:
    assert workers.start(trap, RUNNER_LEASE_SECONDS=lease).wait(timeout=60) == -signal.SIGKILL, workers.logs()
    end_all_leases()
    workers.start(RUNNER_LEASE_SECONDS=lease)
    workers.until_ended(run)


def die_cancelling(workers: Workers, run: Run) -> None:
    worker = workers.start(CANCELLING)
    job = workers.until_asleep(run)
    cancel_jobs(run)
    assert worker.wait(timeout=60) == -signal.SIGKILL, workers.logs()
    job.refresh_from_db()
    assert job.state == JobState.CANCELLING
    end_all_leases()
    workers.start()
    workers.until_ended(run)
    assert set(run.jobs.values_list("state", flat=True)) == {JobState.CANCELLED}
    assert not Attempt.objects.exists()
