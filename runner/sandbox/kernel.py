"""What all sandboxes with a kernel share: running cells, time limits, streaming, interrupts, death."""

from __future__ import annotations

import shutil
import time
from abc import abstractmethod
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from runner.sandbox.base import Execution, Limits, OnOutput, Sandbox, SandboxError, Status
from runner.sandbox.cell import Cell

ASK_AGAIN_SECONDS = 3.0
LAST_WORDS_SECONDS = 0.3


class Wire(Protocol):
    """The messages to and from a kernel."""

    def send(self, code: str, cell: Cell) -> None:
        """Starts a cell; its messages go to ``cell``."""

    def read_replies(self) -> None:
        """Passes the kernel's reply, if there is one, to the current cell."""


class KernelSandbox(Sandbox):
    """A sandbox with a kernel; subclasses launch, check, interrupt and kill the kernel."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._wire: Wire | None = None
        self._started = False
        self._closed = False
        self._cell: Cell | None = None
        self._cells = 0
        self._dead = ""
        self._infrastructure = False
        """Set by a subclass: no cell can have caused the kernel's death."""
        self._private: Path | None = None
        """A folder for sockets and large outputs: ``_launch`` makes it, ``close`` removes it."""

    @abstractmethod
    def _launch(self) -> Wire:
        """Starts the kernel. If it fails, ``_end`` removes what it made."""

    @abstractmethod
    def _death(self) -> str | None:
        """Why the kernel has died; None while it lives. Quick, and never raises."""

    @abstractmethod
    def _ask_to_stop(self) -> None:
        """Interrupts the running cell once. Never raises."""

    @abstractmethod
    def _kill(self) -> None:
        """Ends the kernel by force. Never raises."""

    @abstractmethod
    def _end(self) -> None:
        """Removes all else that ``_launch`` made, also after it failed. Called once."""

    def start(self) -> None:
        if self._started or self._closed:
            raise SandboxError("a sandbox can be started only once")
        self._started = True
        try:
            self._wire = self._launch()
        except BaseException:
            self.close()
            raise

    def execute(self, code: str, timeout: float, on_output: OnOutput | None = None) -> Execution:
        wire = self._live_wire()
        if self._cell:
            raise SandboxError("a cell is still running")
        started = datetime.now(UTC)
        self._cells += 1
        cell = self._cell = Cell(self.limits, self._private_folder() / f"output-{self._cells}")
        if why := self._death():
            return self._conclude(cell, self._die(cell, why, on_output), started)
        wire.send(code, cell)
        return self._conclude(cell, self._watch(cell, timeout, on_output), started)

    def keep_waiting(self, timeout: float, on_output: OnOutput | None = None) -> Execution:
        cell, started = self._running_cell(), datetime.now(UTC)
        return self._conclude(cell, self._watch(cell, timeout, on_output), started)

    def interrupt(self, on_output: OnOutput | None = None) -> Execution:
        cell, started = self._running_cell(), datetime.now(UTC)
        deadline = time.monotonic() + self.limits.interrupt_seconds
        status = Status.RUNNING
        while status is Status.RUNNING and (left := deadline - time.monotonic()) > 0:
            # Repeated, as a kernel ignores an interrupt that comes just before it starts the cell.
            self._ask_to_stop()
            status = self._watch(cell, min(ASK_AGAIN_SECONDS, left), on_output)
        if status is Status.RUNNING:
            self._kill()
            why = f"it ignored the interrupt for {self.limits.interrupt_seconds:g} seconds and was killed"
            status = self._die(cell, why, on_output)
        return self._conclude(cell, status, started)

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._cell = self._wire = None
        if self._started:
            self._end()
            if self._private:
                shutil.rmtree(self._private, ignore_errors=True)

    def _watch(self, cell: Cell, timeout: float, on_output: OnOutput | None) -> Status:
        wire = self._live_wire()
        deadline = time.monotonic() + timeout
        # Time is checked after every wait, so a cell that never stops printing still times out.
        while (left := deadline - time.monotonic()) > 0:
            cell.wait(min(self.limits.stream_seconds, left))
            wire.read_replies()
            _pass_on(cell, on_output)
            if cell.ended:
                return Status.ERROR if cell.failed else Status.OK
            if why := self._death():
                return self._die(cell, why, on_output)
        return Status.RUNNING

    def _die(self, cell: Cell, why: str, on_output: OnOutput | None) -> Status:
        self._dead = why
        # Messages that the kernel sent before it died may still arrive.
        cell.wait(LAST_WORDS_SECONDS)
        cell.add(f"\n[The kernel is gone: {why}. Its variables and running programs are lost.]\n")
        _pass_on(cell, on_output)
        return Status.DEAD

    def _conclude(self, cell: Cell, status: Status, started: datetime) -> Execution:
        incomplete = status is not Status.RUNNING and cell.incomplete
        if status is not Status.RUNNING:
            self._cell = None
        output = cell.claim()
        return Execution(
            output.text,
            status,
            started,
            datetime.now(UTC),
            incomplete=incomplete,
            dropped=output.dropped,
            whole=output.whole,
            cut=output.cut,
            images=output.images,
            infrastructure=status is Status.DEAD and self._infrastructure,
        )

    def _live_wire(self) -> Wire:
        wire = self._open_wire()
        if self._dead:
            raise SandboxError(f"the kernel is dead: {self._dead}")
        return wire

    def _open_wire(self) -> Wire:
        if not self._wire:
            raise SandboxError("the sandbox is closed" if self._closed else "the sandbox was not started")
        return self._wire

    def _private_folder(self) -> Path:
        if not self._private:
            raise SandboxError("the sandbox was not started")
        return self._private

    def _running_cell(self) -> Cell:
        self._live_wire()
        if not self._cell:
            raise SandboxError("no cell is running")
        return self._cell


def _pass_on(cell: Cell, on_output: OnOutput | None) -> None:
    piece = cell.take_piece()
    if piece and on_output:
        on_output(piece)
