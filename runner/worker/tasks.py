"""Celery tasks. A message is only a wake-up call for work in the database: it may come twice or never."""

from __future__ import annotations

from celery import shared_task

from leaderboard.models import TaskSet
from leaderboard.operating.rescoring import record_preview, rescore_attempt, stale_attempts
from leaderboard.uploads.notices import send_next_notice
from runner.worker.slots import CHECKS, RUNS


@shared_task
def rescore(attempt_id: int) -> None:
    """Score one attempt anew, if it exists and its scores are still stale."""
    attempt = stale_attempts().filter(pk=attempt_id).first()
    if attempt is not None:
        rescore_attempt(attempt)


@shared_task
def preview(task_set_id: int) -> None:
    """Compute which ranks a re-score of a task set would change, for the operators' page."""
    task_set = TaskSet.objects.filter(pk=task_set_id).first()
    if task_set is not None:
        record_preview(task_set)


@shared_task
def work() -> None:
    """Have a slot look for a job."""
    RUNS.wake()


@shared_task
def check_uploads() -> None:
    """Have a slot look for an upload to check."""
    CHECKS.wake()


@shared_task
def tell() -> None:
    """Send one mail about an upload that is due; then send a task for the next one."""
    if send_next_notice():
        tell.delay()
