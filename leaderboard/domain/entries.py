"""An entry's states and transitions, what supports its scores, and where they come from, as data."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from leaderboard.domain.scores import REPORTED
from leaderboard.domain.state_machine import StateMachine


class Evidence(StrEnum):
    """What supports an entry's scores.

    TRAJECTORIES: each of its attempts has a trajectory. ACCEPTED: some attempts have none, but an operator
    has accepted the entry. SELF_REPORTED: some or all attempts have none, and nobody has accepted it.
    """

    TRAJECTORIES = "trajectories"
    ACCEPTED = "accepted"
    SELF_REPORTED = "self-reported"


RANKED = frozenset({Evidence.TRAJECTORIES, Evidence.ACCEPTED})
"""What a rank needs; other entries stand below the ranking and in no chart, however high they are."""


def evidence_of(*, attempts: int, without_trajectory: int, accepted: bool) -> Evidence:
    """What supports the scores of an entry with so many attempts."""
    if attempts and not without_trajectory:
        return Evidence.TRAJECTORIES
    return Evidence.ACCEPTED if accepted else Evidence.SELF_REPORTED


def evidence_by(scorer: str, evidence: Evidence, *, accepted: bool) -> Evidence:
    """What supports an entry's figures by one scorer: a trajectory says nothing about what was reported."""
    if scorer == REPORTED:
        return Evidence.ACCEPTED if accepted else Evidence.SELF_REPORTED
    return evidence


class Provenance(StrEnum):
    """Where an entry comes from; the site knows it, and nobody can edit it.

    IMPORTED: an operator imported it; ``Entry.origin`` says from where. SUBMITTED: its team uploaded it.
    RUN_HERE: a run on this site made its attempts.
    """

    IMPORTED = "imported"
    SUBMITTED = "submitted"
    RUN_HERE = "run-here"


class EntryState(StrEnum):
    """Who sees an entry, and whether a board ranks it.

    DRAFT: only its owners and operators see it. PUBLISHED: everybody sees it, on its board. SUPERSEDED:
    everybody sees it, on no board, because a newer version is published. WITHDRAWN: its page shows only that
    its owners withdrew it. HIDDEN: its page shows only that an operator hid it, and why.
    """

    DRAFT = "draft"
    PUBLISHED = "published"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"
    HIDDEN = "hidden"


_TRANSITIONS: Mapping[EntryState, Mapping[EntryState, str]] = {
    EntryState.DRAFT: {EntryState.PUBLISHED: "its owner publishes it"},
    EntryState.PUBLISHED: {
        EntryState.SUPERSEDED: "a new version of it is published",
        EntryState.WITHDRAWN: "its owner withdraws it",
        EntryState.HIDDEN: "an operator hides it and says why",
    },
    EntryState.HIDDEN: {
        EntryState.PUBLISHED: "an operator shows it again",
        EntryState.SUPERSEDED: "an operator shows it again, and a newer version is published",
    },
    EntryState.SUPERSEDED: {
        EntryState.WITHDRAWN: "its owner withdraws it",
        EntryState.HIDDEN: "an operator hides it and says why",
        EntryState.PUBLISHED: "the version after it is withdrawn",
    },
    EntryState.WITHDRAWN: {},
}

ENTRY_MACHINE = StateMachine(
    "an entry",
    EntryState.DRAFT,
    _TRANSITIONS,
    {EntryState.DRAFT: "its owner discards it", EntryState.WITHDRAWN: ""},
)

STATE_REASONS: Mapping[EntryState, str] = {
    EntryState.DRAFT: "it is a draft",
    EntryState.PUBLISHED: "it is published",
    EntryState.SUPERSEDED: "a newer version has replaced it",
    EntryState.WITHDRAWN: "it is withdrawn",
    EntryState.HIDDEN: "an operator has hidden it",
}
"""Each state as a reason for refusing an action."""

OPEN = frozenset({EntryState.PUBLISHED, EntryState.SUPERSEDED})
"""States in which everybody may read an entry's results."""

WITHDRAWN_OR_HIDDEN = frozenset({EntryState.WITHDRAWN, EntryState.HIDDEN})
"""States in which an entry's page shows its state and reason only."""
