"""Begins Celery workers as forks of a process that has imported what takes long to import.

A worker needs two seconds of processor time to import all that it uses, and tests start more than a hundred.
Nothing here may read Django's settings: they depend on the variables that each worker is given.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from celery.__main__ import main

IMPORTED = (
    __name__,
    *("celery.bin.worker", "celery.concurrency.thread", "docker", "jupyter_client.blocking", "redis"),
    *("django.contrib.admin.utils", "django.contrib.staticfiles.storage", "nbconvert.exporters"),
    *("leaderboard.intake.check", "leaderboard.pipeline", "leaderboard.rendering.fragment"),
    "runner.agents.registry",
    *("runner.execution.attempt", "runner.sandbox.docker", "runner.sandbox.local"),
)

_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(list(IMPORTED))


class WorkerProcess:
    """A worker in a session of its own, with the interface of `subprocess.Popen` as far as tests need it."""

    def __init__(self, arguments: list[str], *, folder: Path, variables: dict[str, str], log: Path) -> None:
        self._process: ForkServerProcess = _forks.Process(
            target=_work, args=(arguments, folder, variables, log)
        )
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int | None:
        """The exit status, negative for a signal; None if it still runs after ``timeout`` seconds."""
        self._process.join(timeout)
        return self._process.exitcode

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()


def _work(arguments: list[str], folder: Path, variables: dict[str, str], log: Path) -> None:
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    tempfile.tempdir = None
    with log.open("ab") as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
    sys.argv = ["celery", *arguments]
    main()
