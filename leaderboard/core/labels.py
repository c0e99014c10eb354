"""Display names of metrics, scorers, states and other values."""

from __future__ import annotations

from typing import Protocol

from leaderboard.domain.access import Scope
from leaderboard.domain.entries import EntryState, Evidence, Provenance
from leaderboard.domain.jobs import JobState
from leaderboard.domain.scores import BOARD, REPORTED
from leaderboard.domain.uploads import UploadState
from leaderboard.scoring.contract import Scoring

PROVENANCES: dict[str, str] = {
    Provenance.IMPORTED: "imported",
    Provenance.SUBMITTED: "submitted",
    Provenance.RUN_HERE: "run here",
}
EVIDENCE: dict[str, str] = {
    Evidence.TRAJECTORIES: "trajectories",
    Evidence.ACCEPTED: "accepted by an operator",
    Evidence.SELF_REPORTED: "self-reported",
}


def scorer_labels(scoring: Scoring) -> dict[str, str]:
    """Whose scores a board can show, by the scorer's name, in the order of display."""
    computed = {scorer.name: scorer.label for scorer in scoring.scorers}
    return {BOARD: "Best available", REPORTED: "As reported"} | computed


ENDINGS: dict[str, str] = {
    "submitted": "Submitted an answer",
    "empty": "Submitted no answer",
    "exception": "Ended by an exception",
    "context": "Ran out of context",
    "cost": "Reached its cost limit",
    "time": "Ran out of time",
    "steps": "Ran out of steps",
    "unknown": "Ended for an unknown reason",
}
JOB_STATES: dict[str, str] = {
    JobState.QUEUED: "queued",
    JobState.RUNNING: "running",
    JobState.CANCELLING: "cancelling",
    JobState.FINISHED: "finished",
    JobState.FAILED: "infrastructure error",
    JobState.CANCELLED: "cancelled",
}
ENTRY_STATES: dict[str, str] = {
    EntryState.DRAFT: "draft",
    EntryState.PUBLISHED: "published",
    EntryState.SUPERSEDED: "replaced by a newer version",
    EntryState.WITHDRAWN: "withdrawn",
    EntryState.HIDDEN: "hidden by an operator",
}
ROLES: dict[str, str] = {"member": "member", "owner": "owner"}
SCOPES: dict[str, str] = {
    Scope.READ: "reading what you can see, drafts included",
    Scope.SUBMIT: "submitting: uploading, publishing and withdrawing for your teams",
    Scope.OPERATE: "operating: what operators do, runs included",
}
UPLOAD_STATES: dict[str, str] = {
    UploadState.RECEIVING: "arriving",
    UploadState.QUEUED: "waiting to be checked",
    UploadState.CHECKING: "being checked",
    UploadState.INCOMPLETE: "incomplete",
    UploadState.WAITING: "put off",
    UploadState.CHECKED: "checked",
    UploadState.REFUSED: "refused",
    UploadState.FAILED: "internal error",
}
UPLOAD_PHASES: dict[str, str] = {
    "unpacking": "unpacking",
    "looking": "examining the files",
    "preparing": "reading, scoring and rendering",
    "concluding": "writing the report",
}
MATCHED_BY: dict[str, str] = {
    "id": "by the id in it",
    "folder": "by its folder",
    "name": "by its name",
    "metadata": "by metadata.json",
}
PHASES: dict[str, str] = {
    "starting": "starting its sandbox",
    "pre-executing": "running the pre-executed cells",
    "executing": "running a cell",
    "thinking": "waiting for the agent",
    "scoring": "scoring",
    "cancelling": "removing its sandbox",
}


class Ranks(Protocol):
    """A tier's first and last rank; the last is None if the tier may go on below it."""

    @property
    def first(self) -> int: ...
    @property
    def last(self) -> int | None: ...


def ranks_text(tier: Ranks | None) -> str:
    """A tier's ranks, such as ``1\N{EN DASH}3``, or ``4+`` if it may go on below; empty for one rank."""
    if tier is None or tier.first == tier.last:
        return ""
    return f"{tier.first}+" if tier.last is None else f"{tier.first}\N{EN DASH}{tier.last}"
