"""The interface of sandboxes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

OnOutput = Callable[[str], None]


class SandboxError(RuntimeError):
    """The sandbox failed or was called wrongly; never caused by the agent's cell."""


class Status(StrEnum):
    """The state of a cell.

    OK and ERROR: it ended, without and with an exception. RUNNING: it still runs after its time limit.
    DEAD: the kernel ended, and its state is lost; the output's last line says why.
    """

    OK = "ok"
    ERROR = "error"
    RUNNING = "running"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a sandbox keeps of an output, and how long it waits.

    Attributes:
        kept: characters of one call's output; of a longer one the middle is left out.
        piece: the same for the output that is streamed within one interval.
        whole: bytes of one call's output that are written to a file if it is longer than ``kept``.
        images: characters of one call's images in base64.
        file: bytes of the largest file that can be read.
        stream_seconds: how often new output is passed on.
        silence_seconds: how long to wait, after the kernel's reply, for its message that it is idle.
        interrupt_seconds: how long an interrupted cell may take to stop before its kernel is killed.
        start_seconds: how long a kernel may take to give its first answer.
    """

    kept: int = 1_000_000
    piece: int = 100_000
    whole: int = 100_000_000
    images: int = 10_000_000
    file: int = 100_000_000
    stream_seconds: float = 0.25
    silence_seconds: float = 3.0
    interrupt_seconds: float = 15.0
    start_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Execution:
    r"""The result of one call of a sandbox.

    Attributes:
        output: stdout, stderr, plain-text results and tracebacks since the previous call, in order, with
            colour codes and carriage returns; each of them begins a line. It can always be encoded as UTF-8:
            a lone surrogate is written as its escape, such as ``\ud800``.
        status: the state of the cell.
        started: when this call began, with a time zone.
        ended: when this call returned.
        incomplete: the kernel replied but never reported that it is idle, so some output may be lost.
        dropped: characters left out of the middle of ``output``; a line there says so.
        whole: if characters were left out, a UTF-8 file with the output up to a larger limit. It exists
            until the sandbox is closed.
        cut: ``whole`` lacks the end of the output, because it reached its limit.
        infrastructure: the kernel is DEAD for a reason that no cell can cause, such as an engine's restart.
        images: the first PNG and JPEG images that were displayed, as data URLs.
    """

    output: str
    status: Status
    started: datetime
    ended: datetime
    incomplete: bool = False
    dropped: int = 0
    whole: Path | None = None
    cut: bool = False
    infrastructure: bool = False
    images: tuple[str, ...] = ()

    @property
    def timed_out(self) -> bool:
        return self.status is Status.RUNNING


class Sandbox(ABC):
    """A Jupyter kernel with a working folder, for one attempt. Not thread-safe.

    A sandbox is started once and closed once; as a context manager it does both itself. At most one cell runs
    at a time. State (variables, ``%cd``, installed packages) is kept from cell to cell and ends with the
    sandbox. File names are relative to the working folder, whatever ``%cd`` did.
    """

    @abstractmethod
    def start(self) -> None:
        """Starts the kernel and waits until it is ready.

        Raises:
            SandboxError: it could not start, or was started or closed before. Nothing is left running.
        """

    @abstractmethod
    def execute(self, code: str, timeout: float, on_output: OnOutput | None = None) -> Execution:
        """Runs a cell (Python, ``!shell``, ``%magic``); returns at its end or after ``timeout`` seconds.

        A cell that timed out goes on running: call ``keep_waiting`` or ``interrupt`` next. A kernel that died
        since the last call is reported as DEAD once. ``input()`` in a cell fails at once.

        Args:
            code: the cell.
            timeout: in seconds.
            on_output: gets new output in order, in the calling thread, every ``stream_seconds``, at most
                ``piece`` characters at a time.

        Raises:
            SandboxError: not started, closed, the kernel is known to be dead, or a cell is still running.
        """

    @abstractmethod
    def keep_waiting(self, timeout: float, on_output: OnOutput | None = None) -> Execution:
        """Waits for the running cell for ``timeout`` more seconds.

        Raises:
            SandboxError: as for ``execute``, or no cell is running.
        """

    @abstractmethod
    def interrupt(self, on_output: OnOutput | None = None) -> Execution:
        """Interrupts the running cell and returns its further output; the kernel keeps its state.

        Interrupts repeatedly for ``interrupt_seconds``; then it kills the kernel and returns DEAD.

        Raises:
            SandboxError: as for ``keep_waiting``.
        """

    @abstractmethod
    def write_file(self, name: str, data: bytes) -> None:
        """Writes a file, with missing folders above it; replaces an existing one.

        Raises:
            SandboxError: not started, closed, or ``name`` is outside the working folder or not a file.
        """

    @abstractmethod
    def read_file(self, name: str) -> bytes:
        """The bytes of a file.

        Raises:
            FileNotFoundError: no such file.
            SandboxError: not started, closed, or ``name`` is outside the working folder, not a file, or
                larger than the limit.
        """

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """The sandbox's description for records, as JSON values; only after ``start``.

        ``kind``, ``image`` and ``digest`` if it has one, ``python`` and ``ipykernel`` (versions), ``limits``
        and ``hardware`` (objects).
        """

    @abstractmethod
    def close(self) -> None:
        """Ends the kernel and all programs that it started, within seconds. Can be called repeatedly."""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()
