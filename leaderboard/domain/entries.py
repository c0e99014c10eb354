"""The states of an entry and its transitions, as data."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from leaderboard.domain.state_machine import StateMachine

RUN_HERE = "run here"
"""The source of an entry whose attempts a run on this site made. Other sources are text by the owners."""
UPLOADED = "uploaded"
"""The source of an entry that its team uploaded."""


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
