"""The states of a job (one attempt that the runner makes) and every way from one to another, as data."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from leaderboard.domain.state_machine import StateMachine


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    CANCELLING = "cancelling"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


_TRANSITIONS: Mapping[JobState, Mapping[JobState, str]] = {
    JobState.QUEUED: {
        JobState.RUNNING: "a worker claims it",
        JobState.CANCELLED: "an operator cancels it before anyone claims it",
    },
    JobState.RUNNING: {
        JobState.FINISHED: "the attempt ended and is recorded",
        JobState.QUEUED: "its worker is gone or its infrastructure failed, and a take is left",
        JobState.FAILED: "its worker is gone or its infrastructure failed, and no take is left",
        JobState.CANCELLING: "an operator cancels it",
    },
    JobState.CANCELLING: {
        JobState.CANCELLED: "its sandbox is gone",
        JobState.FINISHED: "the attempt had ended when the worker heard of it",
    },
    JobState.FAILED: {JobState.QUEUED: "an operator retries it"},
    JobState.CANCELLED: {JobState.QUEUED: "an operator retries it"},
    JobState.FINISHED: {},
}

TERMINAL = frozenset({JobState.FINISHED, JobState.FAILED, JobState.CANCELLED})
"""Nothing happens to a job in these by itself: pages stop asking."""

CLAIMED = frozenset({JobState.RUNNING, JobState.CANCELLING})
"""A worker holds the job, under a lease."""

JOB_MACHINE = StateMachine(
    "a job", JobState.QUEUED, _TRANSITIONS, {state: "" for state in JobState if state in TERMINAL}
)
