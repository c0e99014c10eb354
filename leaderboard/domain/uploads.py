"""The states of an upload and every way from one to another, as data."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from leaderboard.domain.state_machine import StateMachine


class UploadState(StrEnum):
    """Where an upload stands.

    RECEIVING: bytes are still coming. QUEUED: all there, to be checked. CHECKING: a worker checks it, under a
    lease. INCOMPLETE: checked as far as it goes; its entry's description lacks something. CHECKED: the report
    is there, and a draft entry where anything could be recorded. REFUSED: nothing in it can be used, the
    report says why. FAILED: checking broke down for a reason of ours.
    """

    RECEIVING = "receiving"
    QUEUED = "queued"
    CHECKING = "checking"
    INCOMPLETE = "incomplete"
    CHECKED = "checked"
    REFUSED = "refused"
    FAILED = "failed"


_TRANSITIONS: Mapping[UploadState, Mapping[UploadState, str]] = {
    UploadState.RECEIVING: {UploadState.QUEUED: "its last byte has arrived"},
    UploadState.QUEUED: {UploadState.CHECKING: "a worker claims it"},
    UploadState.CHECKING: {
        UploadState.CHECKED: "the report is there",
        UploadState.INCOMPLETE: "its description lacks something",
        UploadState.REFUSED: "nothing in it can be used",
        UploadState.QUEUED: "its worker is gone and a take is left",
        UploadState.FAILED: "its worker is gone or broke down, and no take is left",
    },
    UploadState.INCOMPLETE: {UploadState.QUEUED: "its owner fills in what is missing"},
    UploadState.CHECKED: {UploadState.QUEUED: "its owner has it checked again"},
    UploadState.FAILED: {UploadState.QUEUED: "its owner has it checked again"},
    UploadState.REFUSED: {},
}

ENDED = frozenset({UploadState.INCOMPLETE, UploadState.CHECKED, UploadState.REFUSED, UploadState.FAILED})
"""Nothing happens to an upload in these by itself: pages stop asking."""

CHARGED = frozenset(UploadState) - {UploadState.REFUSED, UploadState.FAILED}
"""States that count against a team's quotas: what was refused, or failed of us, is charged to nobody."""

RECHECKABLE = frozenset(
    state for state, following in _TRANSITIONS.items() if UploadState.QUEUED in following and state in ENDED
)
"""States in which its owner can have an upload checked again."""

UPLOAD_MACHINE = StateMachine(
    "an upload", UploadState.RECEIVING, _TRANSITIONS, {state: "" for state in UploadState if state in ENDED}
)
