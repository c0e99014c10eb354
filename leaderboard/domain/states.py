"""The states of a unit (one attempt that the runner makes) and every way from one to another, as data."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from leaderboard.domain.state_machine import StateMachine


class UnitState(StrEnum):
    """Where a unit stands."""

    QUEUED = "queued"
    RUNNING = "running"
    CANCELLING = "cancelling"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


_TRANSITIONS: Mapping[UnitState, Mapping[UnitState, str]] = {
    UnitState.QUEUED: {
        UnitState.RUNNING: "a worker claims it",
        UnitState.CANCELLED: "an operator cancels it before anyone claims it",
    },
    UnitState.RUNNING: {
        UnitState.FINISHED: "the attempt ended and is recorded",
        UnitState.QUEUED: "its worker is gone or its infrastructure failed, and a take is left",
        UnitState.FAILED: "its worker is gone or its infrastructure failed, and no take is left",
        UnitState.CANCELLING: "an operator cancels it",
    },
    UnitState.CANCELLING: {
        UnitState.CANCELLED: "its sandbox is gone",
        UnitState.FINISHED: "the attempt had ended when the worker heard of it",
    },
    UnitState.FAILED: {UnitState.QUEUED: "an operator retries it"},
    UnitState.CANCELLED: {UnitState.QUEUED: "an operator retries it"},
    UnitState.FINISHED: {},
}

TERMINAL = frozenset({UnitState.FINISHED, UnitState.FAILED, UnitState.CANCELLED})
"""Nothing happens to a unit in these by itself: pages stop asking."""

CLAIMED = frozenset({UnitState.RUNNING, UnitState.CANCELLING})
"""A worker holds the unit, under a lease."""

UNIT_MACHINE = StateMachine(
    "a unit", UnitState.QUEUED, _TRANSITIONS, {state: "" for state in UnitState if state in TERMINAL}
)
