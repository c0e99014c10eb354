"""`superboard validate`: check results as the site does, without a site."""

from __future__ import annotations

import json
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from leaderboard.client.show import bars, show_problem, show_report
from leaderboard.domain.errors import InputError, Problem
from leaderboard.intake.archives import unpack
from leaderboard.intake.check import check_folder
from leaderboard.intake.description import Description
from leaderboard.intake.findings import Severity
from leaderboard.intake.known_tasks import Catalogue, read_catalogue, shipped_catalogue
from leaderboard.intake.report import Report

PROBLEMS = 1
MaxTrajectory = Annotated[
    int,
    typer.Option(
        "--max-trajectory-mb",
        envvar="SUPERBOARD_MAX_TRAJECTORY_MB",
        min=1,
        help="The largest trajectory file, in MB, where the site takes other than 100.",
    ),
]


def validate(
    path: Annotated[Path, typer.Argument(exists=True, help="A folder, an archive, or a single result file.")],
    task_set: Annotated[
        str,
        typer.Option(
            "--set", help="The task set: masked, or super/masked. Told by the task ids if left out."
        ),
    ] = "",
    tasks: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="Tasks of another benchmark, as JSON lines with task_id."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole report as JSON.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as problems.")] = False,
    notes: Annotated[bool, typer.Option("--notes", help="Print notes, too.")] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; all cores if left out.")] = None,
    max_trajectory_mb: MaxTrajectory = 100,
) -> None:
    """Check results before they are uploaded: archive, formats, tasks, answers, duplicates, secrets.

    Exit codes: 0 nothing is wrong, 1 there are problems, 2 the command was called wrongly.
    """
    catalogue = _catalogue(tasks)
    benchmark, slash, slug = task_set.rpartition("/")
    form = Description(benchmark=benchmark if slash else "", task_set=slug)
    if not catalogue.find_sets(benchmark=form.benchmark, task_set=form.task_set):
        sets = ", ".join(catalogue.sets)
        raise typer.BadParameter(f"there is no such task set; there are {sets}", param_hint="--set")
    try:
        report = check_path(
            path, catalogue=catalogue, form=form, workers=workers, max_trajectory_mb=max_trajectory_mb
        )
    except InputError as refused:
        show_problem(refused.problem, as_json=as_json)
        raise typer.Exit(PROBLEMS) from None
    except OSError as fault:
        reason = f"it can't be read: {fault.strerror or str(fault)}"
        name = str(fault.filename or path)
        show_problem(Problem(name, "", reason, "check its permissions, and the disk"), as_json=as_json)
        raise typer.Exit(PROBLEMS) from None
    if as_json:
        sys.stdout.write(json.dumps(report.as_data(), indent=1) + "\n")
    else:
        show_report(report, notes=notes)
    bad = report.count(Severity.ERROR) + (report.count(Severity.WARNING) if strict else 0)
    raise typer.Exit(PROBLEMS if bad else 0)


def _catalogue(tasks: Path | None) -> Catalogue:
    if tasks is None:
        return shipped_catalogue()
    try:
        return read_catalogue(tasks)
    except InputError as refused:
        raise typer.BadParameter(str(refused), param_hint="--tasks") from None


def check_path(
    path: Path, *, catalogue: Catalogue, form: Description, workers: int | None, max_trajectory_mb: int
) -> Report:
    """The report on a folder, an archive or a file, made by the code that the site uses.

    Raises:
        InputError: it can't even be unpacked.
    """
    name = path.name or path.resolve().name
    check = partial(
        check_folder,
        name=name,
        catalogue=catalogue,
        form=form,
        workers=workers,
        max_bytes=max_trajectory_mb << 20,
    )
    with bars() as begin:
        if path.is_dir():
            return check(path, on_progress=begin("Checking"))
        with tempfile.TemporaryDirectory(prefix="superboard-") as folder:
            inside = Path(folder, "files")
            left_out = unpack(path, inside, name=name, on_progress=begin("Unpacking"))
            return check(inside, left_out=left_out, on_progress=begin("Checking"))
