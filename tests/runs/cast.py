"""Runs on the cast's tasks: made, claimed, and finished without a worker."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from django.utils import timezone

from leaderboard import pipeline
from leaderboard.catalogue.selectors import task_spec
from leaderboard.domain.tasks import TaskSpec
from leaderboard.models import Job, Run, TaskSet
from leaderboard.runs.claims import Claim, claim_job, finish_job
from leaderboard.runs.services import create_run
from leaderboard.scoring.super import SCORING
from tests.cast import CET, MODEL, PET, SOLVER, history, make_set

WORKER = "celery@here"


def make_run(*specs: TaskSpec, task_set: TaskSet | None = None, **options: Any) -> Run:
    """A run of Solver on a set with these tasks (pet and cet if none is given)."""
    task_set = task_set or make_set(*(specs or (PET, CET)))
    asked: dict[str, Any] = {
        "tasks": list(task_set.tasks.all()),
        "attempts": 1,
        "agent": "scripted",
        "scaffold": SOLVER,
        "model": MODEL,
        "settings": {},
        "sandbox": "local",
        "limits": {},
        "max_parallel": 2,
    }
    return create_run(task_set=task_set, **{**asked, **options})


def claim(worker: str = WORKER) -> Claim:
    """The next job."""
    taken = claim_job(worker)
    assert taken is not None
    return taken


def job_of(held: Claim) -> Job:
    """The row as it is now."""
    return Job.objects.get(pk=held.job_id)


def finish(held: Claim, answer: Any = None) -> Job:
    """Record an attempt that submits ``answer``, as a worker does."""
    job = Job.objects.select_related("task").get(pk=held.job_id)
    data = json.dumps(history({"loss": 0.5} if answer is None else answer)).encode()
    prepared = pipeline.prepare(
        data, name="history.json", task=task_spec(job.task), scoring=SCORING, title="Solver"
    )
    digest = pipeline.source_digest({"history.json": data})
    finish_job(held, prepared=prepared, digest=digest, used={"steps": 2})
    return job_of(held)


def let_the_lease_end(held: Claim) -> None:
    """The worker was silent for too long."""
    Job.objects.filter(pk=held.job_id).update(lease_until=timezone.now() - timedelta(seconds=1))
