"""Celery tasks. A message is only a wake-up call for work in the database: it may come twice or never."""

from __future__ import annotations

from celery import Task, shared_task

from leaderboard.models import TaskSet
from leaderboard.operating.rescoring import record_preview, rescore_attempt, stale_attempts
from leaderboard.uploads.notices import send_next_notice
from runner.worker.checks import check_next
from runner.worker.jobs import work_on_next


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


@shared_task(bind=True)
def work(self: Task) -> None:
    """Claim a job and work on it; then send a task for the next one."""
    if work_on_next(self.request.hostname or "a worker"):
        work.delay()


@shared_task
def check_uploads() -> None:
    """Claim an upload and check it; then send a task for the next one."""
    if check_next():
        check_uploads.delay()


@shared_task
def tell() -> None:
    """Send one mail about an upload that is due; then send a task for the next one."""
    if send_next_notice():
        tell.delay()
