"""Where an entry stands, and every way from one state to another, as data."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


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


ENTRY_TRANSITIONS: Mapping[EntryState, Mapping[EntryState, str]] = {
    EntryState.DRAFT: {EntryState.PUBLISHED: "its owner publishes it"},
    EntryState.PUBLISHED: {
        EntryState.SUPERSEDED: "a new version of it is published",
        EntryState.WITHDRAWN: "its owner withdraws it",
        EntryState.HIDDEN: "an operator hides it and says why",
    },
    EntryState.HIDDEN: {EntryState.PUBLISHED: "an operator shows it again"},
    EntryState.SUPERSEDED: {
        EntryState.WITHDRAWN: "its owner withdraws it",
        EntryState.PUBLISHED: "the version after it is withdrawn",
    },
    EntryState.WITHDRAWN: {},
}
"""What can follow each state, and what makes it follow. A draft that is discarded is deleted."""

OPEN = frozenset({EntryState.PUBLISHED, EntryState.SUPERSEDED})
"""States whose results everybody may read."""
