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


@worker_ready.connect
def _appear(sender: Any, **_: Any) -> None:
    # It knows models, and these can't be imported where this module is: before Django is set up.
    sender.presence = import_module("runner.presence").Presence(sender.hostname)
    sender.presence.start()


@worker_shutdown.connect
def _leave(sender: Any, **_: Any) -> None:
    if presence := getattr(sender, "presence", None):
        presence.stop()
