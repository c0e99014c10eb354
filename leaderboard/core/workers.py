"""Which workers are alive: both runs and checks of uploads wait for one."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from leaderboard.models import Worker

WORKER_COMMAND: Final = "celery -A runner.worker.app worker"
"""What starts a worker."""


def live_workers() -> QuerySet[Worker]:
    """The workers with a recent heartbeat."""
    since = timezone.now() - timedelta(seconds=settings.RUNNER_LEASE_SECONDS)
    return Worker.objects.filter(seen__gte=since)
