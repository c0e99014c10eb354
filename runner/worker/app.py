"""The Celery application: `celery -A runner.worker.app worker`."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from celery import Celery
from celery.signals import worker_ready, worker_shutdown

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.core.settings")

app = Celery("superboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["runner.worker"])


# Celery sends the two signals from different objects, so what the first starts is kept here for the second.
_threads: list[Any] = []


@worker_ready.connect
def _start_maintenance(sender: Any, **_: Any) -> None:
    # Imported here, as models can't be imported before Django is set up.
    thread = import_module("runner.worker.heartbeat").MaintenanceThread(sender.hostname)
    thread.start()
    _threads.append(thread)


@worker_shutdown.connect
def _stop_maintenance(**_: Any) -> None:
    while _threads:
        _threads.pop().stop()
