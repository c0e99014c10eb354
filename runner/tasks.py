"""Celery tasks: load by id, call, record. A message is only a wake-up call, so each may come twice or never."""

from __future__ import annotations

from celery import shared_task

from leaderboard.models import Attempt
from leaderboard.services.rescoring import rescore_attempt


@shared_task
def rescore(attempt_id: int) -> None:
    """Score one attempt anew, unless it is gone or another message had it done already."""
    attempt = Attempt.objects.filter(pk=attempt_id, scores__stale=True).distinct().first()
    if attempt is not None:
        rescore_attempt(attempt)
