"""The slots of a worker: threads that claim work of one kind and do it, one piece after another.

Runs and checks have slots of their own, so that neither waits for the other. A worker is one process that
never forks; sandboxes and the reading of uploads (`leaderboard.intake.pool`) are processes of their own.
Whichever of them is killed, a piece of work is done again; a killed worker is gone whole, and its leases end.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from django.conf import settings
from django.db import close_old_connections, connection

from runner.worker.checks import check_next
from runner.worker.jobs import work_on_next

logger = logging.getLogger(__name__)


class Slots:
    """At most ``size`` threads, each of which calls ``work_on_next`` until it returns False."""

    def __init__(self, name: str, size: int, work_on_next: Callable[[], bool]) -> None:
        self.size = size
        self._name = name
        self._work_on_next = work_on_next
        self._lock = threading.Lock()
        self._threads: set[threading.Thread] = set()
        self._looked_for_more = False
        self._stopping = False

    def wake(self, count: int = 1) -> None:
        """Have up to ``count`` free slots look for work; if none is free, the next that gets free looks."""
        with self._lock:
            free = self.size - len(self._threads)
            self._looked_for_more = count > free
            for _ in range(0 if self._stopping else min(count, free)):
                # A daemon: a worker that is told twice to stop ends at once.
                thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._threads.add(thread)
                thread.start()

    def stop(self) -> None:
        """Claim nothing more."""
        self._stopping = True

    def join(self) -> None:
        """Wait until what was begun is done."""
        for thread in list(self._threads):
            thread.join()

    def _run(self) -> None:
        try:
            while not self._stopping and self._work_on_next():
                close_old_connections()
        except Exception:
            # Its claim is given back or ends with its lease; the next message or sweep wakes the slot.
            logger.exception("a slot for %s broke down", self._name)
        finally:
            connection.close()
            with self._lock:
                self._threads.discard(threading.current_thread())
                again, self._looked_for_more = self._looked_for_more, False
        if again:
            # Somebody asked for work after this slot had looked for the last time.
            self.wake()


_worker = "a worker"


def _work_on_next() -> bool:
    return work_on_next(_worker)


RUNS = Slots("runs", settings.SUPERBOARD_RUN_SLOTS, _work_on_next)
CHECKS = Slots("checks", settings.SUPERBOARD_CHECK_SLOTS, check_next)


def name_worker(name: str) -> None:
    """Set the name that jobs have while this process works on them."""
    global _worker
    _worker = name


def stop_claiming() -> None:
    """Claim nothing more, as the worker is about to stop."""
    RUNS.stop()
    CHECKS.stop()


def finish() -> None:
    """Wait until all that was begun is done."""
    RUNS.join()
    CHECKS.join()
