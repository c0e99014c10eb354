"""Prepare many attempts from a process that can't have workers of its own, such as a Celery worker's.

Celery's processes are not the standard library's: a pool of `multiprocessing` refuses to start under one. So
a helper process stands between, which is Python's own from its first line, has the pool, and passes on what
comes out of it. What kills the helper kills nobody else.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from leaderboard.domain.errors import Problem
from leaderboard.preparing import Job, Result, prepare_all

SECONDS_TO_END = 10
ROOT = Path(__file__).resolve().parent.parent


class HelperDied(RuntimeError):
    """The helper ended before its work did: somebody killed it, most often for the memory it took."""


def prepare_aside(jobs: list[Job], workers: int | None = None) -> Iterator[tuple[Job, Result | Problem]]:
    """What `preparing.prepare_all` does, in processes that need nothing from this one.

    Raises:
        HelperDied: the helper was killed; what came before stands.
    """
    command = [sys.executable, "-m", "leaderboard.aside"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as helper:  # noqa: S603 - ours
        requests, answers = cast("BinaryIO", helper.stdin), cast("BinaryIO", helper.stdout)
        try:
            with contextlib.suppress(BrokenPipeError):
                pickle.dump((jobs, workers), requests)
                requests.flush()
            for _ in jobs:
                try:
                    number, result = pickle.load(answers)  # noqa: S301 - from a process of ours
                except (EOFError, pickle.UnpicklingError):
                    raise HelperDied(f"it ended with status {helper.wait()}") from None
                yield jobs[number], result
            # Its pool is taken down in order; the pipe to it stays open so long.
            with contextlib.suppress(subprocess.TimeoutExpired):
                helper.wait(SECONDS_TO_END)
        finally:
            # Its own workers end with it, as it does where this process is killed before it gets here.
            helper.kill()


def _serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Run in the helper: one request, then an answer for each of its jobs, by the job's number."""
    jobs, workers = pickle.load(requests)  # noqa: S301 - from the process that started us
    threading.Thread(target=_end_with_parent, args=(requests,), daemon=True).start()
    numbers = {id(job): number for number, job in enumerate(jobs)}
    for job, result in prepare_all(jobs, workers):
        pickle.dump((numbers[id(job)], result), answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()


def _end_with_parent(requests: BinaryIO) -> None:
    """End at once when whoever started us is gone, however it went: nobody wants our answers."""
    # Not through the reader, whose lock would be held when the helper ends in order.
    while os.read(requests.fileno(), 1):
        pass
    os._exit(1)


def _main() -> None:
    # Whatever prints, here or in a worker, must not print into our answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    _main()
