"""A site's web server and worker as a deployment runs them: started, started again when they end, stopped.

Or as `make demo` does, which does the same with its own means.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from django.conf import settings

from runner.management.commands.demo import answers, web_command, worker_command
from tests.runs.workers import processes_with

PAUSE = 1.0
"""Seconds until what has ended is started again, as an init system does."""
SECONDS_TO_START = 90
SECONDS_TO_STOP = 30


class Service:
    """A command that is started again whenever it ends."""

    def __init__(self, command: list[str], log: Path) -> None:
        self._command = command
        self._log = log
        self._ended = 0.0
        self.start()

    def start(self) -> None:
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                self._command,
                cwd=settings.BASE_DIR,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def keep_up(self, now: float) -> None:
        if self.process.poll() is None:
            self._ended = 0.0
        elif not self._ended:
            self._ended = now
        elif now - self._ended >= PAUSE:
            self._ended = 0.0
            self.start()

    def stop(self) -> int:
        """End it as a deployment does; its status."""
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=SECONDS_TO_STOP)


class Site:
    """The web server on a port, and a worker, with all that they have started; ``demo``: by `make demo`."""

    def __init__(self, port: int, *, demo: bool) -> None:
        self.port = port
        self.logs: Path = settings.VAR / "log"
        self.logs.mkdir()
        commands = {"web": web_command(port), "worker": worker_command()}
        if demo:
            commands = {"demo": [sys.executable, "manage.py", "demo", "--port", str(port)]}
        self._services = [Service(command, self.logs / f"{name}.out") for name, command in commands.items()]
        self._over = threading.Event()
        self._keeper = threading.Thread(target=self._keep_up)
        self._keeper.start()

    def _keep_up(self) -> None:
        while not self._over.wait(0.1):
            for service in self._services:
                service.keep_up(time.monotonic())

    def wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + SECONDS_TO_START
        while not answers(self.port):
            assert time.monotonic() < deadline, f"the site does not answer\n{self.said()}"
            time.sleep(0.05)

    def processes(self) -> list[int]:
        """All that runs for the site, what the cells of a sandbox have started included."""
        return [pid for pid in processes_with(str(settings.VAR)) if pid != os.getpid()]

    def stop(self) -> None:
        """End both as a deployment does, and wait."""
        self._over.set()
        self._keeper.join()
        for service in self._services:
            service.stop()

    def kill(self) -> None:
        """End whatever is left."""
        self._over.set()
        self._keeper.join()
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for service in self._services:
            service.process.wait()

    def said(self) -> str:
        return "\n".join(
            path.read_text(errors="replace")[-3000:] for path in sorted(self.logs.glob("*.[lo]*"))
        )
