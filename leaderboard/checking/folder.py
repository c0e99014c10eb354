"""Checks a whole folder: survey, read, examine, report."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from leaderboard import formats
from leaderboard.checking.catalogue import Catalogue
from leaderboard.checking.description import Description, merge
from leaderboard.checking.examine import examine
from leaderboard.checking.findings import Finding, error
from leaderboard.checking.found import FoundAttempt
from leaderboard.checking.report import Report, ReportBuilder
from leaderboard.checking.survey import survey
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.texts import gettext as _
from leaderboard.formats.documents import MAX_BYTES, check_size
from leaderboard.formats.run_folder import read_metrics

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
    """Check everything in a folder.

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
    found = survey(folder, name=name, catalogue=catalogue, benchmark=form.benchmark, task_set=form.task_set)
    benchmark, _slash, task_set = found.task_set.partition("/")
    known = Description(benchmark=benchmark, task_set=task_set)
    builder = ReportBuilder(
        name,
        found,
        tasks=len(catalogue.sets.get(found.task_set, ())),
        description=merge(merge(known, found.description), form),
        left_out=left_out,
    )
    attempts = list(found.attempts)
    for done, (attempt, reading) in enumerate((read or read_all)(attempts), start=1):
        builder.add(attempt, format_name=reading.format_name, findings=reading.findings)
        on_progress(done, len(attempts))
    return builder.report()


def read_all(
    attempts: list[FoundAttempt], *, workers: int | None = None, max_bytes: int = MAX_BYTES
) -> Iterator[tuple[FoundAttempt, Reading]]:
    """Read and examine every attempt, in ``workers`` processes (all cores where None)."""
    workers = workers or os.cpu_count() or 1
    one = partial(read_attempt, max_bytes=max_bytes)
    if workers == 1 or len(attempts) < FILES_WORTH_WORKERS:
        yield from ((attempt, one(attempt)) for attempt in attempts)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        yield from zip(attempts, pool.map(one, attempts, chunksize=2), strict=True)


def read_attempt(attempt: FoundAttempt, *, max_bytes: int = MAX_BYTES) -> Reading:
    """Read and examine one attempt; what can't be read is an error among the findings."""
    try:
        if attempt.metrics:
            metrics = f"{attempt.files.name}/{attempt.metrics.name}"
            read_metrics(_read(attempt.metrics, metrics, max_bytes), name=metrics)
        if attempt.trajectory is None:
            return Reading("", ())
        data = _read(attempt.trajectory, attempt.name, max_bytes)
        trajectory = formats.read(data, name=attempt.name, max_bytes=max_bytes)
    except InputError as refused:
        return Reading("", (error(refused.problem),))
    return Reading(trajectory.format, examine(trajectory, name=attempt.name))


def _read(path: Path, name: str, max_bytes: int) -> bytes:
    try:
        check_size(path.stat().st_size, name=name, max_bytes=max_bytes)
        return path.read_bytes()
    except OSError as fault:
        reason = _("the file can't be read: {error}", error=fault.strerror or str(fault))
        raise InputError(Problem(name, "", reason, _("check its permissions"))) from None
