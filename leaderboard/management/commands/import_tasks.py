"""Import task files, each completely or not at all; exit status 1 if one was refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.catalogue.selectors import find_benchmarks
from leaderboard.domain.errors import InputError
from leaderboard.formats.super_tasks import TaskFile, read_hub
from leaderboard.operating.task_files import bad_landmarks, import_task_file, known_sets, read_task_file


class Command(BaseCommand):
    help = (
        "Import tasks from Parquet, JSON lines or JSON; docs/importing.md has their fields. Tasks are "
        "identified by id; importing again updates those that differ. A changed gold answer, landmark or "
        "entry point marks the scores computed from it as stale: see manage.py rescore."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", metavar="PATH", nargs="*", type=Path, help=".parquet, .jsonl or .json")
        parser.add_argument("--set", help="task set of the files; required if a file does not name it")
        parser.add_argument(
            "--benchmark", help="the sets' benchmark; required if several have a set of the same name"
        )
        parser.add_argument(
            "--hub",
            action="store_true",
            help="load the first of the benchmark's sources with the datasets library",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        given, _slash, slug = (options["set"] or "").rpartition("/")
        benchmark = given or options["benchmark"] or ""
        readers: list[tuple[str, Callable[[], TaskFile]]] = [
            (path.name, partial(read_task_file, path, benchmark=benchmark, slug=slug))
            for path in options["paths"]
        ]
        if options["hub"]:
            readers.append(_hub_reader(benchmark))
        if not readers:
            raise CommandError("name a file to import, or give --hub")
        refused = sum(not self._import(name, read, benchmark) for name, read in readers)
        if refused:
            raise CommandError(f"{refused} not imported; the reasons are above", returncode=1)

    def _import(self, name: str, read: Callable[[], TaskFile], benchmark: str) -> bool:
        try:
            file = read()
            done = import_task_file(file, name=name, benchmark=benchmark)
        except InputError as error:
            for problem in error.problems:
                self.stderr.write(str(problem))
            return False
        for warning in (*file.warnings, *bad_landmarks(file, name=name)):
            self.stderr.write(f"warning: {warning}")
        for task_set, tasks in done:
            counts = f"{tasks.added} added, {tasks.changed} changed, {tasks.unchanged} unchanged"
            self.stdout.write(f"{name}: {task_set}: {counts}")
            if tasks.stale:
                self.stdout.write(f"{tasks.stale} scores are stale: manage.py rescore --set {task_set}")
        return True


def _hub_reader(benchmark: str) -> tuple[str, Callable[[], TaskFile]]:
    """The name and the reader of a benchmark's dataset, which is the first of its sources."""
    try:
        found = [each for each in find_benchmarks(benchmark) if each.sources]
    except InputError as error:
        raise CommandError(str(error)) from error
    if not found:
        raise CommandError("no “sources” name a dataset: put it first in them, and add_benchmark the file")
    if len(found) > 1:
        slugs = ", ".join(each.slug for each in found)
        raise CommandError(f"several benchmarks have a dataset: give --benchmark ({slugs})")
    sets, only = known_sets(found)
    dataset = found[0].sources[0]
    return dataset, partial(read_hub, dataset, sets=sets, set_name=only)
