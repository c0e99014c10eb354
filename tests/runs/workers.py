"""Real Celery workers as child processes, on the test's database, and the brokers between."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from celery import Celery
from django.conf import settings

from leaderboard.domain.jobs import TERMINAL
from leaderboard.models import Job, Run
from leaderboard.runs.services import WORK_TASK
from tests.runs.traps import TRAP_FILE
from tests.runs.worker_process import WorkerProcess
from tests.servers import database_url

SECONDS = 120
"""Until a condition must be true, on a machine that has much else to do."""


class Broker:
    """Messages on their way to workers: in a folder, or in Redis where ``url`` says so."""

    def __init__(self, var: Path, url: str = "") -> None:
        self.folder = var / "broker"
        self.variables = {"CELERY_BROKER_URL": url} if url else {}
        self._app = Celery(broker=url or "filesystem://localhost/", set_as_current=False)
        if not url:
            self.folder.mkdir()
            self._app.conf.broker_transport = "leaderboard.core.file_broker:Transport"
            self._app.conf.broker_transport_options = {"folder": str(self.folder)}

    def send(self, times: int) -> None:
        """Wake workers up, so many times."""
        for _ in range(times):
            self._app.send_task(WORK_TASK)

    def empty(self) -> None:
        """Lose every message."""
        if self.variables:
            with self._app.connection_for_write() as held:
                held.default_channel.client.flushall()
        for message in self.folder.glob("*"):
            message.unlink(missing_ok=True)

    def close(self) -> None:
        self._app.close()


class Workers:
    """Starts workers that share ``var``, and kills what is left of them."""

    def __init__(self, var: Path, broker: Broker) -> None:
        self.var = var
        self.broker = broker
        self._started: list[WorkerProcess] = []
        (var / "tmp").mkdir()

    def start(
        self, trap: str = "", *, alone: bool = False, database: dict[str, str] | None = None, **variables: str
    ) -> WorkerProcess:
        """A worker with one slot for runs and one for checks.

        Args:
            trap: where it dies.
            alone: what it has started, in processes of their own, lives on.
            database: options of its connections.
            variables: of its environment.
        """
        if trap:
            (self.var / TRAP_FILE).write_text(json.dumps({"trap": trap, "alone": alone}))
        number = len(self._started) + 1
        arguments = [
            # Django's checks import every page; `make check` runs them once.
            *("--skip-checks", "--app", "tests.runs.rigged", "worker"),
            *("--hostname", f"worker{number}@test", "--loglevel", "INFO"),
            *("--without-gossip", "--without-mingle", "--without-heartbeat", "-O", "fair"),
        ]
        environment = {
            "PATH": os.environ["PATH"],
            "SUPERBOARD_VAR": str(self.var),
            # A short path: sockets lie in it.
            "TMPDIR": str(self.var / "tmp"),
            "DATABASE_URL": database_url(**(database or {})),
            "SUPERBOARD_RUN_SLOTS": "1",
            "SUPERBOARD_CHECK_SLOTS": "1",
            "RUNNER_HEARTBEAT_SECONDS": "1",
            "RUNNER_SWEEP_SECONDS": "1",
            "RUNNER_MIN_FREE_DISK_MB": "0",
            "RUNNER_MIN_FREE_MEMORY_MB": "0",
            **self.broker.variables,
            **variables,
        }
        worker = WorkerProcess(
            arguments,
            folder=settings.BASE_DIR,
            variables=environment,
            log=self.var / f"worker{number}.log",
        )
        self._started.append(worker)
        return worker

    def kill(self) -> None:
        """Every worker, as `kill -9` does, with its process group."""
        for worker in self._started:
            if worker.poll() is None:
                # It may not have begun its session, with its group, yet.
                with suppress(ProcessLookupError):
                    os.killpg(worker.pid, signal.SIGKILL)
                worker.kill()
            worker.wait()

    def close(self) -> None:
        """Kill the workers and whatever else a failed test has left of theirs."""
        self.kill()
        for process in self.processes():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def processes(self) -> list[int]:
        """What runs in a worker's session, or has the folder in its environment."""
        return sorted(
            {*processes_in({worker.pid for worker in self._started}), *processes_with(str(self.var))}
        )

    def logs(self) -> str:
        return "\n".join(path.read_text(errors="replace")[-5000:] for path in self.var.glob("worker*.log"))

    def until(self, happens: Callable[[], bool], seconds: float = SECONDS) -> None:
        """Wait for a condition; where it does not come true, fail with what the workers said."""
        deadline = time.monotonic() + seconds
        while not happens():
            states = list(Job.objects.values_list("state", "claim_number", "phase", "reason"))
            assert time.monotonic() < deadline, f"{states}\n{self.logs()}"
            time.sleep(0.05)

    def until_ended(self, run: Run) -> None:
        """Wait until nothing more happens to a run's jobs."""
        self.until(lambda: not run.jobs.exclude(state__in=TERMINAL).exists())

    def until_asleep(self, run: Run) -> Job:
        """Wait until a job's cell has begun to sleep, and return the job."""
        self.until(lambda: run.jobs.filter(live_output__endswith="asleep\n").exists())
        return run.jobs.filter(live_output__endswith="asleep\n")[0]


def processes_with(text: str) -> list[int]:
    """Processes in whose environment ``text`` occurs, zombies left out."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if text.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def processes_in(sessions: set[int]) -> list[int]:
    """Processes of these sessions, zombies left out."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # "pid (name) state parent group session …"; the name may have spaces and brackets.
            state, _parent, _group, session = stat.read_text(errors="replace").rpartition(")")[2].split()[:4]
            if state != "Z" and int(session) in sessions:
                found.append(int(stat.parent.name))
    return found
