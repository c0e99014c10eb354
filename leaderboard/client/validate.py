"""`superboard validate`: check results as the site does, without a site."""

from __future__ import annotations

import json
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from leaderboard.client.ending import Exit
from leaderboard.client.show import bars, show_problem, show_report
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.tasks import MAX_ATTEMPTS
from leaderboard.intake.archives import unpack
from leaderboard.intake.check import check_folder
from leaderboard.intake.description import Description
from leaderboard.intake.findings import Severity
from leaderboard.intake.known_tasks import KnownTasks, read_known_tasks, shipped_tasks
from leaderboard.intake.reader import Reader
from leaderboard.intake.report import Report

MaxAttempts = Annotated[
    int, typer.Option(min=1, help="With --tasks: attempts at a task that their benchmark allows an entry.")
]
MaxTrajectory = Annotated[
    int,
    typer.Option(
        "--max-trajectory-mb",
        envvar="SUPERBOARD_MAX_TRAJECTORY_MB",
        min=1,
        help="The largest trajectory file, in MB, if the site's limit is not 100.",
    ),
]


def validate(
    path: Annotated[Path, typer.Argument(exists=True, help="A folder, an archive, or a single result file.")],
    task_set: Annotated[
        str,
        typer.Option("--set", help="The task set: SET, or BENCHMARK/SET. Default: detected by the task ids."),
    ] = "",
    tasks: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="Tasks of another benchmark, as JSON lines with task_id."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole report as JSON.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as problems.")] = False,
    notes: Annotated[bool, typer.Option("--notes", help="Print notes too.")] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. Default: one per core.")] = None,
    max_trajectory_mb: MaxTrajectory = 100,
    max_attempts: MaxAttempts = MAX_ATTEMPTS,
) -> None:
    """Check results before they are uploaded: archive, formats, tasks, answers, duplicates, secrets.

    Exit codes: 0 nothing is wrong, 1 there are problems, 2 the command was called wrongly.
    """
    known_tasks = _known_tasks(tasks, max_attempts)
    benchmark, _slash, slug = task_set.rpartition("/")
    form = Description(benchmark=benchmark, task_set=slug)
    if not known_tasks.find_sets(benchmark=form.benchmark, task_set=form.task_set):
        sets = ", ".join(known_tasks.sets)
        raise typer.BadParameter(f"there is no such task set; there are {sets}", param_hint="--set")
    try:
        report = check_path(
            path, known_tasks=known_tasks, form=form, workers=workers, max_trajectory_mb=max_trajectory_mb
        )
    except InputError as refused:
        show_problem(refused.problem, as_json=as_json)
        raise typer.Exit(Exit.PROBLEMS) from None
    except OSError as fault:
        reason = f"it can't be read: {fault.strerror or str(fault)}"
        name = str(fault.filename or path)
        show_problem(Problem(name, "", reason, "check its permissions, and the disk"), as_json=as_json)
        raise typer.Exit(Exit.PROBLEMS) from None
    if as_json:
        sys.stdout.write(json.dumps(report.as_data(), indent=1) + "\n")
    else:
        show_report(report, notes=notes)
    bad = report.count(Severity.ERROR) + (report.count(Severity.WARNING) if strict else 0)
    raise typer.Exit(Exit.PROBLEMS if bad else Exit.DONE)


def _known_tasks(tasks: Path | None, max_attempts: int) -> KnownTasks:
    if tasks is None:
        return shipped_tasks()
    try:
        return read_known_tasks(tasks, max_attempts=max_attempts)
    except InputError as refused:
        raise typer.BadParameter(str(refused), param_hint="--tasks") from None


def check_path(
    path: Path, *, known_tasks: KnownTasks, form: Description, workers: int | None, max_trajectory_mb: int
) -> Report:
    """The report on a folder, an archive or a file, made by the same code as on the site.

    Raises:
        InputError: it can't be unpacked.
    """
    name = path.name or path.resolve().name
    check = partial(
        check_folder,
        name=name,
        known_tasks=known_tasks,
        form=form,
        reader=Reader(max_bytes=max_trajectory_mb << 20, workers=workers),
    )
    with bars() as begin:
        if path.is_dir():
            return check(path, on_progress=begin("Checking"))
        with tempfile.TemporaryDirectory(prefix="superboard-") as folder:
            inside = Path(folder, "files")
            left_out = unpack(path, inside, name=name, on_progress=begin("Unpacking"))
            return check(inside, left_out=left_out, on_progress=begin("Checking"))
