"""Prepare many attempts at once, in processes of their own.

Pure, like all that the workers import: a worker process starts in a fraction of the time that Django needs.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.context import BaseContext
from pathlib import Path

from leaderboard import pipeline
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.scores import Metric
from leaderboard.domain.tasks import TaskSpec
from leaderboard.formats.documents import check_size
from leaderboard.formats.run_folder import AttemptFiles, read_metrics

# Each worker process costs a second of imports: below this many files one process is quicker.
FILES_WORTH_WORKERS = 8


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker needs to prepare one attempt.

    Attributes:
        files: where to read it.
        spec: the task to score it against.
        title: heads its self-contained page.
        known_digest: what is recorded already: the same is not prepared again.
        limit: the largest trajectory, in bytes.
    """

    files: AttemptFiles
    spec: TaskSpec
    title: str
    known_digest: str
    limit: int


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a job: ``prepared`` is None without a trajectory, and where nothing changed."""

    digest: str
    reported: dict[Metric, float | None]
    prepared: pipeline.Prepared | None


def prepare_all(jobs: list[Job], workers: int | None) -> Iterator[tuple[Job, Result | Problem]]:
    """Prepare every job, in ``workers`` processes (all cores where None); results come as they are ready."""
    workers = workers or os.cpu_count() or 1
    if workers == 1 or len(jobs) < FILES_WORTH_WORKERS:
        for job in jobs:
            yield job, _prepare(job)
        return
    # Spawned, not forked: a fork would share the caller's database connection and its threads' locks.
    context = multiprocessing.get_context("spawn")
    waiting = list(reversed(jobs))
    running: dict[Future[Result | Problem], Job] = {}
    try:
        with ProcessPoolExecutor(workers, mp_context=context, initializer=_end_with_parent) as pool:
            while waiting or running:
                # A few ahead and no more: results wait in memory until they are recorded.
                while waiting and len(running) < workers * 2:
                    job = waiting.pop()
                    running[pool.submit(_prepare, job)] = job
                finished, _pending = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    result = future.result()
                    yield running.pop(future), result
    except BrokenProcessPool:
        # Somebody killed a worker, most often for the memory it took. Which file it was at shows one by one.
        for job in (*running.values(), *reversed(waiting)):
            yield job, _alone(job, context)


def _alone(job: Job, context: BaseContext) -> Result | Problem:
    try:
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            return pool.submit(_prepare, job).result()
    except BrokenProcessPool:
        reason = "the process that prepared it was killed, most likely for the memory it took"
        return Problem(job.files.name, "", reason, "try again on a machine with more memory")


def _end_with_parent() -> None:
    """Have a worker end with the process that started it: killed, that one can't tell it to."""

    def watch() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _prepare(job: Job) -> Result | Problem:
    """Runs in a worker: everything about one attempt that needs no database."""
    files = job.files
    try:
        contents = {
            path.name: _read(path, f"{files.name}/{path.name}", job.limit)
            for path in (files.trajectory, files.metrics, files.metadata)
            if path is not None
        }
        metrics = files.metrics.name if files.metrics else None
        reported = read_metrics(contents[metrics], name=f"{files.name}/{metrics}") if metrics else {}
        if files.answer:
            # No file has a name with a NUL.
            contents["\0answer"] = files.answer.as_bytes()
        digest = pipeline.source_digest(contents, sample=files.sample)
        if files.trajectory is None or digest == job.known_digest:
            return Result(digest, reported, None)
        data = contents[files.trajectory.name]
        prepared = pipeline.prepare(
            data,
            name=f"{files.name}/{files.trajectory.name}",
            task=job.spec,
            title=job.title,
            sample=files.sample,
            max_bytes=job.limit,
            answer=files.answer,
        )
        return Result(digest, reported, prepared)
    except InputError as error:
        return error.problem
    except Exception as error:  # noqa: BLE001 - one odd file must not keep the others out
        detail = f"{type(error).__name__}: {error}"
        reason = f"could not be prepared: {detail}"
        return Problem(files.name, "", reason, "this is a fault of ours: report it with the file")


def _read(path: Path, name: str, limit: int) -> bytes:
    try:
        check_size(path.stat().st_size, name=name, max_bytes=limit)
        return path.read_bytes()
    except OSError as error:
        reason = f"can't be read: {error.strerror or str(error)}"
        remedy = "check that the file is there and its permissions"
        raise InputError(Problem(name, "", reason, remedy)) from error
