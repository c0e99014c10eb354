"""The Celery application: `celery -A runner.worker.app worker`."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from celery import Celery
from celery.signals import worker_ready, worker_shutdown, worker_shutting_down

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.core.settings")

app = Celery("superboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["runner.worker"])


# Celery sends the signals from different objects, so what the first starts is kept here for the others.
_threads: list[Any] = []


@worker_ready.connect
def _begin(sender: Any, **_: Any) -> None:
    _slots().name_worker(sender.hostname)
    thread = import_module("runner.worker.heartbeat").MaintenanceThread(sender.hostname)
    thread.start()
    _threads.append(thread)


@worker_shutting_down.connect
def _stop_claiming(**_: Any) -> None:
    _slots().stop_claiming()


@worker_shutdown.connect
def _finish(**_: Any) -> None:
    # The worker counts as alive while it finishes what it has begun.
    _slots().finish()
    while _threads:
        _threads.pop().stop()


def _slots() -> Any:
    # Imported here, as models can't be imported before Django is set up.
    return import_module("runner.worker.slots")
