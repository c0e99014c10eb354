"""Where an entry stands, and every way from one state to another, as data."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from leaderboard.domain.state_machine import StateMachine

RUN_HERE = "run here"
"""The source of an entry whose attempts a run of ours made; any other but ours is its owners' own words."""
UPLOADED = "uploaded"
"""The source of an entry that its team sent here."""


class EntryState(StrEnum):
    """Who sees an entry, and whether a board ranks it.

    DRAFT: its owners and operators only. PUBLISHED: everybody, on its board. SUPERSEDED: everybody, on no
    board; a newer version is published. WITHDRAWN: its address says that it was taken back by its owners.
    HIDDEN: its address says that an operator hid it, and why.
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

STANDING: Mapping[EntryState, str] = {
    EntryState.DRAFT: "it is a draft",
    EntryState.PUBLISHED: "it is published",
    EntryState.SUPERSEDED: "a newer version has replaced it",
    EntryState.WITHDRAWN: "it is withdrawn",
    EntryState.HIDDEN: "an operator has hidden it",
}
"""Each state as the reason why something can't be done."""

OPEN = frozenset({EntryState.PUBLISHED, EntryState.SUPERSEDED})
"""States whose results everybody may read."""

GONE = frozenset({EntryState.WITHDRAWN, EntryState.HIDDEN})
"""States in which an address says no more than what became of the entry."""
