"""Messages are lost or doubled, the database refuses, workers race: every job ends once."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from django.db import connection, transaction

from leaderboard.domain.jobs import JobState
from leaderboard.models import Worker
from leaderboard.runs.services import cancel_jobs
from tests.runs.scripted import (
    ENDLESS_CELL,
    check_all_finished_once,
    check_no_sandbox_is_left,
    scripted_run,
)
from tests.runs.workers import Workers, processes_with

LOCKED_SECONDS = 5


@contextmanager
def nobody_else_writes() -> Iterator[None]:
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("LOCK TABLE leaderboard_job, leaderboard_jobstep IN EXCLUSIVE MODE")
            yield
        return
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


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


def test_two_workers_that_race_for_a_job_make_one_attempt(workers: Workers) -> None:
    for _ in range(2):
        workers.start(RUNNER_SWEEP_SECONDS="600")
    workers.until(lambda: Worker.objects.count() == 2)
    run = scripted_run(workers.var, max_parallel=2)

    workers.broker.send(8)

    workers.until_ended(run)
    check_all_finished_once(run, takes={1})


REFUSING = {"sqlite": {"timeout": "1"}, "postgresql": {"options": "-c lock_timeout=1s"}}
"""Options of connections that wait for a lock for a second at the most."""


@pytest.mark.parametrize("refuses", [True, False], ids=["refuses", "waits"])
def test_a_database_that_takes_no_write_for_a_while_is_waited_for(
    local_workers: Workers, refuses: bool
) -> None:
    run = scripted_run(local_workers.var, "sleep 2")
    local_workers.start(database=REFUSING[connection.vendor] if refuses else None)
    local_workers.until_asleep(run)

    with nobody_else_writes():
        # What is tested is this time.
        time.sleep(LOCKED_SECONDS)

    local_workers.until_ended(run)
    check_all_finished_once(run, takes={1})


def test_a_worker_that_is_told_to_stop_finishes_what_it_has_begun(workers: Workers) -> None:
    run = scripted_run(workers.var, "sleep 2")
    worker = workers.start()
    job = workers.until_asleep(run)

    worker.terminate()

    assert worker.wait(timeout=60) == 0, workers.logs()
    job.refresh_from_db()
    assert (job.state, job.claim_number) == (JobState.FINISHED, 1)
    assert not Worker.objects.exists()


def test_a_cancellation_ends_a_running_cell_and_all_that_it_started(local_workers: Workers) -> None:
    run = scripted_run(local_workers.var, ENDLESS_CELL, sandbox="local")
    local_workers.start()
    local_workers.until_asleep(run)
    assert processes_with(str(local_workers.var / "sandboxes"))

    cancel_jobs(run)

    # The cell would go on for ten minutes.
    local_workers.until(lambda: run.jobs.filter(state=JobState.CANCELLED).count() == 2, seconds=15)
    check_no_sandbox_is_left(local_workers)
