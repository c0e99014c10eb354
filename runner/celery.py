"""The Celery application: `celery -A runner worker`."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

app = Celery("superboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["runner"])
