"""Checks results: split into entries, survey, read, report. The command line and the site share it.

The site calls the same functions step by step, since it scores, renders and records on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from leaderboard import formats
from leaderboard.domain.errors import InputError, Problem
from leaderboard.formats.documents import MAX_BYTES, read_file
from leaderboard.formats.run_folder import read_metrics
from leaderboard.intake.answer_files import with_answer
from leaderboard.intake.description import Description, merge
from leaderboard.intake.entry_folders import EntrySplit, is_in_part, split_into_entries
from leaderboard.intake.examine import examine, reported_finding
from leaderboard.intake.findings import Finding, error
from leaderboard.intake.found_files import FoundAttempt, Survey
from leaderboard.intake.known_tasks import KnownTasks
from leaderboard.intake.layout import list_files
from leaderboard.intake.pool import Loss, unexpected
from leaderboard.intake.reader import Reader
from leaderboard.intake.report import Report, ReportBuilder
from leaderboard.intake.survey import MAX_ATTEMPTS, survey


class Reading(NamedTuple):
    """What reading one attempt tells a `ReportBuilder`; ``format_name`` is empty without a trajectory."""

    format_name: str
    findings: tuple[Finding, ...]
    model: str = ""


def check_folder(
    folder: Path,
    *,
    name: str,
    known_tasks: KnownTasks,
    form: Description | None = None,
    left_out: Iterable[Problem] = (),
    reader: Reader | None = None,
    max_attempts: int = MAX_ATTEMPTS,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Report:
    """Check everything in a folder; if it contains several entries, each has a report in ``parts``.

    Args:
        folder: an unpacked archive, or a folder before packing.
        name: of the upload, as its owner knows it.
        known_tasks: ids of all tasks.
        form: the description from the form or options, beside the files.
        left_out: problems of unpacking.
        reader: how files are read.
        max_attempts: in one entry.
        on_progress: called with the number of attempts done, and their total.
    """
    form, left_out, reader = form or Description(), tuple(left_out), reader or Reader()
    files = list(list_files(folder))
    split = split_into_entries(files)
    find = partial(survey, known_tasks=known_tasks, reader=reader, max_attempts=max_attempts)
    begin = partial(ReportBuilder, known_tasks=known_tasks)
    if split.parts:
        # The form describes all parts; a part's own description takes precedence.
        defaults = merge(split.defaults, form)
        builders = []
        for part in split.parts:
            found = find(part.files, name=part.path, defaults=defaults)
            inside = [problem for problem in left_out if is_in_part(problem.file, part.path)]
            builders.append(begin(found, name=part.path, description=found.description, left_out=inside))
    else:
        found = find(files, name=name, benchmark=form.benchmark, task_set=form.task_set)
        builders = [begin(found, name=name, description=merge(found.description, form), left_out=left_out)]
    # All entries in one pool: starting processes is slow.
    builder_of = {attempt: builder for builder in builders for attempt in builder.attempts}
    readings = read_all(list(builder_of), reader)
    for done, (attempt, reading) in enumerate(readings, start=1):
        builder_of[attempt].add(attempt, **reading._asdict())
        on_progress(done, len(builder_of))
    reports = tuple(builder.report() for builder in builders)
    if not split.parts:
        return reports[0]
    return replace(outer_report(name, split, form=form, left_out=left_out), parts=reports)


def outer_report(name: str, split: EntrySplit, *, form: Description, left_out: Iterable[Problem]) -> Report:
    """The report on the files of an archive that are in none of its entries."""
    paths = [part.path for part in split.parts]
    outside = [problem for problem in left_out if not any(is_in_part(problem.file, path) for path in paths)]
    found = Survey((), split.others, "", split.defaults)
    description = merge(split.defaults, form)
    no_tasks = KnownTasks({})
    builder = ReportBuilder(found, name=name, known_tasks=no_tasks, description=description, left_out=outside)
    return builder.report()


def read_all(attempts: list[FoundAttempt], reader: Reader) -> Iterator[tuple[FoundAttempt, Reading]]:
    """Read and examine every attempt, each file once."""
    name_of = attrgetter("name")
    by_file = [list(group) for _name, group in groupby(sorted(attempts, key=name_of), key=name_of)]
    work = partial(read_attempts, max_bytes=reader.max_bytes)
    size = sum(group[0].size for group in by_file)
    for group, readings in reader.process(work, by_file, lost=_lost_readings, size=size):
        yield from zip(group, readings, strict=True)


def read_attempts(attempts: list[FoundAttempt], *, max_bytes: int = MAX_BYTES) -> list[Reading]:
    """Read and examine the attempts in one file; a read failure becomes an error finding."""
    first = attempts[0]
    taken: tuple[Finding, ...] = ()
    try:
        if first.metrics:
            metrics = first.files.shown(first.metrics)
            data = read_file(first.metrics, name=metrics, max_bytes=max_bytes)
            reported = read_metrics(data, name=metrics, known=first.known_metrics)
            taken = (reported_finding(reported, name=metrics),)
        if first.trajectory is None:
            return [Reading("", taken)]
        data = read_file(first.trajectory, name=first.name, max_bytes=max_bytes)
        file = formats.open_file(data, name=first.name, max_bytes=max_bytes)
    except InputError as refused:
        return [Reading("", (error(refused.problem),))] * len(attempts)
    return [_read_sample(file, attempt, taken) for attempt in attempts]


def _lost_readings(attempts: list[FoundAttempt], loss: Loss) -> list[Reading]:
    return [Reading("", (error(loss.problem(attempt.name, attempt.sample)),)) for attempt in attempts]


def _read_sample(file: formats.File, attempt: FoundAttempt, taken: tuple[Finding, ...]) -> Reading:
    """Read one attempt; ``taken`` are the findings on its metrics file, which counts if it can be used."""
    try:
        trajectory = file.read(attempt.sample)
    except InputError as refused:
        return Reading("", (error(refused.problem),))
    except Exception as fault:  # noqa: BLE001 - one bad attempt must not stop the check of the others
        return Reading("", (error(unexpected(fault).problem(attempt.name, attempt.sample)),))
    trajectory, compared = with_answer(trajectory, attempt.answer, name=attempt.name)
    findings = (*taken, *compared, *examine(trajectory, name=attempt.name))
    return Reading(trajectory.format, findings, trajectory.model)
