"""What all sandboxes around a kernel share: turns, deadlines, streaming, interrupts, death."""

from __future__ import annotations

import time
from abc import abstractmethod
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from runner.sandbox.base import Execution, Limits, OnOutput, Sandbox, SandboxError, Status
from runner.sandbox.cell import Cell
from runner.words import gettext_noop as _

ASK_AGAIN_SECONDS = 3.0
LAST_WORDS_SECONDS = 0.3


class Wire(Protocol):
    """The messages to and from a kernel."""

    def send(self, code: str, cell: Cell) -> None:
        """Starts a cell, and feeds it from now on."""

    def read_replies(self) -> None:
        """Tells the current cell of its reply, if that has come."""


class KernelSandbox(Sandbox):
    """A sandbox of which a subclass says how its kernel is launched, looked at, interrupted and killed."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._wire: Wire | None = None
        self._started = False
        self._closed = False
        self._cell: Cell | None = None
        self._cells = 0
        self._dead = ""
        self._ours = False
        """Set by a subclass with a death that no cell can bring about."""

    @abstractmethod
    def _launch(self) -> Wire:
        """Makes the kernel ready. What it had made before it fails is ended by ``_end``."""

    @abstractmethod
    def _death(self) -> str | None:
        """Why there is no kernel any more; None while there is one. Quick, and never raises."""

    @abstractmethod
    def _ask_to_stop(self) -> None:
        """Interrupts the running cell once. Never raises."""

    @abstractmethod
    def _kill(self) -> None:
        """Ends the kernel whatever it does. Never raises."""

    @abstractmethod
    def _end(self) -> None:
        """Removes all that ``_launch`` made, as far as it got. Called once."""

    @abstractmethod
    def _spool(self) -> Path:
        """A folder on this machine for large outputs; made when needed, removed by ``_end``."""

    def start(self) -> None:
        """See the contract."""
        if self._started or self._closed:
            raise SandboxError(_("a sandbox is started once"))
        self._started = True
        try:
            self._wire = self._launch()
        except BaseException:
            self.close()
            raise

    def execute(self, code: str, timeout: float, on_output: OnOutput | None = None) -> Execution:
        """See the contract."""
        wire = self._live_wire()
        if self._cell:
            raise SandboxError(_("a cell is still running"))
        started = datetime.now(UTC)
        self._cells += 1
        cell = self._cell = Cell(self.limits, self._spool() / f"output-{self._cells}")
        if why := self._death():
            return self._conclude(cell, self._die(cell, why, on_output), started)
        wire.send(code, cell)
        return self._conclude(cell, self._watch(cell, timeout, on_output), started)

    def keep_waiting(self, timeout: float, on_output: OnOutput | None = None) -> Execution:
        """See the contract."""
        cell, started = self._running_cell(), datetime.now(UTC)
        return self._conclude(cell, self._watch(cell, timeout, on_output), started)

    def interrupt(self, on_output: OnOutput | None = None) -> Execution:
        """See the contract."""
        cell, started = self._running_cell(), datetime.now(UTC)
        deadline = time.monotonic() + self.limits.interrupt_seconds
        status = Status.RUNNING
        while status is Status.RUNNING and (left := deadline - time.monotonic()) > 0:
            # One interrupt can be lost: a kernel ignores those that come just before it enters the cell.
            self._ask_to_stop()
            status = self._watch(cell, min(ASK_AGAIN_SECONDS, left), on_output)
        if status is Status.RUNNING:
            self._kill()
            why = f"it ignored the interrupt for {self.limits.interrupt_seconds:g} seconds and was killed"
            status = self._die(cell, why, on_output)
        return self._conclude(cell, status, started)

    def close(self) -> None:
        """See the contract."""
        if self._closed:
            return
        self._closed = True
        self._cell = self._wire = None
        if self._started:
            self._end()

    def _watch(self, cell: Cell, timeout: float, on_output: OnOutput | None) -> Status:
        wire = self._live_wire()
        deadline = time.monotonic() + timeout
        # The clock is looked at whatever comes: a cell that never stops printing still runs out of time.
        while (left := deadline - time.monotonic()) > 0:
            cell.wait(min(self.limits.stream_seconds, left))
            wire.read_replies()
            _hand_on(cell, on_output)
            if cell.ended:
                return Status.ERROR if cell.failed else Status.OK
            if why := self._death():
                return self._die(cell, why, on_output)
        return Status.RUNNING

    def _die(self, cell: Cell, why: str, on_output: OnOutput | None) -> Status:
        self._dead = why
        # What the kernel had sent before it went is still on its way to us.
        cell.wait(LAST_WORDS_SECONDS)
        cell.add(f"\n[The kernel is gone: {why}. Its variables and running programs are lost.]\n")
        _hand_on(cell, on_output)
        return Status.DEAD

    def _conclude(self, cell: Cell, status: Status, started: datetime) -> Execution:
        incomplete = status is not Status.RUNNING and cell.incomplete
        if status is not Status.RUNNING:
            self._cell = None
        output = cell.take()
        return Execution(
            output.text,
            status,
            started,
            datetime.now(UTC),
            incomplete=incomplete,
            dropped=output.dropped,
            whole=output.whole,
            cut=output.cut,
            ours=status is Status.DEAD and self._ours,
        )

    def _live_wire(self) -> Wire:
        wire = self._open_wire()
        if self._dead:
            raise SandboxError(_("the kernel is dead: {why}"), why=self._dead)
        return wire

    def _open_wire(self) -> Wire:
        if not self._wire:
            raise SandboxError(
                _("the sandbox is closed") if self._closed else _("the sandbox was not started")
            )
        return self._wire

    def _running_cell(self) -> Cell:
        self._live_wire()
        if not self._cell:
            raise SandboxError(_("no cell is running"))
        return self._cell


def _hand_on(cell: Cell, on_output: OnOutput | None) -> None:
    piece = cell.take_piece()
    if piece and on_output:
        on_output(piece)
