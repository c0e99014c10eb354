"""What a worker does beside its work: says that it lives, cleans up, and wakes whoever can work."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from leaderboard.domain.jobs import JobState
from leaderboard.models import Job, Worker
from leaderboard.runs.claims import Claim, live_claims
from runner.sandbox.base import SandboxError
from runner.worker import heartbeat as presence
from runner.worker import jobs as working
from runner.worker import maintenance as orphans
from runner.worker import maintenance as resources
from runner.worker.heartbeat import MaintenanceThread, tidy
from runner.worker.maintenance import shortage
from runner.worker.provision import claim_folder
from runner.worker.slots import CHECKS, RUNS
from tests.cast import CET, DPT, PET
from tests.runs.cast import WORKER, claim, let_the_lease_end, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _room_of_its_own(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.VAR = tmp_path
    settings.RUNNER_MIN_FREE_DISK_MB = settings.RUNNER_MIN_FREE_MEMORY_MB = 0

    def no_engine(config: object) -> None:
        raise SandboxError("no engine answers")

    monkeypatch.setattr(orphans, "connect", no_engine)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    monkeypatch.setattr(RUNS, "wake", lambda count: names.extend(["run"] * min(count, RUNS.size)))
    monkeypatch.setattr(CHECKS, "wake", lambda count: names.extend(["check"] * min(count, CHECKS.size)))
    return names


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A program that a cell of the first claim of job 1 has started, in a session of its own."""
    environment = {**os.environ, "VIRTUAL_ENV": str(tmp_path / "sandboxes" / "1.1" / "env")}
    with subprocess.Popen(["sleep", "600"], env=environment, start_new_session=True) as process:
        yield process
        process.kill()


def test_it_says_that_the_worker_lives_and_takes_up_what_is_lost(sent: list[str]) -> None:
    make_run(PET)
    let_the_lease_end(claim())

    tidy(WORKER)

    assert Worker.objects.get().name == WORKER
    assert Job.objects.get().state == JobState.QUEUED
    assert sent == ["run"]


@pytest.mark.parametrize(("jobs", "calls"), [(0, 0), (1, 1), (3, 2)])
def test_it_wakes_as_many_as_can_work_and_have_something_to_do(
    jobs: int, calls: int, sent: list[str]
) -> None:
    if jobs:
        make_run(*(PET, CET, DPT)[:jobs], max_parallel=3)

    tidy(WORKER)

    assert sent == ["run"] * calls


@pytest.mark.usefixtures("sent")
def test_a_sandbox_that_no_take_owns_is_removed_with_all_that_runs_in_it(
    sleeper: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    (tmp_path / "sandboxes" / "1.1" / "workspace").mkdir(parents=True)

    tidy(WORKER)

    assert not (tmp_path / "sandboxes" / "1.1").exists()
    assert sleeper.wait(timeout=10) == -signal.SIGKILL


@pytest.mark.parametrize(
    ("name", "goes"), [("kernel-abc", True), ("else", False), ("deeper/kernel-abc", False)]
)
def test_a_sandboxs_sockets_go_with_it_and_nothing_else_that_its_link_was_bent_to(
    name: str, goes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    sockets = tmp_path / name
    sockets.mkdir(parents=True)
    (tmp_path / "sandboxes" / "1.1").mkdir(parents=True)
    (tmp_path / "sandboxes" / "1.1" / "private").symlink_to(sockets)

    orphans.remove_local_orphans()

    assert sockets.exists() is not goes
    assert not (tmp_path / "sandboxes" / "1.1").exists()


@pytest.mark.usefixtures("sent")
def test_large_outputs_of_a_take_go_with_it_and_not_before() -> None:
    make_run(PET)
    held, lost = claim_folder("outputs", claim()), claim_folder("outputs", Claim(1000, 1))
    for folder in (held, lost):
        folder.mkdir(parents=True)

    tidy(WORKER)

    assert (held.exists(), lost.exists()) == (True, False)


@pytest.mark.usefixtures("sent")
def test_the_sandbox_of_a_take_that_is_held_stays() -> None:
    make_run(PET, CET)
    running, cancelling = claim_folder("sandboxes", claim()), claim_folder("sandboxes", claim())
    Job.objects.filter(pk=cancelling.name.split(".")[0]).update(state=JobState.CANCELLING)
    for folder in (running, cancelling):
        folder.mkdir(parents=True)

    tidy(WORKER)

    assert running.exists()
    assert cancelling.exists()


def test_a_sandbox_made_while_it_looks_around_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make_run(PET)
    (tmp_path / "sandboxes" / "orphan").mkdir(parents=True)
    before = live_claims()
    made: list[Path] = []

    def a_worker_claims_meanwhile() -> Any:
        made.append(claim_folder("sandboxes", claim()))
        made[0].mkdir()
        return before

    monkeypatch.setattr(orphans, "live_claims", a_worker_claims_meanwhile)

    orphans.remove_local_orphans()

    assert [path.name for path in (tmp_path / "sandboxes").iterdir()] == [made[0].name]


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("RUNNER_MIN_FREE_DISK_MB", "MB of disk are free, fewer than RUNNER_MIN_FREE_DISK_MB=10000000000"),
        (
            "RUNNER_MIN_FREE_MEMORY_MB",
            "MB of memory are free, fewer than RUNNER_MIN_FREE_MEMORY_MB=10000000000",
        ),
    ],
)
@pytest.mark.usefixtures("sent")
def test_where_room_is_short_no_job_is_taken_and_the_page_says_why(
    setting: str, says: str, settings: Settings
) -> None:
    make_run(PET)
    setattr(settings, setting, 10**10)

    tidy(WORKER)

    assert says in Worker.objects.get().notice
    assert working.work_on_next(WORKER) is False
    assert Job.objects.get().claim_number == 0


def test_memory_is_known_where_there_is_no_meminfo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(resources, "MEMINFO", tmp_path / "none")

    assert resources.available_memory_mb() > 0
    assert shortage() == ""


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("error", [ConnectionError("no broker"), OSError("no disk")])
def test_it_goes_on_whatever_fails(
    error: Exception, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.RUNNER_SWEEP_SECONDS = 0
    again = threading.Event()
    calls: list[str] = []

    def fail_once(worker: str) -> None:
        calls.append(worker)
        if len(calls) == 1:
            raise error
        again.set()

    monkeypatch.setattr(presence, "tidy", fail_once)
    thread = MaintenanceThread(WORKER)
    thread.start()

    assert again.wait(timeout=30)
    thread.stop()


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_stops_is_no_longer_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    there = threading.Event()

    def look() -> int:
        there.set()
        return 0

    monkeypatch.setattr(presence, "claimable_jobs", look)
    thread = MaintenanceThread(WORKER)
    thread.start()
    assert there.wait(timeout=30)
    assert Worker.objects.exists()

    thread.stop()

    assert not Worker.objects.exists()
