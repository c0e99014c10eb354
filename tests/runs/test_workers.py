"""Workers die, messages are lost or doubled, the database refuses: every unit ends once."""

from __future__ import annotations

import json
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from leaderboard.domain.states import UnitState
from leaderboard.models import Attempt, AttemptStep, Run, Score, UnitStep, Worker
from leaderboard.services.runs import cancel_units
from tests.cast import CET, PET
from tests.runs.cast import make_run
from tests.runs.traps import TRAPS
from tests.runs.workers import Workers, processes_with

STEPS = 3
LOCKED_SECONDS = 5
ENDLESS_CELL = """
import subprocess
print("asleep")
subprocess.run(["sleep", "600"], start_new_session=True)
"""


def scripted_run(var: Path, first_cell: str = "epoch 1", **options: Any) -> Run:
    """A run of two units, one after the other, by an agent that executes two cells and submits."""
    moves = [("execute", first_cell), ("execute", "loss 0.5"), ("submit", '{"loss": 0.5}')]
    script = {
        "scaffold": "Solver",
        "model": "script",
        "context_tokens": None,
        "cell_seconds": 1000,
        "tasks": {
            task: [
                {"thought": "On.", "action": {"type": kind, "content": content}} for kind, content in moves
            ]
            for task in ("pet", "cet")
        },
    }
    (var / "script.json").write_text(json.dumps(script))
    settings = {"script": str(var / "script.json")}
    asked = {"settings": settings, "sandbox": "fake", "max_parallel": 1, **options}
    return make_run(PET, CET, **asked)


def check_all_finished_once(run: Run, takes: set[int]) -> None:
    """Every unit has finished, with one attempt whose steps and scores are there once."""
    units = list(run.units.all())
    assert [unit.state for unit in units] == [UnitState.FINISHED] * len(units)
    assert {unit.take for unit in units} <= takes
    assert sorted(unit.attempt_id or 0 for unit in units) == sorted(
        Attempt.objects.values_list("pk", flat=True)
    )
    assert AttemptStep.objects.count() == STEPS * len(units)
    for unit in units:
        last_take = UnitStep.objects.filter(unit=unit, take=unit.take)
        assert list(last_take.values_list("number", flat=True)) == list(range(1, STEPS + 1))
    scores = list(Score.objects.values_list("attempt", "scorer", "metric"))
    assert len(scores) == len(set(scores)) > 0
    run.entry.refresh_from_db()
    assert run.entry.attempted == len(units)


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


def test_a_message_that_comes_three_times_makes_one_attempt(workers: Workers) -> None:
    # So that messages alone wake the worker, it looks around by itself when it starts and never again.
    workers.start(RUNNER_SWEEP_SECONDS="600")
    workers.until(Worker.objects.exists)
    run = scripted_run(workers.var)

    workers.broker.send(3)

    workers.until_ended(run)
    check_all_finished_once(run, takes={1})


def test_messages_that_get_lost_change_nothing(workers: Workers) -> None:
    run = scripted_run(workers.var, "sleep 2")
    workers.broker.send(3)
    workers.start()
    workers.until_asleep(run)

    workers.broker.empty()

    workers.until_ended(run)
    check_all_finished_once(run, takes={1})


def test_two_workers_that_race_for_a_unit_make_one_attempt(workers: Workers) -> None:
    for _ in range(2):
        workers.start(RUNNER_SWEEP_SECONDS="600")
    workers.until(lambda: Worker.objects.count() == 2)
    run = scripted_run(workers.var, max_parallel=2)

    workers.broker.send(8)

    workers.until_ended(run)
    check_all_finished_once(run, takes={1})


@pytest.mark.parametrize("patience", ["?timeout=1", ""], ids=["refuses", "waits"])
def test_a_database_that_takes_no_write_for_a_while_is_waited_for(
    local_workers: Workers, patience: str
) -> None:
    run = scripted_run(local_workers.var, "sleep 2")
    # With the lease of production: it outlasts what is waited for.
    local_workers.start(database=patience, RUNNER_LEASE_SECONDS="60")
    local_workers.until_asleep(run)

    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        # What is tested is this time, in which nobody can write.
        time.sleep(LOCKED_SECONDS)
        other.execute("ROLLBACK")

    local_workers.until_ended(run)
    check_all_finished_once(run, takes={1})


def test_a_worker_that_is_told_to_stop_finishes_what_it_has_begun(workers: Workers) -> None:
    run = scripted_run(workers.var, "sleep 2")
    worker = workers.start()
    unit = workers.until_asleep(run)

    worker.terminate()

    assert worker.wait(timeout=60) == 0, workers.logs()
    unit.refresh_from_db()
    assert (unit.state, unit.take) == (UnitState.FINISHED, 1)
    assert not Worker.objects.exists()


def test_a_cancellation_ends_a_running_cell_and_all_that_it_started(local_workers: Workers) -> None:
    run = scripted_run(local_workers.var, ENDLESS_CELL, sandbox="local")
    local_workers.start()
    local_workers.until_asleep(run)
    assert processes_with(str(local_workers.var / "sandboxes"))

    cancel_units(run)

    # The cell would go on for ten minutes.
    local_workers.until(lambda: run.units.filter(state=UnitState.CANCELLED).count() == 2, seconds=15)
    check_no_sandbox_is_left(local_workers)


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


def check_no_sandbox_is_left(workers: Workers) -> None:
    sandboxes = workers.var / "sandboxes"
    workers.until(lambda: not processes_with(str(sandboxes)))
    workers.until(lambda: not [*sandboxes.glob("*"), *(workers.var / "tmp").glob("kernel-*")])
