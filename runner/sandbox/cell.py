"""A running cell: the reader thread adds the kernel's messages, the calling thread takes the output."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from runner.sandbox.base import Limits
from runner.sandbox.output import Capture, Captured, HeadTail, clean

IMAGES = ("image/png", "image/jpeg")
MOST_IMAGES = 50
"""How many images are kept of one call."""


class Cell:
    """Collects the output in bounded memory, and knows when the cell has ended.

    Files for larger outputs, one for each call, begin with ``path``.
    """

    def __init__(self, limits: Limits, path: Path) -> None:
        self._limits = limits
        self._path = path
        self._calls = 0
        self._lock = threading.Lock()
        self._capture = self._new_capture()
        self._piece = HeadTail(limits.piece)
        self._images: list[str] = []
        self._room = limits.images
        self._stream, self._open_line = "", False
        self._idle = threading.Event()
        self._replied = False
        self._heard = time.monotonic()
        self.failed = False

    def feed(self, kind: str, content: Mapping[str, Any]) -> None:
        """Handles a message of this cell from the iopub channel."""
        if kind == "status":
            if content["execution_state"] == "idle":
                self._idle.set()
            return
        self.failed = self.failed or kind == "error"
        self.add(self._on_its_line(kind, content))
        if image := image_of(kind, content):
            with self._lock:
                if len(image) <= self._room and len(self._images) < MOST_IMAGES:
                    self._room -= len(image)
                    self._images.append(image)

    def add(self, text: str) -> None:
        text = clean(text)
        with self._lock:
            self._heard = time.monotonic()
            self._capture.add(text)
            self._piece.add(text)

    def reply(self, *, failed: bool) -> None:
        """Handles the kernel's reply from the shell channel."""
        self.failed = self.failed or failed
        self._replied = True
        self._heard = time.monotonic()

    def wait(self, seconds: float) -> None:
        """Returns when the cell is idle, or after ``seconds``."""
        self._idle.wait(seconds)

    @property
    def incomplete(self) -> bool:
        """Whether the kernel replied, then sent nothing for a while, and never reported that it is idle."""
        silence = time.monotonic() - self._heard
        return self._replied and not self._idle.is_set() and silence >= self._limits.silence_seconds

    @property
    def ended(self) -> bool:
        """Whether no more output is expected."""
        return self._idle.is_set() or self.incomplete

    def take_piece(self) -> str:
        """The output since the last call of this, up to the limit for a piece."""
        with self._lock:
            piece, self._piece = self._piece, HeadTail(self._limits.piece)
        return piece.text()

    def claim(self) -> Captured:
        """The output since the last call of this; later output goes to a new capture."""
        with self._lock:
            capture, self._capture = self._capture, self._new_capture()
            images, self._images = tuple(self._images), []
            self._room = self._limits.images
        return replace(capture.finish(), images=images)

    def _on_its_line(self, kind: str, content: Mapping[str, Any]) -> str:
        """The text of a message, with a line end before it if other output has left a line open."""
        stream, text = str(content.get("name", "stdout")) if kind == "stream" else "", text_of(kind, content)
        if not text:
            return ""
        begun = self._open_line and not (stream and stream == self._stream)
        self._stream, self._open_line = stream, not text.endswith("\n")
        return f"\n{text}" if begun else text

    def _new_capture(self) -> Capture:
        self._calls += 1
        return Capture(self._limits, self._path.with_name(f"{self._path.name}-{self._calls}.txt"))


def text_of(kind: str, content: Mapping[str, Any]) -> str:
    """The text of an output message; empty for other messages."""
    if kind == "stream":
        return str(content["text"])
    if kind in ("execute_result", "display_data"):
        data = content["data"]
        return f"{data['text/plain']}\n" if "text/plain" in data else ""
    if kind == "error":
        return "\n".join(map(str, content["traceback"])) + "\n"
    return ""


def image_of(kind: str, content: Mapping[str, Any]) -> str:
    """The image of an output message as a data URL; empty without one."""
    data = content["data"] if kind in ("execute_result", "display_data") else {}
    for mime in IMAGES:
        if isinstance(image := data.get(mime), str):
            return f"data:{mime};base64,{image}"
    return ""
