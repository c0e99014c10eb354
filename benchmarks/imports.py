"""Importing runs with the command that people use, against reading, scoring and rendering alone."""

from __future__ import annotations

import os
import subprocess
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

from django.db import connection

from benchmarks.runs import Run, find_runs
from benchmarks.table import Row
from benchmarks.temporary_site import MANAGE, ROOT, VAR
from leaderboard import pipeline
from leaderboard.domain.tasks import TaskSpec
from leaderboard.scoring.super import SCORING

BOUND_SECONDS = 40
BOUND_MEGABYTES = 300
MEGABYTE = 1_000_000


class Imported(NamedTuple):
    """Importing every run: seconds, and the peak in bytes of the largest process that took part."""

    seconds: float
    peak: int


@cache
def import_runs() -> Imported:
    """Import every run once, each by a command of its own as people do."""
    results = [_import(run) for run in find_runs()]
    return Imported(sum(result.seconds for result in results), max(result.peak for result in results))


def measure() -> list[Row]:
    imported = import_runs()
    again = Imported(*map(sum, zip(*[_import(run) for run in find_runs()], strict=True)))
    files = [path for run in find_runs() for path in sorted(run.folder.glob("*/history.*"))]
    alone = _prepare(files)
    largest = max(path.stat().st_size for path in files)
    return [
        Row(
            f"import of {len(files)} trajectories",
            imported.seconds,
            BOUND_SECONDS,
            "s",
            f"at most {BOUND_SECONDS} s on two cores",
        ),
        Row(
            "the same, against preparing them in one process without a database",
            imported.seconds,
            alone,
            "s",
            "says what processes and database cost and gain",
        ),
        Row(
            "importing all of them again",
            again.seconds,
            imported.seconds,
            "s",
            "changes nothing: only digests",
        ),
        Row(
            f"peak memory of an import's largest process, largest file {largest / MEGABYTE:.1f} MB",
            imported.peak / MEGABYTE,
            BOUND_MEGABYTES,
            "MB",
            "at most 300 MB",
        ),
        Row(
            "database after the import, against the trajectories' files",
            _database_size() / MEGABYTE,
            sum(path.stat().st_size for path in files) / MEGABYTE,
            "MB",
            "",
        ),
    ]


def _import(run: Run) -> Imported:
    names = ("--set", run.task_set, "--agent", run.agent, "--model", run.model)
    start = time.perf_counter()
    with (VAR / "import.log").open("ab") as log:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [*MANAGE, "import_run", str(run.folder), *names], cwd=ROOT, stdout=log, stderr=log
        )
    # Unlike Popen.wait, this tells what the process and its workers used.
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, (VAR / "import.log").read_text(encoding="utf-8")
    return Imported(time.perf_counter() - start, usage.ru_maxrss * 1024)


def _prepare(files: list[Path]) -> float:
    start = time.perf_counter()
    for path in files:
        name = f"{path.parent.name}/{path.name}"
        pipeline.prepare(
            path.read_bytes(), name=name, task=TaskSpec(task_id=path.parent.name), scoring=SCORING, title=name
        )
    return time.perf_counter() - start


def _database_size() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        return int(cursor.fetchone()[0])
