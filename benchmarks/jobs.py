"""How soon after the click a job has its first step, and whether many jobs at once all come to an end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from time import monotonic, perf_counter

from benchmarks.sandbox import START_DOCKER, START_LOCAL, no_engine
from benchmarks.table import Row
from benchmarks.temporary_site import ROOT, VAR, client
from leaderboard.catalogue.selectors import get_task_set
from leaderboard.domain.jobs import TERMINAL, JobState
from leaderboard.models import JobStep, Run, Worker
from leaderboard.runs.services import cancel_jobs, create_run
from runner.processes import ChildProcess
from runner.sandbox.environment import prepare_base

AT_ONCE = 8
CLICKS = 3
SECONDS = 60
"""Until what is waited for must have happened."""
SHORT = ("dialect-crumbs", "gloss-polarity", "keygrain", "pairwise-nli")
"""Tasks on which the expert takes seconds."""


def measure() -> list[Row]:
    """Seconds from making a run to its first step, as the median of 3, and how many of 8 jobs finished."""
    client()
    prepare_base(ROOT / "var" / "kernel-env", ROOT / "constraints.txt")
    (VAR / "kernel-env").symlink_to(ROOT / "var" / "kernel-env")
    with a_worker() as worker:
        rows = [_clicks(worker, "local", START_LOCAL)]
        if reason := no_engine():
            missing = float("nan")
            rows.append(Row(f"docker: {reason}", missing, missing, "", "not measured"))
        else:
            rows.append(_clicks(worker, "docker", START_DOCKER))
        return [*rows, *_all_at_once(worker)]


@contextmanager
def a_worker() -> Iterator[ChildProcess]:
    """A worker on the temporary site with a slot for each of the jobs, up and waiting."""
    command = [
        *("env", f"SUPERBOARD_RUN_SLOTS={AT_ONCE}"),
        *(sys.executable, "-m", "celery", "-A", "runner.worker.app", "worker"),
        *("--without-gossip", "--without-mingle", "--without-heartbeat", "-O", "fair"),
    ]
    with ChildProcess("worker", command, VAR / "log" / "worker.log") as worker:
        _wait(worker, Worker.objects.exists)
        yield worker


def _clicks(worker: ChildProcess, sandbox: str, most: float) -> Row:
    taken = [_click(worker, sandbox) for _ in range(CLICKS)]
    return Row(f"{sandbox}: click to first step", median(taken), most, "s", f"at most {most:g} s")


def _click(worker: ChildProcess, sandbox: str) -> float:
    start = perf_counter()
    run = _make_run(sandbox, SHORT[:1], attempts=1)
    _wait(worker, JobStep.objects.filter(job__run=run).exists)
    taken = perf_counter() - start
    cancel_jobs(run)
    _wait(worker, lambda: _has_ended(run))
    return taken


def _all_at_once(worker: ChildProcess) -> list[Row]:
    start = perf_counter()
    run = _make_run("local", SHORT, attempts=AT_ONCE // len(SHORT))
    _wait(worker, lambda: _has_ended(run))
    taken = perf_counter() - start
    finished = run.jobs.filter(state=JobState.FINISHED).count()
    name = f"{AT_ONCE} jobs at once on {os.cpu_count()} cores"
    return [
        Row(f"{name}: finished", finished, AT_ONCE, "jobs", "all"),
        Row(f"{name}: until the last has ended", taken, SECONDS, "s", f"at most {SECONDS} s"),
    ]


def _make_run(sandbox: str, task_ids: tuple[str, ...], *, attempts: int) -> Run:
    task_set = get_task_set("warm-up/all")
    return create_run(
        task_set=task_set,
        tasks=task_set.tasks.filter(task_id__in=task_ids),
        attempts=attempts,
        agent="scripted-expert",
        scaffold="benchmark",
        model=sandbox,
        settings={},
        sandbox=sandbox,
        limits={},
        max_parallel=AT_ONCE,
    )


def _has_ended(run: Run) -> bool:
    return not run.jobs.exclude(state__in=TERMINAL).exists()


def _wait(worker: ChildProcess, happens: Callable[[], bool]) -> None:
    deadline = monotonic() + SECONDS
    while not happens():
        worker.check_it_lives(wait=0.01)
        assert monotonic() < deadline, worker.log_tail()
