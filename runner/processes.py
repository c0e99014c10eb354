"""Follows a file, as `tail -f` does."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from django.conf import settings

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


class ChildDied(Exception):
    """A child process ended unexpectedly. The message has its exit status and the end of its log."""


class ChildProcess:
    """A command that runs while its context is open, in its own process group, and logs to a file."""

    def __init__(self, name: str, command: list[str], log: Path) -> None:
        self.name = name
        self.command = command
        self.log = log

    def __enter__(self) -> Self:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as log:
            # Its own group, so that Ctrl-C reaches only this process, which then stops children in order.
            self.process = subprocess.Popen(  # noqa: S603 - commands are ours
                self.command,
                cwd=settings.BASE_DIR,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def check_it_lives(self, *, wait: float = 0) -> None:
        """Raise ChildDied if the process has ended, or ends within `wait` seconds."""
        try:
            status = self.process.wait(timeout=wait)
        except subprocess.TimeoutExpired:
            return
        raise ChildDied(f"The {self.name} ended with status {status}.\n{self.log_tail()}")

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
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
