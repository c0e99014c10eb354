"""A worker's thread beside its work: it says that the worker lives, and cleans up after those that do not.

Not a Celery task: tasks wait while every process of the pool is busy, and that is when cleaning up matters.
"""

from __future__ import annotations

import logging
import shutil
import threading

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection

from leaderboard.services.runs import WORK_TASK
from leaderboard.services.units import Claim, claimable_units, live_claims, note_worker, sweep
from runner.provision import claim_label, docker_config, owner_id
from runner.resources import shortage
from runner.sandbox.base import SandboxError
from runner.sandbox.engine import connect, remove_orphans

logger = logging.getLogger(__name__)


class Presence:
    """Runs ``tidy`` every `RUNNER_SWEEP_SECONDS` until stopped."""

    def __init__(self, worker: str) -> None:
        self._worker = worker
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._stay, name="presence", daemon=True)

    def start(self) -> None:
        """Begin; the first tidying is at once."""
        self._thread.start()

    def stop(self) -> None:
        """End, when what is being done is done."""
        self._over.set()
        self._thread.join()

    def _stay(self) -> None:
        try:
            while True:
                try:
                    tidy(self._worker)
                except DatabaseError:
                    logger.exception("could not tidy up; trying again in %s s", settings.RUNNER_SWEEP_SECONDS)
                    close_old_connections()
                if self._over.wait(settings.RUNNER_SWEEP_SECONDS):
                    return
        finally:
            connection.close()


def tidy(worker: str) -> None:
    """Say that ``worker`` lives, take up lost units, remove what no unit owns, have the rest worked on."""
    note_worker(worker, notice=shortage())
    swept = sweep()
    if swept.requeued or swept.failed or swept.cancelled:
        logger.warning("swept: %s", swept)
    live = live_claims()
    remove_local_orphans(live)
    remove_docker_orphans(live)
    for _ in range(min(claimable_units(), settings.CELERY_WORKER_CONCURRENCY)):
        current_app.send_task(WORK_TASK)


def remove_local_orphans(live: set[Claim]) -> None:
    """Remove the folders of local sandboxes that no live take owns."""
    known = {claim_label(claim) for claim in live}
    for folder in (settings.VAR / "sandboxes").glob("*"):
        if folder.name not in known:
            shutil.rmtree(folder, ignore_errors=True)


def remove_docker_orphans(live: set[Claim]) -> None:
    """Remove containers, networks and folders that no live take owns; nothing where no engine answers."""
    config = docker_config()
    try:
        client = connect(config)
    except SandboxError:
        # An installation may well do without Docker; a run that asks for it says what is missing.
        return
    try:
        labels = {claim_label(claim) for claim in live}
        for name in remove_orphans(client, labels, owner=owner_id(), config=config):
            logger.warning("removed %s, which no unit owns", name)
    except SandboxError as error:
        logger.warning("could not look for orphans: %s", error)
    finally:
        client.close()
