"""The one check of results, for the command line and the site: divide, survey, read, report.

The site calls the same functions step by step, since it scores, renders and records on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path

from leaderboard import formats
from leaderboard.domain.errors import InputError, Problem
from leaderboard.formats.documents import MAX_BYTES, read_file
from leaderboard.formats.run_folder import read_metrics
from leaderboard.intake.answer_files import with_answer
from leaderboard.intake.description import Description, merge
from leaderboard.intake.entry_folders import Division, divide, is_in_part
from leaderboard.intake.examine import examine
from leaderboard.intake.findings import Finding, error
from leaderboard.intake.found_files import FoundAttempt, Survey
from leaderboard.intake.known_tasks import Catalogue
from leaderboard.intake.layout import list_files
from leaderboard.intake.pool import process_all
from leaderboard.intake.report import Report, ReportBuilder
from leaderboard.intake.survey import survey


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading one attempt gave: its format, empty without a trajectory, and findings."""

    format_name: str
    findings: tuple[Finding, ...]


def check_folder(
    folder: Path,
    *,
    name: str,
    catalogue: Catalogue,
    form: Description | None = None,
    left_out: Iterable[Problem] = (),
    workers: int | None = None,
    max_bytes: int = MAX_BYTES,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Report:
    """Check everything in a folder; of several entries in it, each has a report among the ``parts``.

    Args:
        folder: what was unpacked, or what somebody wants to pack.
        name: of the upload, as its owner knows it.
        catalogue: the tasks that there are.
        form: what is said about the entry beside the files.
        left_out: problems of unpacking.
        workers: processes to read in; all cores where None.
        max_bytes: of one trajectory file.
        on_progress: called with the attempts done, and all of them.
    """
    form, left_out = form or Description(), tuple(left_out)
    files = list(list_files(folder))
    division = divide(files)
    find = partial(survey, catalogue=catalogue, max_bytes=max_bytes)
    if division.parts:
        # The form is about all parts; what a part says itself comes first.
        defaults = merge(division.defaults, form)
        builders = []
        for part in division.parts:
            found = find(part.files, name=part.path, defaults=defaults)
            inside = [problem for problem in left_out if is_in_part(problem.file, part.path)]
            builders.append(
                open_report(
                    found, name=part.path, catalogue=catalogue, description=found.description, left_out=inside
                )
            )
    else:
        found = find(files, name=name, benchmark=form.benchmark, task_set=form.task_set)
        said = merge(found.description, form)
        builders = [open_report(found, name=name, catalogue=catalogue, description=said, left_out=left_out)]
    # The attempts of all entries at once: starting processes takes a moment.
    builder_of = {attempt: builder for builder in builders for attempt in builder.attempts}
    readings = read_all(list(builder_of), workers=workers, max_bytes=max_bytes)
    for done, (attempt, reading) in enumerate(readings, start=1):
        builder_of[attempt].add(attempt, format_name=reading.format_name, findings=reading.findings)
        on_progress(done, len(builder_of))
    reports = tuple(builder.report() for builder in builders)
    if not division.parts:
        return reports[0]
    return replace(outer_report(name, division, form=form, left_out=left_out), parts=reports)


def open_report(
    found: Survey, *, name: str, catalogue: Catalogue, description: Description, left_out: Iterable[Problem]
) -> ReportBuilder:
    """The report on one entry's files, to which readings are added; with the task set that was found."""
    benchmark, _slash, task_set = found.task_set.partition("/")
    if task_set:
        description = replace(description, benchmark=benchmark, task_set=task_set)
    tasks = len(catalogue.sets.get(found.task_set, ()))
    return ReportBuilder(name, found, tasks=tasks, description=description, left_out=left_out)


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
    by_file = [list(group) for _name, group in groupby(sorted(attempts, key=_name_of), key=_name_of)]
    work = partial(read_attempts, max_bytes=max_bytes)
    for group, readings in process_all(work, by_file, killed=_killed, workers=workers):
        yield from zip(group, readings, strict=True)


def read_attempts(attempts: list[FoundAttempt], *, max_bytes: int = MAX_BYTES) -> list[Reading]:
    """Read and examine the attempts in one file; what can't be read is an error among the findings."""
    first = attempts[0]
    try:
        if first.metrics:
            metrics = f"{first.files.name}/{first.metrics.name}"
            read_metrics(read_file(first.metrics, name=metrics, max_bytes=max_bytes), name=metrics)
        if first.trajectory is None:
            return [Reading("", ())]
        data = read_file(first.trajectory, name=first.name, max_bytes=max_bytes)
        file = formats.open_file(data, name=first.name, max_bytes=max_bytes)
    except InputError as refused:
        return [Reading("", (error(refused.problem),))] * len(attempts)
    return [_read_sample(file, attempt) for attempt in attempts]


def _killed(attempts: list[FoundAttempt]) -> list[Reading]:
    reason = "the process that read it was killed, most likely for the memory it took"
    remedy = "try again with one worker, or on a machine with more memory"
    return [Reading("", (error(Problem(attempt.name, "", reason, remedy)),)) for attempt in attempts]


def _name_of(attempt: FoundAttempt) -> str:
    return attempt.name


def _read_sample(file: formats.File, attempt: FoundAttempt) -> Reading:
    try:
        trajectory = file.read(attempt.sample)
    except InputError as refused:
        return Reading("", (error(refused.problem),))
    except Exception as fault:  # noqa: BLE001 - one odd file must not keep the others out
        reason = "could not be read: " + f"{type(fault).__name__}: {fault}"[:300]
        remedy = "this is a bug: report it with the file"
        return Reading("", (error(Problem(attempt.name, attempt.sample, reason, remedy)),))
    trajectory, compared = with_answer(trajectory, attempt.answer, name=attempt.name)
    return Reading(trajectory.format, (*compared, *examine(trajectory, name=attempt.name)))
