"""Many files at once: one that breaks something keeps no other out."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from leaderboard.preparing import FILES_WORTH_WORKERS, Job, Result, prepare_all

from leaderboard import pipeline
from leaderboard.domain.errors import Problem
from leaderboard.domain.tasks import TaskSpec
from leaderboard.formats.run_folder import scan_run
from tests.cast import add_attempt, history


class KillsItsProcess(TaskSpec):
    """A task that can't be sent anywhere without the process that unpacks it being killed."""

    def __reduce__(self) -> tuple[object, ...]:
        return (_kill, ())


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def jobs(root: Path, odd: TaskSpec | None = None) -> list[Job]:
    for number in range(FILES_WORTH_WORKERS):
        add_attempt(root, f"task-{number}", history=history({"loss": 0.5}))
    specs = {"task-3": odd} if odd else {}
    return [
        Job(files, specs.get(files.task_id) or TaskSpec(files.task_id), "title", "", 1 << 20)
        for files in scan_run(root).attempts
    ]


def test_every_file_is_prepared_in_processes(tmp_path: Path) -> None:
    results = {job.spec.task_id: result for job, result in prepare_all(jobs(tmp_path), workers=2)}

    assert len(results) == FILES_WORTH_WORKERS
    assert all(isinstance(result, Result) for result in results.values())


def test_a_fault_of_ours_is_that_files_problem_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "prepare", lambda *args, **options: 1 / 0)

    ((_, problem),) = prepare_all(jobs(tmp_path)[:1], workers=1)

    assert isinstance(problem, Problem)
    assert (problem.file, problem.reason) == (
        "task-0",
        "could not be prepared: ZeroDivisionError: division by zero",
    )


def test_a_process_that_is_killed_costs_only_the_file_it_was_at(tmp_path: Path) -> None:
    results = {
        job.files.task_id: result
        for job, result in prepare_all(jobs(tmp_path, KillsItsProcess("task-3")), workers=2)
    }

    problem = results.pop("task-3")
    assert isinstance(problem, Problem)
    assert "was killed" in problem.reason
    assert len(results) == FILES_WORTH_WORKERS - 1
    assert all(isinstance(result, Result) for result in results.values())
