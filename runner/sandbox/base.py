"""The contract between whoever runs an agent and the place where its cells are executed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from runner.words import Told

OnOutput = Callable[[str], None]


class SandboxError(Told, RuntimeError):
    """The sandbox can't do what was asked: infrastructure or a wrong call, never the agent's cell."""


class Status(StrEnum):
    """How a cell stands.

    OK and ERROR: it ended, without and with an exception. RUNNING: its time is up and it still runs.
    DEAD: the kernel went away, and every state with it; the output's last line says why.
    """

    OK = "ok"
    ERROR = "error"
    RUNNING = "running"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a sandbox keeps of an output, and how long it is patient.

    Attributes:
        kept: characters of one call's output; beyond it the middle is left out.
        piece: the same for what is streamed within one interval.
        whole: bytes of one call's output that go to a file once they are more than ``kept`` characters.
        file: bytes of the largest file that is read.
        stream_seconds: how often new output is handed on.
        silence_seconds: how long after its reply a cell that does not say it is idle is waited for.
        interrupt_seconds: how long an interrupted cell may take to stop before its kernel is killed.
        start_seconds: how long a kernel may take to answer for the first time.
    """

    kept: int = 1_000_000
    piece: int = 100_000
    whole: int = 100_000_000
    file: int = 100_000_000
    stream_seconds: float = 0.25
    silence_seconds: float = 3.0
    interrupt_seconds: float = 15.0
    start_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Execution:
    r"""What came out of a cell during one call.

    Attributes:
        output: stdout, stderr, plain-text results and tracebacks in the order in which they came, colour
            codes and carriage returns included; only what came since the previous call returned. It can
            always be encoded as UTF-8: a lone surrogate is written as its escape, such as ``\ud800``.
        status: how the cell stands.
        started: when this call began, with a time zone.
        ended: when this call returned.
        incomplete: the kernel replied but never said that it was idle, so some output may be lost.
        dropped: characters left out of the middle of ``output``, where a line says so.
        whole: a file with the output from its beginning up to a larger limit, in UTF-8, where characters
            were left out; it lasts until the sandbox is closed.
        cut: ``whole`` lacks the output's end, which was beyond the limit.
        ours: the kernel is DEAD of something that no cell can bring about, such as an engine that restarted.
    """

    output: str
    status: Status
    started: datetime
    ended: datetime
    incomplete: bool = False
    dropped: int = 0
    whole: Path | None = None
    cut: bool = False
    ours: bool = False

    @property
    def timed_out(self) -> bool:
        """Whether the cell was still running when its time was up."""
        return self.status is Status.RUNNING


class Sandbox(ABC):
    """A Jupyter kernel with a working folder, one for one attempt. Not thread-safe.

    A sandbox is started once, used, and closed once for good; as a context manager it does both ends itself.
    At most one cell runs at a time. State (variables, ``%cd``, installed packages) lasts from cell to cell
    and never outlives the sandbox. File names are relative to the working folder, whatever ``%cd`` did.
    """

    @abstractmethod
    def start(self) -> None:
        """Makes the kernel ready for the first cell.

        Raises:
            SandboxError: it did not come up, or was started or closed before. Nothing is left running.
        """

    @abstractmethod
    def execute(self, code: str, timeout: float, on_output: OnOutput | None = None) -> Execution:
        """Runs a cell (Python, ``!shell``, ``%magic``) and returns when it ends or after ``timeout`` seconds.

        A cell that timed out goes on: ``keep_waiting`` or ``interrupt`` must come next. A kernel that died
        since the last call is reported as DEAD once. ``input()`` fails at once.

        Args:
            code: the cell.
            timeout: in seconds.
            on_output: gets the output while it comes, in order, from the calling thread, at least every
                ``stream_seconds`` while there is something new, at most ``piece`` characters at a time.

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
        """Interrupts the running cell and returns what else it said; the kernel's state stays.

        Asks again for ``interrupt_seconds``; then the kernel is killed, and the cell comes back as DEAD.

        Raises:
            SandboxError: as for ``keep_waiting``.
        """

    @abstractmethod
    def write_file(self, name: str, data: bytes) -> None:
        """Writes a file, with the folders above it; replaces one that exists.

        Raises:
            SandboxError: not started, closed, or ``name`` leads out of the working folder or to no file.
        """

    @abstractmethod
    def read_file(self, name: str) -> bytes:
        """The bytes of a file.

        Raises:
            FileNotFoundError: no such file.
            SandboxError: not started, closed, or ``name`` leads out of the working folder, to something
                that is no file, or to one beyond the limit.
        """

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """What the sandbox is, to be recorded with results, as JSON values; only after ``start``.

        ``kind``, ``image`` and ``digest`` where there is one, ``python`` and ``ipykernel`` (versions),
        ``limits`` and ``hardware`` (objects).
        """

    @abstractmethod
    def close(self) -> None:
        """Ends the kernel and all that it started, within seconds. Safe at any time, any number of times."""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
