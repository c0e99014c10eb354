"""Attempts are prepared in a process beside: also for one that may not have children of its own."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from leaderboard.aside import HelperDied, prepare_aside
from leaderboard.preparing import FILES_WORTH_WORKERS, Job, Result

from leaderboard.domain.tasks import TaskSpec
from leaderboard.formats.run_folder import scan_run
from tests.cast import add_attempt, history
from tests.runs.workers import SECONDS, processes_with

IN_A_CELERY_PROCESS = """
import billiard, pickle, sys
from leaderboard.aside import prepare_aside

def work(path):
    with open(path, "rb") as file:
        jobs = pickle.load(file)
    print(sum(1 for _ in prepare_aside(jobs, 2)), flush=True)

child = billiard.Process(target=work, args=(sys.argv[1],))
child.daemon = True
child.start()
child.join()
"""


class KillsTheHelper(TaskSpec):
    """A task that can't be sent to a process without it being killed."""

    def __reduce__(self) -> tuple[Callable[[int], None], tuple[int]]:
        return (signal.raise_signal, (signal.SIGKILL.value,))


def jobs(root: Path, spec: TaskSpec | None = None) -> list[Job]:
    for number in range(FILES_WORTH_WORKERS):
        add_attempt(root, f"task-{number}", history=history({"loss": 0.5}))
    found = scan_run(root).attempts
    return [Job(files, spec or TaskSpec(files.task_id), "title", "", 1 << 20) for files in found]


def test_it_gives_a_result_for_every_job(tmp_path: Path) -> None:
    results = {job.files.task_id: result for job, result in prepare_aside(jobs(tmp_path), 2)}
    assert sorted(results) == [f"task-{number}" for number in range(FILES_WORTH_WORKERS)]
    assert all(isinstance(result, Result) and result.prepared for result in results.values())


def test_a_process_of_celery_s_can_have_it(tmp_path: Path) -> None:
    (tmp_path / "jobs").write_bytes(pickle.dumps(jobs(tmp_path / "run")))
    command = [sys.executable, "-c", IN_A_CELERY_PROCESS, str(tmp_path / "jobs")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(FILES_WORTH_WORKERS), done.stderr


def test_a_helper_that_is_killed_says_so(tmp_path: Path) -> None:
    with pytest.raises(HelperDied, match="status -9"):
        list(prepare_aside(jobs(tmp_path, KillsTheHelper("task")), 2))


def test_nothing_of_it_outlives_whoever_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARK_OF_THIS_TEST", str(tmp_path))
    results = prepare_aside(jobs(tmp_path), 2)
    next(results)
    results.close()  # type: ignore[attr-defined]
    deadline = time.monotonic() + SECONDS
    while processes_with(str(tmp_path)):
        assert time.monotonic() < deadline, "processes are left"
        time.sleep(0.02)
