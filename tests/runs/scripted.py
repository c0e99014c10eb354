"""Runs of a scripted agent for real workers, and what must be true of them in the end."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.utils import timezone

from leaderboard.domain.jobs import CLAIMED, JobState
from leaderboard.models import Attempt, AttemptStep, Job, JobStep, Run, Score
from runner.sandbox.engine import OWNER
from tests.cast import CET, PET
from tests.runs.cast import make_run
from tests.runs.workers import Workers, processes_with

STEPS = 3
ENDLESS_CELL = """
import subprocess
print("asleep")
subprocess.run(["sleep", "600"], start_new_session=True)
"""
"""For a real kernel: a cell that starts a program in a session of its own."""


def scripted_run(var: Path, first_cell: str = "epoch 1", **options: Any) -> Run:
    """A run of two jobs, one after the other, by an agent that executes two cells and submits."""
    moves = [("execute", first_cell), ("execute", "loss 0.5"), ("submit", '{"loss": 0.5}')]
    script = {
        "scaffold": "Solver",
        "model": "script",
        "context_tokens": None,
        "cell_seconds": 1000,
        "tasks": {
            task: [
                {"thought": "On.", "action": {"type": kind, "content": content}} for kind, content in moves
            ]
            for task in ("pet", "cet")
        },
    }
    (var / "script.json").write_text(json.dumps(script))
    settings = {"script": str(var / "script.json")}
    asked = {"settings": settings, "sandbox": "fake", "max_parallel": 1, **options}
    return make_run(PET, CET, **asked)


def end_all_leases() -> None:
    """Let no test wait for the end of a dead worker's lease."""
    past = timezone.now() - timedelta(seconds=1)
    Job.objects.filter(state__in=CLAIMED).update(lease_until=past)


def check_all_finished_once(run: Run, takes: set[int]) -> None:
    """Every job has finished, with one attempt whose steps and scores are there once."""
    jobs = list(run.jobs.all())
    assert [job.state for job in jobs] == [JobState.FINISHED] * len(jobs)
    assert {job.claim_number for job in jobs} <= takes
    assert sorted(job.attempt_id or 0 for job in jobs) == sorted(Attempt.objects.values_list("pk", flat=True))
    assert AttemptStep.objects.count() == STEPS * len(jobs)
    for job in jobs:
        last_claim = JobStep.objects.filter(job=job, claim_number=job.claim_number)
        assert list(last_claim.values_list("number", flat=True)) == list(range(1, STEPS + 1))
    scores = list(Score.objects.values_list("attempt", "scorer", "metric"))
    assert len(scores) == len(set(scores)) > 0
    run.entry.refresh_from_db()
    assert run.entry.attempted == len(jobs)


def check_no_sandbox_is_left(workers: Workers) -> None:
    """No process, folder or socket of a local one."""
    sandboxes = workers.var / "sandboxes"
    workers.until(lambda: not processes_with(str(sandboxes)))
    places = ("sandboxes/*", "outputs/*", "tmp/kernel-*")
    workers.until(lambda: not [path for place in places for path in workers.var.glob(place)])


def check_no_container_is_left(workers: Workers, engine: Any) -> None:
    """Nor a network of this installation on the engine, nor a folder here."""
    ours = {"label": f"{OWNER}={(workers.var / 'installation-id').read_text().strip()}"}
    workers.until(lambda: not engine.containers.list(all=True, filters=ours, ignore_removed=True))
    assert engine.networks.list(filters=ours) == []
    places = ("outputs/*", "tmp/superboard/*")
    workers.until(lambda: not [path for place in places for path in workers.var.glob(place)])
