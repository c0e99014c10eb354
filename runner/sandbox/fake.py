"""A sandbox with a fake kernel that follows a script, for tests.

Only the kernel is fake: output is collected, and a cell's end recognised, by the real code.
"""

from __future__ import annotations

import posixpath
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from runner.sandbox import hardware
from runner.sandbox.base import Limits, SandboxError
from runner.sandbox.cell import Cell
from runner.sandbox.kernel import KernelSandbox, Wire

FLOOD_PIECE = 100_000
ROOT = PurePosixPath("/workspace")


@dataclass(frozen=True, slots=True)
class Reply:
    """What the fake kernel does with a cell.

    Attributes:
        output: what it prints, piece by piece.
        flood: how many characters it prints after that.
        seconds: how long it then runs; infinite until it is interrupted.
        error: whether it ends with an exception; put the traceback into ``output``.
        ignores_interrupts: whether an interrupt changes nothing.
        loses_idle: whether it never reports that it is idle.
        dies: if not empty, the kernel dies for this reason instead of ending the cell.
    """

    output: tuple[str, ...] = ()
    flood: int = 0
    seconds: float = 0.0
    error: bool = False
    ignores_interrupts: bool = False
    loses_idle: bool = False
    dies: str = ""


Script = Mapping[str, Reply] | Callable[[str], Reply]


class FakeSandbox(KernelSandbox):
    """Follows a script; its files are in memory.

    The script has a reply for each cell, by its code; a cell without one raises NameError, as in Python. The
    start takes ``slow`` seconds, and fails beyond ``start_seconds``.
    """

    def __init__(self, script: Script, limits: Limits | None = None, *, slow: float = 0.0) -> None:
        super().__init__(limits or Limits())
        self.files: dict[str, bytes] = {}
        self.codes: list[str] = []
        """Cells that were sent, in order."""
        self._slow = slow
        self._kernel = _FakeKernel(script, self.codes)

    def write_file(self, name: str, data: bytes) -> None:
        self.files[self._key(name)] = data

    def read_file(self, name: str) -> bytes:
        key = self._key(name)
        if key not in self.files:
            raise FileNotFoundError(name)
        if len(self.files[key]) > self.limits.file:
            raise SandboxError(f"{name} has more bytes than the limit of {self.limits.file:,}")
        return self.files[key]

    def describe(self) -> dict[str, Any]:
        self._open_wire()
        return {
            "kind": "fake",
            "python": "none",
            "ipykernel": "none",
            "limits": asdict(self.limits),
            "hardware": hardware.of_this_machine(),
        }

    def die(self, why: str) -> None:
        """Ends the kernel, whether or not a cell runs."""
        self._kernel.die(why)

    def _launch(self) -> Wire:
        self._kernel.ended.wait(min(self._slow, self.limits.start_seconds))
        if self._slow > self.limits.start_seconds:
            raise SandboxError("the kernel did not start in time")
        self._private = Path(tempfile.mkdtemp(prefix="fake-"))
        return self._kernel

    def _death(self) -> str | None:
        return self._kernel.death

    def _ask_to_stop(self) -> None:
        self._kernel.interrupted.set()

    def _kill(self) -> None:
        self._kernel.die("it was killed")

    def _end(self) -> None:
        self._kernel.die("the sandbox was closed")
        self._kernel.join()

    def _key(self, name: str) -> str:
        self._open_wire()
        path = PurePosixPath(posixpath.normpath(ROOT / name))
        if "\0" in name or not path.is_relative_to(ROOT):
            raise SandboxError(f"{name} is not in the working folder")
        return path.relative_to(ROOT).as_posix()


class _FakeKernel:
    """Runs one scripted cell after another, each in a thread that sends its messages."""

    def __init__(self, script: Script, codes: list[str]) -> None:
        self._script = script
        self._codes = codes
        self._thread: threading.Thread | None = None
        self.interrupted = threading.Event()
        self.ended = threading.Event()
        self.death: str | None = None

    def send(self, code: str, cell: Cell) -> None:
        self.join()
        self._codes.append(code)
        self.interrupted.clear()
        self._thread = threading.Thread(target=self._run, args=(self._reply(code), cell), daemon=True)
        self._thread.start()

    def read_replies(self) -> None:
        """See Wire; the thread has passed them on already."""

    def die(self, why: str) -> None:
        """Ends the kernel; the first reason is kept."""
        self.death = self.death or why
        self.ended.set()
        self.interrupted.set()

    def join(self) -> None:
        if self._thread:
            self._thread.join()

    def _reply(self, code: str) -> Reply:
        if callable(self._script):
            return self._script(code)
        return self._script.get(code, Reply((f"NameError: no reply to {code!r}\n",), error=True))

    def _run(self, reply: Reply, cell: Cell) -> None:
        for text in reply.output:
            cell.feed("stream", {"text": text})
        left = reply.flood
        while left > 0 and not self.ended.is_set():
            cell.feed("stream", {"text": "y" * min(FLOOD_PIECE, left)})
            left -= FLOOD_PIECE
        waits = self.ended if reply.ignores_interrupts else self.interrupted
        stopped = waits.wait(None if reply.seconds == float("inf") else reply.seconds)
        if reply.dies:
            self.die(reply.dies)
        if self.ended.is_set():
            return
        if stopped:
            cell.feed("error", {"traceback": ["KeyboardInterrupt: "]})
        cell.reply(failed=reply.error or stopped)
        if not reply.loses_idle:
            cell.feed("status", {"execution_state": "idle"})
