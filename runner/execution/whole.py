"""Keeps the whole output of a step on disk where its observation leaves some of it out."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from backports import zstd

READ_SIZE = 1 << 20


@dataclass(frozen=True, slots=True)
class WholeOutput:
    """The whole output of a step.

    Attributes:
        path: a file: UTF-8, compressed by zstd.
        digest: SHA-256 of the uncompressed bytes.
        size: number of the uncompressed bytes.
        cut: its end is missing, because it reached the limit.
    """

    path: Path
    digest: str
    size: int
    cut: bool


class WholeOutputs:
    """The whole outputs of one attempt: ``each`` limits the bytes of a step's, ``together`` those of all.

    The folder is created when needed; the caller removes it.
    """

    def __init__(self, folder: Path, *, each: int, together: int) -> None:
        self._folder = folder
        self._each = each
        self.left = together

    def begin(self, step: int) -> OutputWriter:
        """Opens the output of a step. The caller must call ``finish``."""
        self._folder.mkdir(parents=True, exist_ok=True)
        return OutputWriter(self._folder / f"step-{step}.zst", self._each, self)


class OutputWriter:
    def __init__(self, path: Path, limit: int, outputs: WholeOutputs) -> None:
        self._path = path
        self._left = limit
        self._outputs = outputs
        self._digest = hashlib.sha256()
        self._size = 0
        self._cut = False
        self._file = zstd.open(path, "wb", level=3)

    def add(self, data: bytes) -> None:
        """Appends as many bytes as the limits allow."""
        room = min(self._left, self._outputs.left)
        if len(data) > room:
            data = data[:room]
            self._cut = True
        self._left -= len(data)
        self._outputs.left -= len(data)
        self._size += len(data)
        self._digest.update(data)
        self._file.write(data)

    def add_file(self, path: Path, *, cut: bool) -> None:
        """Appends a file's bytes; ``cut`` if the file lacks the end of the output."""
        with path.open("rb") as file:
            while data := file.read(READ_SIZE):
                self.add(data)
        self._cut = self._cut or cut

    def finish(self) -> WholeOutput:
        self._file.close()
        return WholeOutput(self._path, self._digest.hexdigest(), self._size, self._cut)
