"""The states of an upload and every way from one to another, as data."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from leaderboard.domain.states import IllegalTransition


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


UPLOAD_TRANSITIONS: Mapping[UploadState, Mapping[UploadState, str]] = {
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
"""What can follow each state, and what makes it follow. One that is discarded is deleted."""

ENDED = frozenset({UploadState.INCOMPLETE, UploadState.CHECKED, UploadState.REFUSED, UploadState.FAILED})
"""Nothing happens to an upload in these by itself: pages stop asking."""

CHARGED = frozenset(UploadState) - {UploadState.REFUSED, UploadState.FAILED}
"""States that count against a team's quotas: what was refused, or failed of us, is charged to nobody."""

RECHECKABLE = frozenset(
    state
    for state, following in UPLOAD_TRANSITIONS.items()
    if UploadState.QUEUED in following and state in ENDED
)
"""States in which its owner can have an upload checked again."""


def check_upload_transition(current: UploadState, wanted: UploadState) -> None:
    """Raise `IllegalTransition` unless ``wanted`` can follow ``current``."""
    if wanted not in UPLOAD_TRANSITIONS[current]:
        allowed = ", ".join(UPLOAD_TRANSITIONS[current]) or "nothing"
        raise IllegalTransition(
            f"an upload that is {current} can't become {wanted}; it can become: {allowed}"
        )


def upload_diagram() -> str:
    """The table as a Mermaid state diagram, as docs/submitting.md shows it."""
    lines = ["stateDiagram-v2", "    [*] --> receiving"]
    for state, following in UPLOAD_TRANSITIONS.items():
        lines += [f"    {state} --> {wanted}: {why}" for wanted, why in following.items()]
    lines += [f"    {state} --> [*]" for state in UploadState if state in ENDED]
    return "\n".join(lines)
