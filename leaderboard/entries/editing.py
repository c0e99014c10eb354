"""Edits of an entry: the owners' texts, and the operators' acceptance."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from typing import Any, TypedDict, Unpack

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from leaderboard.core.audit import record_event
from leaderboard.core.figures import refresh_figures
from leaderboard.domain.entries import STATE_REASONS, EntryState, Provenance
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.links import URL_LENGTH, is_web_address
from leaderboard.domain.openness import ModelOpenness, ScaffoldOpenness
from leaderboard.domain.text import storable
from leaderboard.entries.drafts import description_of, set_texts
from leaderboard.entries.names import check_names, rename_entry
from leaderboard.entries.services import checked_reason, entry_problem, lock_entry
from leaderboard.intake.description import Description, merge
from leaderboard.models import Entry

NOTES_LENGTH = 10_000
LABEL_LENGTH = 100
MOST_LINKS = 10
NO_ADDRESS = "is not an http or https address without a user name"
DATES = ("evaluated", "released")
OPENNESS: Mapping[str, Collection[str]] = {
    "model_openness": list(ModelOpenness),
    "scaffold_openness": list(ScaffoldOpenness),
}
"""What an entry can say of how open it is, and the values of each; empty where it says nothing."""
AFTER_PUBLISHING = frozenset({"notes", "links", "code"})
"""Fields that can be edited after publishing. Readers have seen the figures beside the others."""


class EntryChanges(TypedDict, total=False):
    """What `edit_entry` changes; fields that are left out stay as they are.

    ``links`` are [{label, url}, …], http and https only. ``cost`` is in US dollars for the whole entry.
    ``code`` is the address of the agent's code. ``model_openness`` and ``scaffold_openness`` are values of
    `OPENNESS`, or empty. ``evaluated`` is the day on which the attempts were made, ``released`` that of the
    agent's release.
    """

    name: str
    model: str
    agent_url: str
    model_openness: str
    scaffold_openness: str
    code: str
    cost: float | None
    evaluated: date | None
    released: date | None
    notes: str
    links: list[dict[str, str]]


@transaction.atomic
def edit_entry(entry: Entry, *, user: User | None, **changes: Unpack[EntryChanges]) -> Entry:
    """Change an entry's texts: all of a draft's, only its notes and links of a published one.

    Raises:
        InputError: a value is invalid, or can no longer be changed; names the field.
    """
    locked = lock_entry(entry)
    given: dict[str, Any] = dict(changes)
    if not (locked.is_draft or locked.is_open):
        reason = STATE_REASONS[EntryState(locked.state)]
        raise entry_problem(locked, reason, "its texts are no longer shown")
    if given.keys() - AFTER_PUBLISHING:
        if not locked.is_draft:
            reason = "only its notes and links can be changed once an entry is published"
            raise entry_problem(locked, reason, "publish a new version")
        _rename(locked, given)
    fields = {name: _checked(name, value) for name, value in given.items()}
    changed = [name for name, value in fields.items() if getattr(locked, name) != value]
    for name in changed:
        setattr(locked, name, fields[name])
    locked.save(update_fields=changed)
    if changed:
        record_event("edit entry", locked, actor=user, fields=changed)
    return locked


@transaction.atomic
def describe_import(entry: Entry, description: Description) -> None:
    """Say of an imported entry what ``description`` does, and leave the rest; its names stay. Idempotent.

    An entry that no operator imported stays as its team describes it.
    """
    locked = lock_entry(entry)
    known = description_of(locked)
    if locked.provenance == Provenance.IMPORTED and merge(known, description) != known:
        set_texts(locked, merge(known, description))
        locked.save()
        record_event("describe import", locked)


@transaction.atomic
def accept_entry(entry: Entry, *, user: User, why: str) -> Entry:
    """Accept a published entry: it is ranked even where attempts lack a trajectory. Replaces an earlier one.

    ``why`` says what makes the operator ``user`` trust its scores; it is public.

    Raises:
        InputError: it is not published, or ``why`` is empty or too long.
    """
    locked = lock_entry(entry)
    if not locked.is_published:
        raise entry_problem(locked, "it is not published", "accept it when it is on its board")
    locked.accepted, locked.accepted_by = timezone.now(), user
    locked.accepted_why = checked_reason(locked, why)
    return _save_acceptance(locked, "accept entry", user, why=locked.accepted_why)


@transaction.atomic
def unaccept_entry(entry: Entry, *, user: User | None) -> Entry:
    """Take back the operators' acceptance of an entry."""
    locked = lock_entry(entry)
    if not locked.accepted:
        return locked
    locked.accepted, locked.accepted_by, locked.accepted_why = None, None, ""
    return _save_acceptance(locked, "unaccept entry", user)


def _save_acceptance(locked: Entry, action: str, user: User | None, **detail: str) -> Entry:
    locked.save(update_fields=("accepted", "accepted_by", "accepted_why"))
    refresh_figures(locked.task_set, [locked])
    record_event(action, locked, actor=user, **detail)
    locked.refresh_from_db(fields=("evidence",))
    return locked


def _rename(draft: Entry, given: dict[str, Any]) -> None:
    name, model = given.pop("name", draft.agent.name), given.pop("model", draft.agent.model)
    check_names(name, model)
    rename_entry(draft, name, model)


def _checked(name: str, value: Any) -> Any:
    if name == "links":
        return _checked_links(value)
    if name == "cost":
        if value is not None and not 0 <= value < math.inf:
            raise _field_error(name, f"{value} is not an amount in dollars")
        return value
    if name in DATES:
        return value
    if name in OPENNESS:
        if value and value not in OPENNESS[name]:
            raise _field_error(name, f"“{value[:40]}” is not one of {', '.join(OPENNESS[name])}")
        return value
    text = storable(value).strip()
    if name in ("agent_url", "code"):
        if text and not is_web_address(text):
            raise _field_error(name, f"“{text[:URL_LENGTH]}” {NO_ADDRESS}")
        return text
    if len(text) > NOTES_LENGTH:
        raise _field_error(name, f"it has more than {NOTES_LENGTH:,} characters")
    return text


def _checked_links(links: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    checked = []
    for link in links:
        url, label = storable(link["url"]).strip(), storable(link.get("label", "")).strip()
        if not is_web_address(url):
            raise _field_error("links", f"“{url[:URL_LENGTH]}” {NO_ADDRESS}")
        if len(label) > LABEL_LENGTH:
            raise _field_error("links", f"a label has more than {LABEL_LENGTH:,} characters")
        checked.append({"label": label, "url": url})
    if len(checked) > MOST_LINKS:
        raise _field_error("links", f"there are more than {MOST_LINKS:,} links")
    return checked


def _field_error(place: str, reason: str) -> InputError:
    return InputError(Problem("entry", place, reason))
