"""The states of an upload and its transitions, as data."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from leaderboard.domain.state_machine import StateMachine


class UploadState(StrEnum):
    """The progress of an upload.

    RECEIVING: bytes are still arriving. QUEUED: it is complete and waits for a check. CHECKING: a worker
    checks it, under a lease. INCOMPLETE: it is checked, but its entry's description lacks something. CHECKED:
    it has a report, and a draft entry if any attempt was recorded. WAITING: its check is put off until
    the budget has room or an operator admits the team; nothing was compared. REFUSED: nothing in it can be
    used; the report says why. FAILED: the check failed because of an internal error.
    """

    RECEIVING = "receiving"
    QUEUED = "queued"
    CHECKING = "checking"
    INCOMPLETE = "incomplete"
    WAITING = "waiting"
    CHECKED = "checked"
    REFUSED = "refused"
    FAILED = "failed"


_TRANSITIONS: Mapping[UploadState, Mapping[UploadState, str]] = {
    UploadState.RECEIVING: {UploadState.QUEUED: "its last byte has arrived"},
    UploadState.QUEUED: {UploadState.CHECKING: "a worker claims it"},
    UploadState.CHECKING: {
        UploadState.CHECKED: "the report is complete",
        UploadState.INCOMPLETE: "its description lacks something",
        UploadState.WAITING: "no budget is left, or its team is not admitted",
        UploadState.REFUSED: "nothing in it can be used",
        UploadState.QUEUED: "its lease expired and a claim is left",
        UploadState.FAILED: "its lease expired or the check failed, and no claim is left",
    },
    UploadState.INCOMPLETE: {UploadState.QUEUED: "its owner fills in what is missing"},
    UploadState.WAITING: {UploadState.QUEUED: "there is room, its team is admitted, or its owner asks again"},
    UploadState.CHECKED: {UploadState.QUEUED: "its owner has it checked again"},
    UploadState.FAILED: {UploadState.QUEUED: "its owner has it checked again"},
    UploadState.REFUSED: {},
}

ENDED = frozenset(
    {
        UploadState.INCOMPLETE,
        UploadState.WAITING,
        UploadState.CHECKED,
        UploadState.REFUSED,
        UploadState.FAILED,
    }
)
"""States in which no check is under way: pages stop polling. Only a waiting upload goes on by itself."""

UNCHECKED = frozenset({UploadState.RECEIVING, UploadState.QUEUED, UploadState.CHECKING, UploadState.WAITING})
"""States of an upload that is not checked yet."""

CHARGED = frozenset(UploadState) - {UploadState.REFUSED, UploadState.FAILED}
"""States that count against a team's quotas: an upload that was refused or failed does not count."""

RECHECKABLE = frozenset(
    state for state, following in _TRANSITIONS.items() if UploadState.QUEUED in following and state in ENDED
)
"""States in which its owner can have an upload checked again."""

UPLOAD_MACHINE = StateMachine(
    "an upload", UploadState.RECEIVING, _TRANSITIONS, {state: "" for state in UploadState if state in ENDED}
)
