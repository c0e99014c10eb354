"""A thread of each worker that records its heartbeat, and cleans up after dead workers.

Not a Celery task, as a task would wait while Celery's own threads are busy.
"""

from __future__ import annotations

import logging
import threading

from celery import current_app
from django.conf import settings
from django.db import close_old_connections, connection

from leaderboard.runs.claims import claimable_jobs, forget_worker, note_worker, sweep
from leaderboard.uploads.check_writes import SweptUploads, queued_uploads, sweep_uploads
from leaderboard.uploads.notices import TELL_TASK, due_notices
from leaderboard.uploads.sweeping import complete_received, remove_unneeded
from runner.worker.maintenance import remove_docker_orphans, remove_local_orphans, shortage
from runner.worker.slots import CHECKS, RUNS

logger = logging.getLogger(__name__)


class MaintenanceThread(threading.Thread):
    """Runs ``tidy`` at once, and every `RUNNER_SWEEP_SECONDS` until stopped."""

    def __init__(self, worker: str) -> None:
        super().__init__(name="maintenance", daemon=True)
        self._worker = worker
        self._over = threading.Event()

    def stop(self) -> None:
        """Stop after the current call of ``tidy``."""
        self._over.set()
        self.join()

    def run(self) -> None:
        try:
            while True:
                try:
                    tidy(self._worker)
                except Exception:
                    # Go on after an error of the database, the broker or the disk: no one else cleans up.
                    logger.exception(
                        "cleaning up failed; trying again in %s s", settings.RUNNER_SWEEP_SECONDS
                    )
                    close_old_connections()
                if self._over.wait(settings.RUNNER_SWEEP_SECONDS):
                    forget_worker(self._worker)
                    return
        finally:
            connection.close()


def tidy(worker: str) -> None:
    """Record ``worker``'s heartbeat, requeue lost work, remove orphans, and wake slots for queued work."""
    note_worker(worker, notice=shortage())
    swept = sweep()
    if swept.requeued or swept.failed or swept.cancelled:
        logger.warning("swept: %s", swept)
    if (swept_uploads := sweep_uploads()) != SweptUploads(0, 0):
        logger.warning("swept: %s", swept_uploads)
    complete_received()
    remove_unneeded()
    remove_local_orphans()
    remove_docker_orphans()
    if due_notices():
        current_app.send_task(TELL_TASK, expires=settings.RUNNER_LEASE_SECONDS)
    # Not by a message, which may go to a worker without a free slot.
    if uploads := queued_uploads():
        CHECKS.wake(uploads)
    if jobs := claimable_jobs():
        RUNS.wake(jobs)
