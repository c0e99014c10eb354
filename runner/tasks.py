"""Celery tasks: load by id, call, record. A message is a wake-up call: it may come twice or never."""

from __future__ import annotations

from celery import Task, shared_task

from leaderboard.models import TaskSet
from leaderboard.services.notices import tell_next
from leaderboard.services.rescoring import record_preview, rescore_attempt, stale_attempts
from runner.checking import check_next
from runner.working import work_on_next


@shared_task
def rescore(attempt_id: int) -> None:
    """Score one attempt anew, unless it is gone or another message had it done already."""
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
    """Claim a unit and work on it; then have somebody look whether there is another."""
    if work_on_next(self.request.hostname or "a worker"):
        work.delay()


@shared_task
def check_uploads() -> None:
    """Claim an upload and check it; then have somebody look whether there is another."""
    if check_next():
        check_uploads.delay()


@shared_task
def tell() -> None:
    """Tell what is due of an upload; then have somebody look whether there is more."""
    if tell_next():
        tell.delay()
