"""Checks a whole folder: divide, survey, read, examine, report."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Final

from leaderboard import formats
from leaderboard.domain.errors import InputError, Problem
from leaderboard.formats.documents import MAX_BYTES, check_size
from leaderboard.formats.run_folder import read_metrics
from leaderboard.intake.answer_files import with_answer
from leaderboard.intake.description import Description, merge
from leaderboard.intake.entry_folders import Division, divide, is_in_part
from leaderboard.intake.examine import examine
from leaderboard.intake.findings import Finding, error
from leaderboard.intake.found_files import FoundAttempt, Survey
from leaderboard.intake.known_tasks import Catalogue
from leaderboard.intake.layout import FoundFile, list_files
from leaderboard.intake.report import Report, ReportBuilder
from leaderboard.intake.survey import survey_files

FILES_WORTH_WORKERS: Final = 8
"""A worker process takes a moment to start: below this many attempts one process is quicker."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading one attempt gave: its format, empty without a trajectory, and findings."""

    format_name: str
    findings: tuple[Finding, ...]


Reader = Callable[[list[FoundAttempt]], Iterable[tuple[FoundAttempt, Reading]]]
"""Reads and examines attempts, in any order. The site's own reader scores and renders on the way."""


def check_folder(
    folder: Path,
    *,
    name: str,
    catalogue: Catalogue,
    form: Description | None = None,
    left_out: Iterable[Problem] = (),
    read: Reader | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Report:
    """Check everything in a folder; of several entries in it, each has a report among the ``parts``.

    Args:
        folder: what was unpacked, or what somebody wants to pack.
        name: of the upload, as its owner knows it.
        catalogue: the tasks that there are.
        form: what is said about the entry beside the files.
        left_out: problems of unpacking.
        read: reads and examines the attempts; `read_all` where None.
        on_progress: called with the attempts done, and all of them.
    """
    form = form or Description()
    files = list(list_files(folder))
    division = divide(files)
    left_out = tuple(left_out)
    if division.parts:
        # What is said beside the files is about all parts; a part's own words are nearer.
        defaults = merge(division.defaults, form)
        builders = [
            _builder(
                part.files,
                name=part.path,
                catalogue=catalogue,
                defaults=defaults,
                left_out=[problem for problem in left_out if is_in_part(problem.file, part.path)],
            )
            for part in division.parts
        ]
    else:
        builders = [_builder(files, name=name, catalogue=catalogue, form=form, left_out=left_out)]
    _read_into(builders, read or read_all, on_progress)
    reports = tuple(builder.report() for builder in builders)
    if not division.parts:
        return reports[0]
    return replace(outer_report(name, division, form=form, left_out=left_out), parts=reports)


def _builder(
    files: Iterable[FoundFile],
    *,
    name: str,
    catalogue: Catalogue,
    left_out: Iterable[Problem],
    form: Description | None = None,
    defaults: Description | None = None,
) -> ReportBuilder:
    """What the report on one entry is built by, its files surveyed."""
    form = form or Description()
    found = survey_files(
        files,
        name=name,
        catalogue=catalogue,
        benchmark=form.benchmark,
        task_set=form.task_set,
        defaults=defaults,
    )
    benchmark, _slash, task_set = found.task_set.partition("/")
    known = Description(benchmark=benchmark, task_set=task_set)
    return ReportBuilder(
        name,
        found,
        tasks=len(catalogue.sets.get(found.task_set, ())),
        description=merge(merge(known, found.description), form),
        left_out=left_out,
    )


def _read_into(builders: list[ReportBuilder], read: Reader, on_progress: Callable[[int, int], None]) -> None:
    """Read the attempts of all entries at once, for starting workers takes its time."""
    builder_of = {attempt: builder for builder in builders for attempt in builder.attempts}
    for done, (attempt, reading) in enumerate(read(list(builder_of)), start=1):
        builder_of[attempt].add(attempt, format_name=reading.format_name, findings=reading.findings)
        on_progress(done, len(builder_of))


def outer_report(name: str, division: Division, *, form: Description, left_out: Iterable[Problem]) -> Report:
    """The report on what belongs to none of the entries in an archive."""
    paths = [part.path for part in division.parts]
    outside = [problem for problem in left_out if not any(is_in_part(problem.file, path) for path in paths)]
    found = Survey((), division.others, "", division.defaults)
    description = merge(division.defaults, form)
    return ReportBuilder(name, found, tasks=0, description=description, left_out=outside).report()


def read_all(
    attempts: list[FoundAttempt], *, workers: int | None = None, max_bytes: int = MAX_BYTES
) -> Iterator[tuple[FoundAttempt, Reading]]:
    """Read and examine every attempt, each file once, in ``workers`` processes (all cores where None)."""
    workers = workers or os.cpu_count() or 1
    by_file = [list(group) for _name, group in groupby(sorted(attempts, key=_name_of), key=_name_of)]
    one = partial(read_file, max_bytes=max_bytes)
    if workers == 1 or len(by_file) < FILES_WORTH_WORKERS:
        for group in by_file:
            yield from zip(group, one(group), strict=True)
        return
    context = multiprocessing.get_context("spawn")
    waiting = list(reversed(by_file))
    try:
        with ProcessPoolExecutor(workers, mp_context=context) as pool:
            for readings in pool.map(one, by_file):
                yield from zip(waiting.pop(), readings, strict=True)
    except BrokenProcessPool:
        # Somebody killed a worker, most often for the memory it took; which file it was at, nothing tells.
        for group in reversed(waiting):
            yield from ((attempt, _unread(attempt)) for attempt in group)


def read_file(attempts: list[FoundAttempt], *, max_bytes: int = MAX_BYTES) -> list[Reading]:
    """Read and examine the attempts in one file; what can't be read is an error among the findings."""
    first = attempts[0]
    try:
        if first.metrics:
            metrics = f"{first.files.name}/{first.metrics.name}"
            read_metrics(_read(first.metrics, metrics, max_bytes), name=metrics)
        if first.trajectory is None:
            return [Reading("", ())]
        data = _read(first.trajectory, first.name, max_bytes)
        file = formats.open_file(data, name=first.name, max_bytes=max_bytes)
    except InputError as refused:
        return [Reading("", (error(refused.problem),))] * len(attempts)
    return [_read_sample(file, attempt) for attempt in attempts]


def _unread(attempt: FoundAttempt) -> Reading:
    reason = "a process that read files was killed, most likely for the memory it took"
    remedy = "try again with one worker, or on a machine with more memory"
    return Reading("", (error(Problem(attempt.name, "", reason, remedy)),))


def _read_sample(file: formats.File, attempt: FoundAttempt) -> Reading:
    try:
        trajectory = file.read(attempt.sample)
    except InputError as refused:
        return Reading("", (error(refused.problem),))
    except Exception as fault:  # noqa: BLE001 - one odd file must not keep the others out
        reason = "could not be read: " + f"{type(fault).__name__}: {fault}"[:300]
        remedy = "this is a fault of ours: report it with the file"
        return Reading("", (error(Problem(attempt.name, attempt.sample, reason, remedy)),))
    trajectory, compared = with_answer(trajectory, attempt.answer, name=attempt.name)
    return Reading(trajectory.format, (*compared, *examine(trajectory, name=attempt.name)))


def _name_of(attempt: FoundAttempt) -> str:
    return attempt.name


def _read(path: Path, name: str, max_bytes: int) -> bytes:
    try:
        check_size(path.stat().st_size, name=name, max_bytes=max_bytes)
        return path.read_bytes()
    except OSError as fault:
        reason = f"the file can't be read: {fault.strerror or str(fault)}"
        raise InputError(Problem(name, "", reason, "check its permissions")) from None
