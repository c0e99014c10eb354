"""Writes an attempt's progress and heartbeat to the database, and reads whether it is cancelled."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from typing import Any, Self, TypeVar

from django.conf import settings
from django.db import Error, InterfaceError, OperationalError, close_old_connections, connection

from leaderboard.core.leases import LostLease
from leaderboard.domain.disclosure import without_places
from leaderboard.domain.landmarks import find_landmarks
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.text import storable
from leaderboard.domain.trajectory import Step, Trajectory
from leaderboard.rendering import render_attempt
from leaderboard.runs.claims import Claim, note_progress, note_step
from leaderboard.runs.selectors import TIMED_OUT
from runner.execution.records import Fenced, Recorder, StepBegun, StepRecord, Used

LOOK_SECONDS = 1.0
"""How often a job's state is read, and so how soon a cancellation is seen."""
LIVE_SECONDS = 0.5
"""Shortest time between two writes of the running cell's output and of what is used."""
LIVE_CHARACTERS = 4_000
"""How many last characters of the running cell's output are shown."""
PATIENCE_SECONDS = 30.0
"""How long a failed write to the database is repeated: half of a lease."""

logger = logging.getLogger(__name__)
T = TypeVar("T")


def write_with_retries(write: Callable[[], T]) -> T:
    """Call ``write``, and again while the database is not available, for ``PATIENCE_SECONDS``.

    Raises:
        LostLease: another worker has claimed the job.
        DatabaseError: the database did not become available.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    pause = 0.1
    while True:
        try:
            return write()
        except (OperationalError, InterfaceError):
            if time.monotonic() > deadline:
                raise
            logger.warning("a write to the database failed; trying again in %.1f s", pause)
            close_old_connections()
            time.sleep(pause)
            pause = min(pause * 2, 2.0)


@contextmanager
def giving_back(work: str, give_back: Callable[[str], object]) -> Iterator[None]:
    """After an infrastructure error, give the claimed work back at once instead of when its lease ends.

    ``work`` names it and its claim in the log; ``give_back`` gets the error's text.
    """
    try:
        yield
    except LostLease:
        logger.warning("%s: claimed by another worker, or discarded", work)
    except Exception as error:
        logger.exception("%s: the worker failed", work)
        with suppress(LostLease):
            give_back(storable(f"{type(error).__name__}: {error}"))


class Heartbeat:
    """A thread that renews a lease, and checks whether the work is cancelled or the lease lost.

    In the log, ``name`` is what the lease is for. ``renew`` and ``is_cancelled`` may raise `LostLease`.
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
        self._thread = threading.Thread(target=self._beat, name=f"heartbeat of {name}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        self._thread.join()

    def cancelled(self) -> bool:
        """Whether the work was cancelled.

        Raises:
            Fenced: another worker has claimed it.
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
                    # A lease lasts for several heartbeats; if it ends, the next check raises LostLease.
                    logger.warning("no heartbeat for %s: the database failed", self._name)
                    close_old_connections()
        finally:
            connection.close()


class JobRecorder(Recorder):
    """Writes a job's progress and steps to the database."""

    def __init__(self, claim: Claim, spec: TaskSpec) -> None:
        self._claim = claim
        self._spec = spec
        self._hits: Counter[int] = Counter()
        # For all steps together, as in the final scoring: a slow pattern uses up its time once.
        self._seconds_left: dict[int, float] = {}
        self._used: dict[str, Any] = {}
        self._output = ""
        self._written = 0.0

    def step_started(self, step: StepBegun) -> None:
        self._output = f"{step.content}\n\n"
        self._write(phase="pre-executing" if step.pre_executed else "executing", live_output=self._output)

    def output(self, text: str) -> None:
        self._output = (self._output + text)[-LIVE_CHARACTERS:]
        self._write_soon()

    def step_finished(self, step: StepRecord) -> None:
        self._output = ""
        # Renders this step only: a long attempt must not be rendered again for each step.
        trajectory = Trajectory(steps=(_without_files(step.to_step()),), format="live")
        found = find_landmarks(self._spec.landmarks, trajectory, left=self._seconds_left)
        landmarks = without_places(found, self._spec.gold)
        html = render_attempt(trajectory, landmarks, hits_before=self._hits).html
        hits = {result.number: len(found.spans) for result in landmarks for found in result.hits}
        self._hits.update(hits)
        self._do(
            lambda: note_step(
                self._claim, number=step.number, html=html, landmarks=list(hits), used=self._used_so_far()
            )
        )
        self._write(phase="thinking", live_output="")

    def budget(self, used: Used) -> None:
        """Writes what is used, at most every ``LIVE_SECONDS``."""
        self._used = asdict(used)
        self._write_soon()

    def _used_so_far(self) -> dict[str, Any]:
        timed_out = [number for number, seconds in self._seconds_left.items() if not seconds]
        return {**self._used, TIMED_OUT: timed_out} if timed_out else self._used

    def _write_soon(self) -> None:
        if time.monotonic() - self._written >= LIVE_SECONDS:
            self._write(live_output=self._output)

    def _write(self, **changes: Any) -> None:
        self._written = time.monotonic()
        self._do(lambda: note_progress(self._claim, used=self._used_so_far(), **changes))

    def _do(self, write: Callable[[], None]) -> None:
        try:
            write_with_retries(write)
        except LostLease as error:
            raise Fenced from error


def _without_files(step: Step) -> Step:
    """The step without what gets an address only with the attempt: images are named."""
    media = (
        replace(one, content=b"", width=0, height=0, reason="it is shown once the attempt is recorded")
        for one in step.media
    )
    return replace(step, media=tuple(media))
