"""Telling the database what an attempt does, and hearing from it when to stop."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from types import TracebackType
from typing import Any, Self, TypeVar

from django.conf import settings
from django.db import Error, InterfaceError, OperationalError, close_old_connections, connection

from leaderboard.domain.landmarks import find_landmarks
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import Trajectory
from leaderboard.rendering import render_attempt
from leaderboard.selectors.runs import TIMED_OUT
from leaderboard.services.leases import LostLease
from leaderboard.services.units import Claim, note_progress, note_step
from runner.execution import Fenced, StepBegun, StepRecord, Used

LOOK_SECONDS = 1.0
"""How often a unit's state is looked at: a cancellation is heard within it."""
LIVE_SECONDS = 0.5
"""How often the running cell's output and the budgets are written, at the most."""
LIVE_CHARACTERS = 4_000
"""Of the running cell's output, its end is shown."""
PATIENCE_SECONDS = 30.0
"""How long a write is tried again when the database refuses it: half of a lease."""

logger = logging.getLogger(__name__)
T = TypeVar("T")


def persistently(write: Callable[[], T]) -> T:
    """Do a write, and again while the database refuses it, for half a minute.

    Raises:
        LostLease: the unit is no longer ours.
        DatabaseError: the database would not come back.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    pause = 0.1
    while True:
        try:
            return write()
        except (OperationalError, InterfaceError):
            if time.monotonic() > deadline:
                raise
            logger.warning("the database refused a write; trying again in %.1f s", pause)
            close_old_connections()
            time.sleep(pause)
            pause = min(pause * 2, 2.0)


class Pulse:
    """A thread that renews a lease, and hears whether what it is on is cancelled or lost.

    Args:
        name: what the lease is on, for the log.
        renew: says that the worker lives.
        is_cancelled: whether somebody wants the work to end; it, and ``renew``, raise `LostLease`.
    """

    def __init__(
        self, name: str, *, renew: Callable[[], object], is_cancelled: Callable[[], bool] = lambda: False
    ) -> None:
        self._name = name
        self._renew = renew
        self._is_cancelled = is_cancelled
        self._over = threading.Event()
        self._cancelled = threading.Event()
        self._lost = threading.Event()
        self._thread = threading.Thread(target=self._beat, name=f"pulse of {name}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def cancelled(self) -> bool:
        """Whether somebody wants the work to end.

        Raises:
            Fenced: it is somebody else's by now.
        """
        if self._lost.is_set():
            raise Fenced
        return self._cancelled.is_set()

    def _beat(self) -> None:
        renewed = time.monotonic()
        try:
            while not self._over.wait(LOOK_SECONDS):
                try:
                    if time.monotonic() - renewed >= settings.RUNNER_HEARTBEAT_SECONDS:
                        self._renew()
                        renewed = time.monotonic()
                    if self._is_cancelled():
                        self._cancelled.set()
                except LostLease:
                    self._lost.set()
                    return
                except Error:
                    # The lease outlasts some of these; if it does not, the next look says so.
                    logger.warning("no heartbeat for %s: the database refused", self._name)
                    close_old_connections()
        finally:
            connection.close()


class UnitRecorder:
    """Writes what happens in a unit to its row and steps; see `runner.execution.Recorder`."""

    def __init__(self, claim: Claim, spec: TaskSpec) -> None:
        self._claim = claim
        self._spec = spec
        self._hits: Counter[int] = Counter()
        # Over all steps together, as in the final scoring: a pattern that runs away costs its time once.
        self._seconds_left: dict[int, float] = {}
        self._used: dict[str, Any] = {}
        self._output = ""
        self._written = 0.0

    def step_started(self, step: StepBegun) -> None:
        """The running cell stands as it is until its step has ended."""
        self._output = f"{step.content}\n\n"
        self._write(phase="pre-executing" if step.pre_executed else "executing", live_output=self._output)

    def output(self, text: str) -> None:
        """The end of what the running cell says."""
        self._output = (self._output + text)[-LIVE_CHARACTERS:]
        self._write_soon()

    def step_finished(self, step: StepRecord) -> None:
        """The step, rendered as its page will show it, with the landmarks that it hit."""
        self._output = ""
        # The step alone: with all before it, a long attempt would be rendered over and over.
        trajectory = Trajectory(steps=(step.to_step(),), format="live")
        landmarks = find_landmarks(self._spec.landmarks, trajectory, left=self._seconds_left)
        html = render_attempt(trajectory, landmarks, hits_before=self._hits).html
        hits = {result.number: len(found.spans) for result in landmarks for found in result.hits}
        self._hits.update(hits)
        self._do(
            lambda: note_step(
                self._claim, number=step.number, html=html, landmarks=list(hits), used=self._told()
            )
        )
        self._write(phase="thinking", live_output="")

    def budget(self, used: Used) -> None:
        """What is used, a few times a second at the most."""
        self._used = asdict(used)
        self._write_soon()

    def _told(self) -> dict[str, Any]:
        timed_out = [number for number, seconds in self._seconds_left.items() if not seconds]
        return {**self._used, TIMED_OUT: timed_out} if timed_out else self._used

    def _write_soon(self) -> None:
        if time.monotonic() - self._written >= LIVE_SECONDS:
            self._write(live_output=self._output)

    def _write(self, **changes: Any) -> None:
        self._written = time.monotonic()
        self._do(lambda: note_progress(self._claim, used=self._told(), **changes))

    def _do(self, write: Callable[[], None]) -> None:
        try:
            persistently(write)
        except LostLease as error:
            raise Fenced from error
