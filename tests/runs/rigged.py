"""The runner's Celery application with traps: `celery -A tests.runs.rigged worker`.

A worker that steps into the trap which a file in its `var/` names is killed, once, as by `kill -9`: with its
whole process group, or the process that stepped into it alone where the file says so. A run whose sandbox is
`fake` gets one whose cells do what their code says; everything else is what runs in production.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from functools import wraps
from typing import Any

import django
from django.conf import settings

from runner.worker.app import app

django.setup()

from leaderboard import pipeline  # noqa: E402 - models need a Django that is set up
from leaderboard.models import Job, JobStep  # noqa: E402
from leaderboard.runs import claims as jobs  # noqa: E402
from leaderboard.runs.claims import Claim  # noqa: E402
from leaderboard.uploads import checking  # noqa: E402
from runner.sandbox.base import Sandbox  # noqa: E402
from runner.sandbox.channels import Channels  # noqa: E402
from runner.sandbox.fake import FakeSandbox, Reply  # noqa: E402
from runner.worker import checks as checking_tasks  # noqa: E402
from runner.worker import jobs as working  # noqa: E402
from runner.worker import provision  # noqa: E402
from runner.worker.recorder import JobRecorder  # noqa: E402
from tests.runs.traps import TRAP_FILE, TRAPS, UPLOAD_TRAPS, Trap  # noqa: E402

FILE = settings.VAR / TRAP_FILE
PLACES: dict[str, Any] = {
    "working": working,
    "sandbox": FakeSandbox,
    "channels": Channels,
    "recorder": JobRecorder,
    "step": JobStep,
    "pipeline": pipeline,
    "jobs": jobs,
    "checking": checking,
    "checking tasks": checking_tasks,
}


def spring(alone: bool) -> None:
    """Kill this worker, unless it was done before."""
    try:
        FILE.unlink()
    except FileNotFoundError:
        return
    if alone:
        os.kill(os.getpid(), signal.SIGKILL)
    os.killpg(0, signal.SIGKILL)


def trapped(function: Callable[..., Any], when: str, alone: bool) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        if when == "before":
            spring(alone)
        result = function(*args, **options)
        if when == "after":
            spring(alone)
        return result

    return call


def lay(trap: Trap, *, alone: bool) -> None:
    place = PLACES[trap.place]
    setattr(place, trap.function, trapped(getattr(place, trap.function), trap.when, alone))


def reply(code: str) -> Reply:
    """`sleep 600` sleeps so many seconds, anything else is said back."""
    word, _, seconds = code.partition(" ")
    if word == "sleep":
        return Reply(("asleep\n",), seconds=float(seconds))
    return Reply((f"{code}\n",))


def sandbox_of(job: Job, claim: Claim) -> Sandbox:
    return FakeSandbox(reply) if job.run.sandbox == "fake" else provision.sandbox_of(job, claim)


setattr(working, "sandbox_of", sandbox_of)  # noqa: B010 - to mypy it is not for others to set
if FILE.exists():
    wanted = json.loads(FILE.read_text())
    lay((TRAPS | UPLOAD_TRAPS)[wanted["trap"]], alone=wanted["alone"])

__all__ = ["app"]
