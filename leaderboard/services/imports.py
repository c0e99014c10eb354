"""Import a folder of a run: every attempt takes the one road, on all cores."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings

from leaderboard import pipeline
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.scores import Metric
from leaderboard.domain.tasks import TaskSpec
from leaderboard.formats.documents import check_size
from leaderboard.formats.run_folder import AttemptFiles, read_metrics, scan_run
from leaderboard.models import Attempt, Entry, Task, TaskSet
from leaderboard.selectors.catalogue import task_spec
from leaderboard.services.attempts import Outcome, ensure_entry, record_attempt
from leaderboard.services.figures import refresh_figures

# Each worker process costs a second of imports: below this many files one process is quicker.
FILES_WORTH_WORKERS = 8


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker needs to prepare one attempt; ``known_digest`` is what is recorded already."""

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


@dataclass(slots=True)
class RunImport:
    """What an import did: task ids by outcome, and a problem for each file that was left out."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def note(self, task_id: str, outcome: Outcome) -> None:
        {"added": self.added, "changed": self.changed, "unchanged": self.unchanged}[outcome].append(task_id)


def import_run(
    root: Path,
    *,
    task_set: TaskSet,
    agent: str,
    model: str,
    number: int = 1,
    workers: int | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> RunImport:
    """Record every attempt in a folder of the authors' layout as attempt ``number`` of the agent's entry.

    What can't be read is listed with its reason and leaves nothing behind; the rest is recorded. Importing the
    same folder again changes nothing. The entry is made when the first attempt is there to be recorded.

    Args:
        workers: processes to read, score and render in; all cores where None.
        on_progress: called with the numbers of files done and in all.

    Raises:
        InputError: ``root`` is no folder of a run at all.
    """
    folder = scan_run(root)
    report = RunImport(problems=list(folder.problems))
    tasks = {task.task_id: task for task in Task.objects.filter(task_set=task_set)}
    entry = Entry.objects.filter(task_set=task_set, agent__name=agent, agent__model=model).first()
    jobs = list(_jobs(folder.attempts, tasks, f"{agent} · {model}", _known_digests(entry, number), report))
    done = 0
    try:
        for job, result in _in_processes(jobs, workers):
            done += 1
            if isinstance(result, Problem):
                report.problems.append(result)
            else:
                entry = entry or ensure_entry(task_set=task_set, agent=agent, model=model)
                outcome = record_attempt(
                    entry=entry,
                    task=tasks[job.spec.task_id],
                    number=number,
                    digest=result.digest,
                    prepared=result.prepared,
                    reported=result.reported,
                )
                report.note(job.spec.task_id, outcome)
            on_progress(done, len(jobs))
    finally:
        # Also where somebody interrupts: what is recorded by then shows in the figures.
        if entry and (report.added or report.changed):
            refresh_figures(task_set, [entry])
    report.problems.sort(key=lambda problem: problem.file)
    return report


def _known_digests(entry: Entry | None, number: int) -> dict[str, str]:
    attempts = Attempt.objects.filter(entry=entry, number=number) if entry else Attempt.objects.none()
    return dict(attempts.values_list("task__task_id", "source_digest"))


def _jobs(
    attempts: tuple[AttemptFiles, ...],
    tasks: Mapping[str, Task],
    agent: str,
    known: Mapping[str, str],
    report: RunImport,
) -> Iterator[Job]:
    for files in attempts:
        task = tasks.get(files.task_id)
        if task is None:
            reason = f"“{files.task_id}” is not a task of this task set"
            report.problems.append(Problem(files.name, "", reason, "import its tasks first, or check --set"))
            continue
        yield Job(
            files=files,
            spec=task_spec(task),
            title=f"{files.task_id} · {agent}",
            known_digest=known.get(files.task_id, ""),
            limit=settings.SUPERBOARD_MAX_TRAJECTORY_MB << 20,
        )


def _in_processes(jobs: list[Job], workers: int | None) -> Iterator[tuple[Job, Result | Problem]]:
    workers = workers or os.cpu_count() or 1
    if workers == 1 or len(jobs) < FILES_WORTH_WORKERS:
        for job in jobs:
            yield job, _prepare(job)
        return
    # Spawned, not forked: a fork would share the database connection.
    context = multiprocessing.get_context("spawn")
    waiting = list(reversed(jobs))
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        running: dict[Future[Result | Problem], Job] = {}
        while waiting or running:
            # A few ahead and no more: results wait in memory until they are recorded.
            while waiting and len(running) < workers * 2:
                job = waiting.pop()
                running[pool.submit(_prepare, job)] = job
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield running.pop(future), future.result()


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
        digest = pipeline.source_digest(contents)
        if files.trajectory is None or digest == job.known_digest:
            return Result(digest, reported, None)
        data = contents[files.trajectory.name]
        name = f"{files.name}/{files.trajectory.name}"
        return Result(digest, reported, pipeline.prepare(data, name=name, task=job.spec, title=job.title))
    except InputError as error:
        return error.problem


def _read(path: Path, name: str, limit: int) -> bytes:
    try:
        check_size(path.stat().st_size, name=name, max_bytes=limit)
        return path.read_bytes()
    except OSError as error:
        reason = f"can't be read: {error.strerror or error}"
        raise InputError(
            Problem(name, "", reason, "check that the file is there and its permissions")
        ) from error
