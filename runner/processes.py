"""Child processes that are started again when they end, and files that are followed as `tail -f` does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from django.conf import settings

from leaderboard.core.restarts import Restarts

SECONDS_BETWEEN_LOOKS = 0.2


@contextmanager
def following(path: Path, say: Callable[[str], None]) -> Iterator[None]:
    """While the context is open, call ``say`` with what is appended to the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    done = threading.Event()
    thread = threading.Thread(target=_follow, args=(path, path.stat().st_size, say, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _follow(path: Path, start: int, say: Callable[[str], None], done: threading.Event) -> None:
    with path.open(errors="replace") as file:
        file.seek(start)
        last = False
        while not last:
            # Read once more after the end, for text that came in between.
            last = done.wait(SECONDS_BETWEEN_LOOKS)
            if text := file.read():
                say(text)


SECONDS_TO_STOP = 15
TAIL_LINES = 20
GUARD = Path(__file__).with_name("guard.py")


class ChildDied(Exception):
    """A child process ended unexpectedly. The message has its exit status and the end of its log."""


class ChildProcess:
    """A command that runs while its context is open, in its own process group, and logs to a file.

    It ends with this process, however that ends: its guard waits for the end of a pipe.
    """

    def __init__(self, name: str, command: list[str], log: Path) -> None:
        self.name = name
        self.command = command
        self.log = log
        self._restarts = Restarts()
        self._due: float | None = None

    def __enter__(self) -> Self:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.log.unlink(missing_ok=True)
        self._start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def check_it_lives(self, *, wait: float = 0) -> None:
        """Raise ChildDied if the process has ended, or ends within `wait` seconds."""
        try:
            self.process.wait(timeout=wait)
        except subprocess.TimeoutExpired:
            return
        raise ChildDied(f"{self._how_it_ended()}\n{self.log_tail()}")

    def restart_if_ended(self) -> str:
        """Start the process again, after a pause, if it has ended; returns what there is to say."""
        if self.process.poll() is None:
            return ""
        now = time.monotonic()
        if self._due is None:
            self._kill_group()
            pause = self._restarts.pause_after(now - self._started)
            self._due = now + pause
            return f"{self._how_it_ended()} It starts again in {pause:.0f} s; its log is {self.log}."
        if now < self._due:
            return ""
        self._start()
        return f"The {self.name} runs again."

    def log_tail(self) -> str:
        with self.log.open(errors="replace") as lines:
            tail = "".join(deque(lines, maxlen=TAIL_LINES))
        return f"The end of {self.log}:\n{tail}"

    def stop(self) -> None:
        """Send SIGTERM to the process, wait for its end, and kill what is left of its group."""
        self.process.terminate()
        try:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=SECONDS_TO_STOP)
        finally:
            self._kill_group()
            self.process.wait()

    def _start(self) -> None:
        self._due, self._started = None, time.monotonic()
        with self.log.open("ab") as log:
            # Its own group, so that Ctrl-C reaches only this process, which then stops children in order.
            self.process = subprocess.Popen(  # noqa: S603 - commands are ours
                [sys.executable, str(GUARD), *self.command],
                cwd=settings.BASE_DIR,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _how_it_ended(self) -> str:
        status = self.process.returncode
        how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        return f"The {self.name} {how}."

    def _kill_group(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        if self.process.stdin:
            self.process.stdin.close()
