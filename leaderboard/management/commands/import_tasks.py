"""Import task files, each completely or not at all; exit status 1 if one was refused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from leaderboard.catalogue.selectors import get_task_set
from leaderboard.catalogue.services import import_tasks
from leaderboard.domain.disclosure import shown_pattern
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.landmarks import landmark_problem
from leaderboard.domain.tasks import TaskSpec
from leaderboard.formats.super_tasks import TaskFile, read_hub, read_tasks


class Command(BaseCommand):
    help = (
        "Import tasks in the fields of SUPER's public dataset, from Parquet, JSON lines or JSON, or data "
        "points of AutoExperiment, a file for each level. Tasks are identified by id; importing again "
        "updates those that differ. A changed gold answer, landmark or entry point marks the scores "
        "computed from it as stale: see manage.py rescore."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", metavar="PATH", nargs="*", type=Path, help=".parquet, .jsonl or .json")
        parser.add_argument("--set", help="task set of the files; required if a file does not name it")
        parser.add_argument(
            "--benchmark",
            help="the sets' benchmark (default: super; for data points, the one with such a set)",
        )
        parser.add_argument("--hub", action="store_true", help="load allenai/super with the datasets library")

    def handle(self, *args: Any, **options: Any) -> None:
        given, _slash, set_name = (options["set"] or "").rpartition("/")
        benchmark = given or options["benchmark"] or ""
        readers = [
            (path.name, partial(read_tasks, path, set_name=set_name or None)) for path in options["paths"]
        ]
        if options["hub"]:
            readers.append(("allenai/super", partial(read_hub)))
        if not readers:
            raise CommandError("name a file to import, or give --hub")
        refused = sum(not self._import(name, read, benchmark) for name, read in readers)
        if refused:
            raise CommandError(f"{refused} not imported; the reasons are above", returncode=1)

    def _import(self, name: str, read: Callable[[], TaskFile], benchmark: str) -> bool:
        try:
            file = read()
            if file.level is None:
                benchmark = benchmark or "super"
            by_set: dict[str, list[TaskSpec]] = defaultdict(list)
            for slug, spec in file.tasks:
                by_set[slug].append(spec)
            with transaction.atomic():
                sets = [
                    (get_task_set(f"{benchmark}/{slug}".lstrip("/")), specs) for slug, specs in by_set.items()
                ]
                done = [
                    (task_set.key, import_tasks(task_set, specs, source=name)) for task_set, specs in sets
                ]
        except InputError as error:
            for problem in error.problems:
                self.stderr.write(str(problem))
            return False
        for warning in (*file.warnings, *_bad_landmarks(name, file)):
            self.stderr.write(f"warning: {warning}")
        for task_set, tasks in done:
            counts = f"{tasks.added} added, {tasks.changed} changed, {tasks.unchanged} unchanged"
            self.stdout.write(f"{name}: {task_set}: {counts}")
            if tasks.stale:
                self.stdout.write(f"{tasks.stale} scores are stale: manage.py rescore --set {task_set}")
        return True


def _bad_landmarks(name: str, file: TaskFile) -> Iterator[Problem]:
    """A problem for each landmark that can't compile; logs omit patterns that reveal the gold answer."""
    for _slug, spec in file.tasks:
        for number, pattern in enumerate(spec.landmarks, start=1):
            if reason := landmark_problem(pattern):
                shown = shown_pattern(pattern, spec.gold)
                place = f"task {spec.task_id}, landmark {number:,}"
                if shown:
                    place += f" “{shown}”"
                    why = f"can't compile and never matches: {reason}"
                else:
                    place += " (it reveals the gold answer)"
                    why = "can't compile and never matches"
                yield Problem(name, place, why)
