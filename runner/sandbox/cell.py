"""One cell on its way: fed by the thread that reads a kernel's messages, watched by the one that asked."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runner.sandbox.base import Limits
from runner.sandbox.output import Capture, Captured, HeadTail, clean


class Cell:
    """Collects output in bounded memory, also between calls, and knows when the cell has ended.

    Args:
        limits: what is kept.
        path: where outputs that are larger go; each call gets a name of its own beside it.
    """

    def __init__(self, limits: Limits, path: Path) -> None:
        self._limits = limits
        self._path = path
        self._calls = 0
        self._lock = threading.Lock()
        self._capture = self._new_capture()
        self._piece = HeadTail(limits.piece)
        self._idle = threading.Event()
        self._replied = False
        self._heard = time.monotonic()
        self.failed = False

    def feed(self, kind: str, content: Mapping[str, Any]) -> None:
        """Takes in a message of this cell from iopub."""
        if kind == "status":
            if content["execution_state"] == "idle":
                self._idle.set()
            return
        self.failed = self.failed or kind == "error"
        self.add(text_of(kind, content))

    def add(self, text: str) -> None:
        """Appends text to the output."""
        text = clean(text)
        with self._lock:
            self._heard = time.monotonic()
            self._capture.add(text)
            self._piece.add(text)

    def reply(self, *, failed: bool) -> None:
        """Takes in the kernel's reply on the shell channel."""
        self.failed = self.failed or failed
        self._replied = True
        self._heard = time.monotonic()

    def wait(self, seconds: float) -> None:
        """Returns when the cell is idle, or after ``seconds``."""
        self._idle.wait(seconds)

    @property
    def incomplete(self) -> bool:
        """Whether it replied, was silent since for long enough, and never said that it is idle."""
        silence = time.monotonic() - self._heard
        return self._replied and not self._idle.is_set() and silence >= self._limits.silence_seconds

    @property
    def ended(self) -> bool:
        """Whether nothing more is to come."""
        return self._idle.is_set() or self.incomplete

    def take_piece(self) -> str:
        """What came since this was last called, within the limit for a piece."""
        with self._lock:
            piece, self._piece = self._piece, HeadTail(self._limits.piece)
        return piece.text()

    def take(self) -> Captured:
        """What came since this was last called; further output begins a new capture."""
        with self._lock:
            capture, self._capture = self._capture, self._new_capture()
        return capture.finish()

    def _new_capture(self) -> Capture:
        self._calls += 1
        return Capture(self._limits, self._path.with_name(f"{self._path.name}-{self._calls}.txt"))


def text_of(kind: str, content: Mapping[str, Any]) -> str:
    """What a message adds to the output; nothing where it isn't output."""
    if kind == "stream":
        return str(content["text"])
    if kind in ("execute_result", "display_data"):
        return f"{content['data'].get('text/plain', '')}\n"
    if kind == "error":
        return "\n".join(map(str, content["traceback"])) + "\n"
    return ""
