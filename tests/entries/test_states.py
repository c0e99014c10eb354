"""Every state an entry can be in, every way between them, and that there is no other."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from django.conf import settings

from leaderboard.domain.entries import (
    ENTRY_MACHINE,
    OPEN,
    WITHDRAWN_OR_HIDDEN,
    EntryState,
)
from leaderboard.domain.errors import InputError
from leaderboard.domain.state_machine import IllegalTransition
from leaderboard.entries.editing import accept_entry, edit_entry
from leaderboard.entries.services import discard_draft, hide_entry, show_entry, withdraw_entry
from leaderboard.models import AuditEvent, Entry
from tests.entries.cast import make_draft, masked, on_a_board, publish, state_of
from tests.people import person

PAIRS = list(product(EntryState, EntryState))
DRAFT, PUBLISHED, SUPERSEDED, WITHDRAWN, HIDDEN = EntryState

SERVICES: dict[str, Callable[[Entry], Any]] = {
    "publish": lambda entry: publish(entry, user=None),
    "withdraw": lambda entry: withdraw_entry(entry, user=None, reason="A bug."),
    "hide": lambda entry: hide_entry(entry, user=None, reason="Faked."),
    "show": lambda entry: show_entry(entry, user=None),
    "discard": lambda entry: discard_draft(entry, user=None),
    "accept": lambda entry: accept_entry(entry, user=person("olga"), why="Ran it again."),
    "edit": lambda entry: edit_entry(entry, user=None, notes="Better words."),
}
ALLOWED: dict[str, dict[EntryState, EntryState | None]] = {
    # What is published stays so when it is published again.
    "publish": {DRAFT: PUBLISHED, PUBLISHED: PUBLISHED, SUPERSEDED: SUPERSEDED},
    "withdraw": {PUBLISHED: WITHDRAWN, SUPERSEDED: WITHDRAWN},
    "hide": {PUBLISHED: HIDDEN, SUPERSEDED: HIDDEN},
    "show": {HIDDEN: PUBLISHED},
    "discard": {DRAFT: None},
    "accept": {PUBLISHED: PUBLISHED},
    "edit": {state: state for state in (DRAFT, PUBLISHED, SUPERSEDED)},
}


def entry_in(state: EntryState) -> Entry:
    """An entry that has come into ``state`` in the way that people bring it there."""
    task_set = masked()
    draft = make_draft(task_set, {"pet": 1.0})
    if state is DRAFT:
        return draft
    entry = publish(draft, user=None)
    if state is SUPERSEDED:
        publish(make_draft(task_set, {"pet": 0.5}), user=None)
    elif state is WITHDRAWN:
        withdraw_entry(entry, user=None, reason="A bug.")
    elif state is HIDDEN:
        hide_entry(entry, user=None, reason="Faked.")
    entry.refresh_from_db()
    return entry


@pytest.mark.parametrize(("current", "wanted"), PAIRS, ids=[f"{a} to {b}" for a, b in PAIRS])
def test_an_entry_moves_along_the_table_and_no_other_way(current: EntryState, wanted: EntryState) -> None:
    if wanted in ENTRY_MACHINE.transitions[current]:
        ENTRY_MACHINE.check(current, wanted)
        return
    with pytest.raises(IllegalTransition, match=f"{current} can't become {wanted}"):
        ENTRY_MACHINE.check(current, wanted)


def test_every_state_is_open_or_gone_or_a_draft() -> None:
    assert OPEN | WITHDRAWN_OR_HIDDEN | {DRAFT} == set(EntryState)
    assert not OPEN & WITHDRAWN_OR_HIDDEN


def test_the_document_draws_the_table() -> None:
    document = (settings.BASE_DIR / "docs/operating.md").read_text(encoding="utf-8")

    assert f"```mermaid\n{ENTRY_MACHINE.diagram()}\n```" in document


@pytest.mark.django_db
@pytest.mark.parametrize("action", SERVICES)
@pytest.mark.parametrize("state", EntryState)
def test_each_action_works_in_its_states_and_says_why_not_in_the_others(
    state: EntryState, action: str
) -> None:
    entry = entry_in(state)
    assert entry.state == state
    events = AuditEvent.objects.count()

    if state in ALLOWED[action]:
        SERVICES[action](entry)
        wanted = ALLOWED[action][state]
    else:
        with pytest.raises(InputError) as refusal:
            SERVICES[action](entry)
        assert refusal.value.problem.remedy
        wanted = state
        assert AuditEvent.objects.count() == events

    assert list(Entry.objects.filter(pk=entry.pk).values_list("state", flat=True)) == (
        [wanted] if wanted else []
    )
    if wanted:
        assert on_a_board(entry) is (wanted is PUBLISHED)


@pytest.mark.django_db
def test_an_older_version_that_was_hidden_is_shown_as_an_older_version() -> None:
    entry = entry_in(SUPERSEDED)
    hide_entry(entry, user=None, reason="It shows an address.")

    show_entry(entry, user=None)

    assert state_of(entry) == SUPERSEDED
    assert not on_a_board(entry)


@pytest.mark.django_db
def test_a_hidden_entry_is_not_shown_while_another_has_its_name() -> None:
    entry = entry_in(HIDDEN)
    make_draft(entry.task_set, {"pet": 1.0}, owner="bob")
    Entry.objects.filter(team__name="bob").update(state=PUBLISHED)

    with pytest.raises(InputError, match="has an entry on this board already"):
        show_entry(entry, user=None)


@pytest.mark.django_db
@pytest.mark.parametrize("reason", ["", "  \n", "x" * 2001])
def test_what_is_said_in_public_is_a_sentence(reason: str) -> None:
    entry = entry_in(PUBLISHED)

    with pytest.raises(InputError, match="needs 1 to 2,000 characters"):
        withdraw_entry(entry, user=None, reason=reason)
    with pytest.raises(InputError, match="needs 1 to 2,000 characters"):
        hide_entry(entry, user=None, reason=reason)
    with pytest.raises(InputError, match="needs 1 to 2,000 characters"):
        accept_entry(entry, user=person("olga"), why=reason)

    assert state_of(entry) == PUBLISHED
