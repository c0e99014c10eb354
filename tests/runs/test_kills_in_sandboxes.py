"""Workers are killed while kernels run for them: nothing that was theirs stays."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runs.dying import die_and_be_made_up_for, die_cancelling
from tests.runs.scripted import (
    ENDLESS_CELL,
    check_all_finished_once,
    check_no_container_is_left,
    check_no_sandbox_is_left,
    scripted_run,
)
from tests.runs.workers import Workers

WITH_A_KERNEL = ("waiting for the kernel", "mid-cell", "between steps")
"""Where a worker holds one that must not outlive it. A fake sandbox has none to wait for."""
SHORT_LEASE = "8"
"""Seconds: what a dead worker left on the engine is removed when it is older."""
CELL = """
import subprocess
print("asleep", flush=True)
subprocess.run(["sleep", "0.6"], start_new_session=True)
"""
"""Still runs, with a program of its own, when the first that it said is told."""


@pytest.mark.parametrize("trap", [*WITH_A_KERNEL, "while a step is written"])
def test_a_worker_killed_with_a_kernel_leaves_none_and_no_folder(local_workers: Workers, trap: str) -> None:
    run = scripted_run(local_workers.var, CELL, sandbox="local")

    die_and_be_made_up_for(local_workers, run, trap)

    check_all_finished_once(run, takes={1, 2})
    check_no_sandbox_is_left(local_workers)


def test_a_worker_killed_while_it_cancels_leaves_no_kernel(local_workers: Workers) -> None:
    die_cancelling(local_workers, scripted_run(local_workers.var, ENDLESS_CELL, sandbox="local"))

    check_no_sandbox_is_left(local_workers)


@pytest.mark.docker
@pytest.mark.parametrize("trap", [*WITH_A_KERNEL, "while scoring", "while the attempt is written"])
def test_a_worker_killed_with_a_container_leaves_none_no_network_and_no_folder(
    docker_workers: Workers, engine: Any, trap: str
) -> None:
    run = scripted_run(docker_workers.var, CELL, sandbox="docker")

    die_and_be_made_up_for(docker_workers, run, trap, lease=SHORT_LEASE)

    check_all_finished_once(run, takes={1, 2})
    check_no_container_is_left(docker_workers, engine)
