"""A worker is killed in a trap, and another makes up for it."""

from __future__ import annotations

import signal

from leaderboard.domain.states import UnitState
from leaderboard.models import Attempt, Run
from leaderboard.services.runs import cancel_units
from tests.runs.scripted import end_all_leases
from tests.runs.workers import Workers

CANCELLING = "while cancelling"
LEASE = "5"
"""Seconds: after it, what a dead worker left on the engine is removed."""


def die_and_be_made_up_for(workers: Workers, run: Run, trap: str) -> None:
    assert workers.start(trap, RUNNER_LEASE_SECONDS=LEASE).wait(timeout=60) == -signal.SIGKILL, workers.logs()
    end_all_leases()
    workers.start(RUNNER_LEASE_SECONDS=LEASE)
    workers.until_ended(run)


def die_cancelling(workers: Workers, run: Run) -> None:
    worker = workers.start(CANCELLING, RUNNER_LEASE_SECONDS=LEASE)
    unit = workers.until_asleep(run)
    cancel_units(run)
    assert worker.wait(timeout=60) == -signal.SIGKILL, workers.logs()
    unit.refresh_from_db()
    assert unit.state == UnitState.CANCELLING
    end_all_leases()
    workers.start(RUNNER_LEASE_SECONDS=LEASE)
    workers.until_ended(run)
    assert set(run.units.values_list("state", flat=True)) == {UnitState.CANCELLED}
    assert not Attempt.objects.exists()
