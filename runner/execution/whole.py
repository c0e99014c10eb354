"""All that a step's cell said, on disk, where the step itself leaves some of it out."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from backports import zstd

READ_SIZE = 1 << 20


@dataclass(frozen=True, slots=True)
class WholeOutput:
    """A finished one.

    Attributes:
        path: its file: UTF-8, compressed by zstd.
        digest: SHA-256 of what was compressed.
        size: bytes of the same.
        cut: its end is missing, since even this limit was reached.
    """

    path: Path
    digest: str
    size: int
    cut: bool


class WholeOutputs:
    """Where one attempt's go, and what they may take.

    Args:
        folder: made when it is needed; the caller removes it.
        each: bytes kept of one step's output.
        together: bytes kept of all of them.
    """

    def __init__(self, folder: Path, *, each: int, together: int) -> None:
        self._folder = folder
        self._each = each
        self.left = together

    def begin(self, step: int) -> OutputWriter:
        """The output of a step; the caller finishes it, even where nobody will want it."""
        self._folder.mkdir(parents=True, exist_ok=True)
        return OutputWriter(self._folder / f"step-{step}.zst", self._each, self)


class OutputWriter:
    """Takes an output in piece by piece, in bounded memory."""

    def __init__(self, path: Path, limit: int, outputs: WholeOutputs) -> None:
        self._path = path
        self._left = limit
        self._outputs = outputs
        self._digest = hashlib.sha256()
        self._size = 0
        self._cut = False
        self._file = zstd.open(path, "wb", level=3)

    def add(self, data: bytes) -> None:
        """Appends as much as there is room for."""
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
        """Appends what is in a file; ``cut`` says that more should be in it."""
        with path.open("rb") as file:
            while data := file.read(READ_SIZE):
                self.add(data)
        self._cut = self._cut or cut

    def finish(self) -> WholeOutput:
        """Closes the file."""
        self._file.close()
        return WholeOutput(self._path, self._digest.hexdigest(), self._size, self._cut)
