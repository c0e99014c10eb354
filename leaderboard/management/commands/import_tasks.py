"""Import task files, each completely or not at all; exit status 1 if one was refused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from leaderboard.catalogue.selectors import find_benchmarks, get_task_set, get_task_set_of_level
from leaderboard.catalogue.services import import_tasks
from leaderboard.domain.disclosure import shown_pattern
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.landmarks import landmark_problem
from leaderboard.domain.tasks import TaskSpec
from leaderboard.formats.super_tasks import TaskFile, read_hub, read_tasks
from leaderboard.models import Benchmark, TaskSet


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
            (path.name, partial(_read_file, path, benchmark, slug)) for path in options["paths"]
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
            with transaction.atomic():
                done = [
                    (task_set.key, import_tasks(task_set, specs, source=name))
                    for task_set, specs in _by_set(name, file, benchmark)
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


def _by_set(name: str, file: TaskFile, benchmark: str) -> list[tuple[TaskSet, list[TaskSpec]]]:
    """A file's tasks by their set. Raises `InputError` if there is no such set, or it is of another level."""
    by_slug: dict[str, list[TaskSpec]] = defaultdict(list)
    for slug, spec in file.tasks:
        by_slug[slug].append(spec)
    found = [
        (
            get_task_set(f"{benchmark}/{slug}".lstrip("/"))
            if slug or file.level is None
            else get_task_set_of_level(benchmark, file.level),
            specs,
        )
        for slug, specs in by_slug.items()
    ]
    for task_set, _specs in found:
        if file.level is not None and task_set.level not in (None, file.level):
            reason = f"its tasks mask {file.level:,} functions, and {task_set.key} is for {task_set.level:,}"
            raise InputError(Problem(name, "", reason, "leave out --set, or name the set of that level"))
    return found


def _read_file(path: Path, benchmark: str, slug: str) -> TaskFile:
    """The tasks of a file, which are of the set ``slug``, or of the one that the file names."""
    if slug:
        return read_tasks(path, set_name=slug)
    slugs, only = _sets_of(find_benchmarks(benchmark))
    return read_tasks(path, sets=slugs, set_name=only)


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
    sets, only = _sets_of(found)
    dataset = found[0].sources[0]
    return dataset, partial(read_hub, dataset, sets=sets, set_name=only)


def _sets_of(benchmarks: Sequence[Benchmark]) -> tuple[list[str], str | None]:
    """The slugs that names may say, and the slug of the only set if it needs no name."""
    by_benchmark = [[each.slug for each in benchmark.task_sets.all()] for benchmark in benchmarks]
    if len(by_benchmark) == 1 and len(by_benchmark[0]) == 1:
        return by_benchmark[0], by_benchmark[0][0]
    # A set without others is seldom meant by its name: “all” may be a word of any file's name.
    return [slug for slugs in by_benchmark if len(slugs) > 1 for slug in slugs], None


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
