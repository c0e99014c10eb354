"""Import a folder of task folders; exit status 1 if a part of it could not be read."""

from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from leaderboard.catalogue.selectors import get_task_set
from leaderboard.domain.errors import InputError
from leaderboard.domain.text import storable
from leaderboard.models import TaskSet
from leaderboard.operating.imports import RunImport, import_run


class Command(BaseCommand):
    help = (
        "Import a run in the layout of SUPER's authors: a folder a task with history.json or history.ipynb, "
        "metrics.json and metadata.json. Importing it again changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="DIR", type=Path, help="the run's folder, with a folder a task")
        parser.add_argument("--set", required=True, help="task set: SET, or BENCHMARK/SET")
        parser.add_argument(
            "--agent", type=_name, required=True, help="the agent's scaffold, e.g. ReAct-SUPER"
        )
        parser.add_argument(
            "--model", type=_name, required=True, help="the model that drives it, e.g. gpt-4o-2024-08-06"
        )
        parser.add_argument(
            "--source",
            default="",
            help="where the run is from, shown on its page (default: the folder's name)",
        )
        parser.add_argument("--attempt", type=_attempt_number, default=1, help="which try it is (default: 1)")
        parser.add_argument("--workers", type=_attempt_number, help="processes to use (default: all cores)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            report = self._import(get_task_set(options["set"]), options)
        except InputError as error:
            raise CommandError(str(error)) from error
        for problem in report.problems:
            self.stderr.write(str(problem))
        self.stdout.write(
            f"{len(report.added)} added, {len(report.changed)} changed, "
            f"{len(report.unchanged)} unchanged, {len(report.problems)} not imported"
        )
        if report.problems:
            raise CommandError(f"{len(report.problems)} not imported; the reasons are above", returncode=1)

    def _import(self, task_set: TaskSet, options: dict[str, Any]) -> RunImport:
        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console, transient=True) as progress:
            line = progress.add_task(options["folder"].name, total=None)
            return import_run(
                options["folder"],
                task_set=task_set,
                agent=options["agent"],
                model=options["model"],
                number=options["attempt"],
                origin=options["source"],
                workers=options["workers"],
                on_progress=lambda done, total: progress.update(line, completed=done, total=total),
            )


def _attempt_number(text: str) -> int:
    # Not int(): it accepts "1_0" and spaces, and its error for very long numbers is unclear.
    if text.isascii() and text.isdecimal() and len(text) <= 5 and 1 <= (number := int(text)) <= 32767:
        return number
    raise ArgumentTypeError("a whole number from 1 to 32767")


def _name(text: str) -> str:
    if not 1 <= len(text) <= 100 or text != storable(text):
        raise ArgumentTypeError("a name has 1 to 100 characters")
    return text
