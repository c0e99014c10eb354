"""Keeps output of any length in bounded memory: its head and tail, and all of it in a file."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from runner.sandbox.base import Limits


def gap(missing: int) -> str:
    """The line for ``missing`` characters that were left out of an output."""
    return f"\n[{missing} characters left out]\n"


class HeadTail:
    """Keeps ``limit`` characters of a text: half of them from its start, half from its end.

    ``gap`` gives the text that replaces so many missing characters.
    """

    def __init__(self, limit: int, gap: Callable[[int], str] = gap) -> None:
        self._half = limit // 2
        self._gap = gap
        self._head: list[str] = []
        self._room = limit - self._half
        self._tail: deque[str] = deque()
        self._tail_size = 0
        self._dropped = 0
        self._hidden = 0

    def add(self, text: str, *, hidden: int = 0) -> None:
        """Appends text; the middle is dropped, and counted like the ``hidden`` ones left out before."""
        self._hidden += hidden
        if self._room:
            self._head.append(text[: self._room])
            text = text[self._room :]
            self._room -= len(self._head[-1])
        if not text:
            return
        self._tail.append(text)
        self._tail_size += len(text)
        while self._tail and self._tail_size - len(self._tail[0]) >= self._half:
            self._forget(len(self._tail.popleft()))
        if self._tail_size > 2 * self._half:
            # One piece of text that is much longer than the part that is kept.
            first = self._tail.popleft()
            extra = self._tail_size - self._half
            self._tail.appendleft(first[extra:])
            self._forget(extra)

    def text(self) -> str:
        """The kept text, with a line where characters are missing."""
        head, tail = "".join(self._head), "".join(self._tail)
        if self.missing() == self._hidden:
            return head + tail
        return head + self._gap(self.missing()) + tail[max(0, self._tail_size - self._half) :]

    def missing(self) -> int:
        """How many characters ``text`` leaves out."""
        return self._dropped + max(0, self._tail_size - self._half) + self._hidden

    def holds(self, more: int) -> bool:
        """Whether all of the text is kept, also after ``more`` characters."""
        return not self.missing() and more <= self._room + self._half - self._tail_size

    def _forget(self, characters: int) -> None:
        self._dropped += characters
        self._tail_size -= characters


@dataclass(frozen=True, slots=True)
class Captured:
    """One call's output; see `Execution`."""

    text: str
    dropped: int
    whole: Path | None
    cut: bool
    images: tuple[str, ...] = ()


class Capture:
    """Collects one call's output; if it is longer than ``kept``, it is also written to ``path``."""

    def __init__(self, limits: Limits, path: Path) -> None:
        self._limits = limits
        self._path = path
        self._kept = HeadTail(limits.kept)
        self._before: list[str] = []
        self._size = 0
        self._file: BinaryIO | None = None
        self._left = limits.whole
        self._cut = False

    def add(self, text: str) -> None:
        """Appends text that can be encoded as UTF-8."""
        self._kept.add(text)
        self._size += len(text)
        if self._file:
            self._write(text)
        elif self._size <= self._limits.kept:
            self._before.append(text)
        else:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("wb")
            for earlier in self._before:
                self._write(earlier)
            self._before.clear()
            self._write(text)

    def finish(self) -> Captured:
        if self._file:
            self._file.close()
        dropped = self._kept.missing()
        whole = self._path if self._file and dropped else None
        return Captured(self._kept.text(), dropped, whole, self._cut)

    def _write(self, text: str) -> None:
        if not self._file:
            return
        data = text.encode()
        if len(data) > self._left:
            self._cut = True
            # Never cut within a character.
            data = data[: self._left].decode(errors="ignore").encode()
            self._left = 0
        self._left = max(0, self._left - len(data))
        self._file.write(data)


def clean(text: str) -> str:
    """The text with lone surrogates as escapes, so that it can be encoded."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="backslashreplace").decode()
    return text
