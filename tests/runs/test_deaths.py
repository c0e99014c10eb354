"""Parts of workers die, or come back from the dead: every job ends once, and nothing stays behind."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from leaderboard.domain.jobs import JobState
from leaderboard.runs.services import cancel_jobs
from runner.sandbox.engine import JOB, OWNER
from tests.runs.scripted import (
    ENDLESS_CELL,
    check_all_finished_once,
    check_no_sandbox_is_left,
    end_all_leases,
    scripted_run,
)
from tests.runs.workers import Workers, processes_with

LEASE = "5"
"""Seconds: here a lease ends by itself."""


def test_what_a_worker_leaves_that_dies_alone_is_made_up_for_by_another(workers: Workers) -> None:
    run = scripted_run(workers.var)
    worker = workers.start("between steps", alone=True, RUNNER_LEASE_SECONDS=LEASE)
    workers.until(lambda: worker.poll() is not None)

    workers.start(RUNNER_LEASE_SECONDS=LEASE)

    workers.until_ended(run)

    check_all_finished_once(run, takes={1, 2})


def test_a_worker_whose_main_process_dies_alone_leaves_nothing_undone(local_workers: Workers) -> None:
    run = scripted_run(local_workers.var, "sleep 2")
    worker = local_workers.start(RUNNER_LEASE_SECONDS=LEASE)
    local_workers.until_asleep(run)
    worker.kill()
    worker.wait()

    local_workers.start()

    local_workers.until_ended(run)
    check_all_finished_once(run, takes={1, 2})


def test_a_worker_that_was_thought_dead_writes_nothing_when_it_comes_back(local_workers: Workers) -> None:
    run = scripted_run(local_workers.var, "sleep 2")
    frozen = local_workers.start(RUNNER_LEASE_SECONDS=LEASE)
    job = local_workers.until_asleep(run)
    os.killpg(frozen.pid, signal.SIGSTOP)
    local_workers.start()
    local_workers.until_ended(run)

    os.killpg(frozen.pid, signal.SIGCONT)

    local_workers.until(lambda: f"job {job.pk}, claim 1: claimed by another worker" in local_workers.logs())
    check_all_finished_once(run, takes={1, 2})


@pytest.mark.docker
def test_no_container_outlives_a_killed_worker(docker_workers: Workers, engine: Any) -> None:
    run = scripted_run(docker_workers.var, ENDLESS_CELL, sandbox="docker")
    docker_workers.start(RUNNER_LEASE_SECONDS=LEASE)
    first = docker_workers.until_asleep(run)
    assert containers(engine, docker_workers.var) == [f"{first.pk}.1"]
    docker_workers.kill()
    end_all_leases()

    docker_workers.start(RUNNER_LEASE_SECONDS=LEASE)
    docker_workers.until(lambda: containers(engine, docker_workers.var) == [f"{first.pk}.2"])
    cancel_jobs(run)

    docker_workers.until_ended(run)
    docker_workers.until(lambda: containers(engine, docker_workers.var) == [])


def containers(engine: Any, var: Path) -> list[str]:
    """The claims that containers of this test's installation are labelled with."""
    owner = (var / "installation-id").read_text().strip()
    found = engine.containers.list(all=True, filters={"label": f"{OWNER}={owner}"}, ignore_removed=True)
    return sorted(each.labels[JOB] for each in found)


def test_neither_kernel_nor_folder_outlives_a_killed_worker(local_workers: Workers) -> None:
    run = scripted_run(local_workers.var, ENDLESS_CELL, sandbox="local")
    local_workers.start()
    first = local_workers.until_asleep(run)
    local_workers.kill()
    end_all_leases()

    local_workers.start()
    local_workers.until(lambda: run.jobs.filter(pk=first.pk, claim_number=2, state=JobState.RUNNING).exists())
    local_workers.until(lambda: not processes_with(f"sandboxes/{first.pk}.1"))
    cancel_jobs(run)

    local_workers.until_ended(run)
    check_no_sandbox_is_left(local_workers)
