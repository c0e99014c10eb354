"""The Celery application: `celery -A runner worker`."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from celery import Celery
from celery.signals import worker_ready, worker_shutdown

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

app = Celery("superboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["runner"])


# Celery sends its two signals from two different objects: what one starts is kept here for the other to stop.
_present: list[Any] = []


@worker_ready.connect
def _appear(sender: Any, **_: Any) -> None:
    # It knows models, and these can't be imported where this module is: before Django is set up.
    presence = import_module("runner.presence").Presence(sender.hostname)
    presence.start()
    _present.append(presence)


@worker_shutdown.connect
def _leave(**_: Any) -> None:
    while _present:
        _present.pop().stop()
