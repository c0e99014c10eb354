"""Workers are killed wherever it hurts: every unit ends once."""

from __future__ import annotations

import signal

import pytest

from leaderboard.domain.states import UnitState
from leaderboard.models import Attempt
from leaderboard.services.runs import cancel_units
from tests.runs.scripted import check_all_finished_once, end_all_leases, scripted_run
from tests.runs.traps import TRAPS
from tests.runs.workers import Workers


@pytest.mark.parametrize("trap", [name for name in TRAPS if name != "while cancelling"])
def test_a_worker_killed_at_any_point_loses_nothing_and_doubles_nothing(workers: Workers, trap: str) -> None:
    run = scripted_run(workers.var)

    assert workers.start(trap).wait(timeout=60) == -signal.SIGKILL, workers.logs()
    end_all_leases()
    workers.start()

    workers.until_ended(run)
    check_all_finished_once(run, takes={1, 2})


def test_a_worker_killed_while_it_cancels_leaves_the_unit_cancelled(workers: Workers) -> None:
    run = scripted_run(workers.var, "sleep 600")
    worker = workers.start("while cancelling")
    unit = workers.until_asleep(run)

    cancel_units(run)
    assert worker.wait(timeout=60) == -signal.SIGKILL, workers.logs()
    unit.refresh_from_db()
    assert unit.state == UnitState.CANCELLING
    end_all_leases()
    workers.start()

    workers.until_ended(run)
    assert set(run.units.values_list("state", flat=True)) == {UnitState.CANCELLED}
    assert not Attempt.objects.exists()
