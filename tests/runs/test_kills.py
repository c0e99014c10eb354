"""Workers are killed wherever it hurts: every unit ends once, and nothing stays behind."""

from __future__ import annotations

import signal

import pytest

from leaderboard.domain.states import UnitState
from leaderboard.models import Attempt
from leaderboard.services.runs import cancel_units
from tests.runs.scripted import (
    ENDLESS_CELL,
    check_all_finished_once,
    check_no_sandbox_is_left,
    scripted_run,
)
from tests.runs.traps import TRAPS
from tests.runs.workers import Workers, processes_with


@pytest.mark.parametrize("trap", [name for name in TRAPS if name != "while cancelling"])
def test_a_worker_killed_at_any_point_loses_nothing_and_doubles_nothing(workers: Workers, trap: str) -> None:
    run = scripted_run(workers.var)

    assert workers.start(trap).wait(timeout=60) == -signal.SIGKILL, workers.logs()
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
    workers.start()

    workers.until_ended(run)
    assert set(run.units.values_list("state", flat=True)) == {UnitState.CANCELLED}
    assert not Attempt.objects.exists()


def test_a_process_that_dies_alone_is_made_up_for_by_its_worker(workers: Workers) -> None:
    run = scripted_run(workers.var)
    workers.start("between steps", TRAP_KILLS="process")

    workers.until_ended(run)

    check_all_finished_once(run, takes={1, 2})


def test_neither_kernel_nor_folder_outlives_a_killed_worker(local_workers: Workers) -> None:
    run = scripted_run(local_workers.var, ENDLESS_CELL, sandbox="local")
    local_workers.start()
    first = local_workers.until_asleep(run)
    local_workers.kill()

    local_workers.start()
    local_workers.until(lambda: run.units.filter(pk=first.pk, take=2, state=UnitState.RUNNING).exists())
    local_workers.until(lambda: not processes_with(f"sandboxes/{first.pk}.1"))
    cancel_units(run)

    local_workers.until_ended(run)
    check_no_sandbox_is_left(local_workers)
