"""Importing files of tasks, for the command and for the operators' page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction

from leaderboard.catalogue.selectors import find_benchmarks, get_task_set, get_task_set_of_level
from leaderboard.catalogue.services import TaskImport, import_tasks
from leaderboard.domain.disclosure import shown_pattern
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.landmarks import landmark_problem
from leaderboard.domain.tasks import TaskSpec
from leaderboard.formats.super_tasks import TaskFile, read_tasks
from leaderboard.models import Benchmark, TaskSet


@transaction.atomic
def import_task_file(
    file: TaskFile, *, name: str, benchmark: str, actor: User | None = None
) -> list[tuple[str, TaskImport]]:
    """Import all tasks of a file or none; the key of each task set, and what was done in it.

    Raises:
        InputError: there is no such set, it is of another level, or a task can't be stored.
    """
    return [
        (task_set.key, import_tasks(task_set, specs, source=name, actor=actor))
        for task_set, specs in _by_set(name, file, benchmark)
    ]


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


def read_task_file(path: Path, *, benchmark: str, slug: str) -> TaskFile:
    """The tasks of a file, which are of the set ``slug``, or of the one that the file names."""
    if slug:
        return read_tasks(path, set_name=slug)
    slugs, only = known_sets(find_benchmarks(benchmark))
    return read_tasks(path, sets=slugs, set_name=only)


def known_sets(benchmarks: Sequence[Benchmark]) -> tuple[list[str], str | None]:
    """The slugs that names may say, and the slug of the only set if it needs no name."""
    by_benchmark = [[each.slug for each in benchmark.task_sets.all()] for benchmark in benchmarks]
    if len(by_benchmark) == 1 and len(by_benchmark[0]) == 1:
        return by_benchmark[0], by_benchmark[0][0]
    # A set without others is seldom meant by its name: “all” may be a word of any file's name.
    return [slug for slugs in by_benchmark if len(slugs) > 1 for slug in slugs], None


def bad_landmarks(file: TaskFile, *, name: str) -> Iterator[Problem]:
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
