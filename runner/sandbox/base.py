"""The contract between whoever runs an agent and the place where its cells are executed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import TracebackType
from typing import Self


class SandboxError(RuntimeError):
    """The sandbox can't do what was asked: infrastructure or a wrong call, never the agent's cell."""


class Status(StrEnum):
    """How a cell stands.

    OK and ERROR: it ended, without and with an exception. RUNNING: its time is up and it still runs.
    DEAD: the kernel went away under it, and every state with it.
    """

    OK = "ok"
    ERROR = "error"
    RUNNING = "running"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class Execution:
    """What came out of a cell during one call.

    Attributes:
        output: stdout, stderr, plain-text results and tracebacks in the order in which they came, colour
            codes and carriage returns included; only what came since the previous call returned.
        status: how the cell stands.
        started: when this call began, with a time zone.
        ended: when this call returned.
    """

    output: str
    status: Status
    started: datetime
    ended: datetime

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
    def execute(self, code: str, timeout: float) -> Execution:
        """Runs a cell (Python, ``!shell``, ``%magic``) and returns when it ends or after ``timeout`` seconds.

        A cell that timed out goes on: ``keep_waiting`` or ``interrupt`` must come next.

        Raises:
            SandboxError: not started, closed, the kernel is dead, or a cell is still running.
        """

    @abstractmethod
    def keep_waiting(self, timeout: float) -> Execution:
        """Waits for the running cell for ``timeout`` more seconds.

        Raises:
            SandboxError: as for ``execute``, or no cell is running.
        """

    @abstractmethod
    def interrupt(self) -> Execution:
        """Interrupts the running cell and returns what else it said; the kernel's state stays.

        Asks again for a while; a cell that will not stop comes back as RUNNING, and only ``close`` ends it.

        Raises:
            SandboxError: as for ``keep_waiting``.
        """

    @abstractmethod
    def write_file(self, name: str, data: bytes) -> None:
        """Writes a file, with the folders above it; replaces one that exists.

        Raises:
            SandboxError: not started, closed, or ``name`` leads out of the working folder.
        """

    @abstractmethod
    def read_file(self, name: str) -> bytes:
        """The bytes of a file.

        Raises:
            FileNotFoundError: no such file.
            SandboxError: not started, closed, or ``name`` leads out of the working folder.
        """

    @abstractmethod
    def close(self) -> None:
        """Ends the kernel and all that it started. Safe at any time, any number of times."""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
