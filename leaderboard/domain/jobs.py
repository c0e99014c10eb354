"""The states of a job (one attempt that the runner makes) and its transitions, as data."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from leaderboard.domain.state_machine import StateMachine


class JobState(StrEnum):
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
        JobState.QUEUED: "its lease expired or the infrastructure failed, and a claim is left",
        JobState.FAILED: "its lease expired or the infrastructure failed, and no claim is left",
        JobState.CANCELLING: "an operator cancels it",
    },
    JobState.CANCELLING: {
        JobState.CANCELLED: "its sandbox is removed",
        JobState.FINISHED: "the attempt had ended before the worker noticed",
    },
    JobState.FAILED: {JobState.QUEUED: "an operator retries it"},
    JobState.CANCELLED: {JobState.QUEUED: "an operator retries it"},
    JobState.FINISHED: {},
}

TERMINAL = frozenset({JobState.FINISHED, JobState.FAILED, JobState.CANCELLED})
"""States that a job leaves only if an operator retries it: pages stop polling."""

CLAIMED = frozenset({JobState.RUNNING, JobState.CANCELLING})
"""A worker holds the job, under a lease."""

JOB_MACHINE = StateMachine(
    "a job", JobState.QUEUED, _TRANSITIONS, {state: "" for state in JobState if state in TERMINAL}
)
