"""The file of ``--tasks``. Only a command with one imports this: it takes long."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.formats.super_tasks import TaskFile, read_tasks
from leaderboard.intake.benchmark_files import benchmark_problems
from leaderboard.intake.yaml_files import read_document
from leaderboard.scoring import all_scorings, scoring_of
from leaderboard.scoring.contract import Scoring
from leaderboard.viewing.tasks import Tasks

DOCUMENTS: Final = (".json", ".yaml", ".yml")
BESIDE: Final = tuple(f"benchmark{suffix}" for suffix in DOCUMENTS)
"""The names of a benchmark's file beside its tasks."""
_SET: Final = "tasks"


def read_task_file(path: Path) -> Tasks:
    """The tasks of a file as `manage.py import_tasks` takes it, or of a benchmark's file and those beside it.

    The benchmark's file, beside the tasks or given itself, names the scoring; without one, a scoring for such
    tasks is taken.

    Raises:
        InputError: a file can't be read; with every problem of it.
    """
    record = _benchmark_in(path) if path.suffix in DOCUMENTS else None
    if record is not None:
        files = [_tasks_in(each) for each in sorted(path.parent.glob("*.jsonl"))]
        if not files:
            remedy = "put its tasks beside it, as .jsonl, or give the file of its tasks"
            raise InputError(Problem(path.name, "", "it has no task in it, and none is beside it", remedy))
    else:
        files = [_tasks_in(path)]
        beside = next((each for name in BESIDE if (each := path.parent / name).is_file()), None)
        record = _benchmark_in(beside) if beside else None
    by_id = {task.task_id: task for file in files for _set, task in file.tasks}
    return Tasks(by_id, _scoring(record, by_level=any(file.level is not None for file in files)))


def _tasks_in(path: Path) -> TaskFile:
    return read_tasks(path, set_name=_SET)


def _benchmark_in(path: Path) -> dict[str, Any] | None:
    """The benchmark in a file; None if it is not about one."""
    document = read_document(path, name=path.name)
    record = document.value
    if not isinstance(record, dict) or "task_sets" not in record:
        return None
    if problems := benchmark_problems(record, file=path.name):
        raise InputError(*(document.with_line(problem) for problem in problems))
    return record


def _scoring(record: dict[str, Any] | None, *, by_level: bool) -> Scoring:
    if record is not None:
        return scoring_of(record.get("scoring", ""), record.get("metrics", ()))
    return next(each for each in all_scorings().values() if bool(each.layout.levels) == by_level)
