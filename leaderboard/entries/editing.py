"""Edits of an entry: the owners' texts, and the operators' verification."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict, Unpack

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from leaderboard.core.audit import record_event
from leaderboard.domain.entries import STATE_REASONS, EntryState
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.links import URL_LENGTH, is_web_address
from leaderboard.domain.text import storable
from leaderboard.entries.names import check_names, rename_entry
from leaderboard.entries.services import checked_reason, entry_problem, lock_entry
from leaderboard.models import Entry

NOTES_LENGTH = 10_000
SOURCE_LENGTH = 200
LABEL_LENGTH = 100
MOST_LINKS = 10
AFTER_PUBLISHING = frozenset({"notes", "links"})
"""Fields that can be edited after publishing. Readers have seen the figures beside the others."""


class EntryChanges(TypedDict, total=False):
    """What `edit_entry` changes; fields that are left out stay as they are.

    ``links`` are [{label, url}, …], http and https only. ``cost`` is in US dollars for the whole entry.
    """

    name: str
    model: str
    agent_url: str
    source: str
    source_url: str
    cost: float | None
    notes: str
    links: list[dict[str, str]]


@transaction.atomic
def edit_entry(entry: Entry, *, user: User | None, **changes: Unpack[EntryChanges]) -> Entry:
    """Change an entry's texts: all of a draft's, only notes and links of a published one.

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
def verify_entry(entry: Entry, *, user: User, how: str) -> Entry:
    """Mark a published entry as verified by the operator ``user``. Replaces an earlier verification.

    ``how`` says what the operator did to verify it; it is public.

    Raises:
        InputError: it is not published, or ``how`` is empty or too long.
    """
    locked = lock_entry(entry)
    if not locked.is_published:
        raise entry_problem(locked, "it is not published", "verify it when it is on its board")
    locked.verified, locked.verified_by = timezone.now(), user
    locked.verified_how = checked_reason(locked, how)
    locked.save(update_fields=("verified", "verified_by", "verified_how"))
    record_event("verify entry", locked, actor=user, how=locked.verified_how)
    return locked


@transaction.atomic
def unverify_entry(entry: Entry, *, user: User | None) -> Entry:
    """Remove the operators' verification of an entry."""
    locked = lock_entry(entry)
    if locked.verified:
        locked.verified, locked.verified_by, locked.verified_how = None, None, ""
        locked.save(update_fields=("verified", "verified_by", "verified_how"))
        record_event("unverify entry", locked, actor=user)
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
    text = storable(value).strip()
    if name.endswith("url"):
        if text and not is_web_address(text):
            raise _field_error(name, f"“{text[:URL_LENGTH]}” is not an http or https address")
        return text
    most = NOTES_LENGTH if name == "notes" else SOURCE_LENGTH
    if len(text) > most:
        raise _field_error(name, f"it has more than {most:,} characters")
    return text


def _checked_links(links: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    checked = []
    for link in links:
        url, label = storable(link["url"]).strip(), storable(link.get("label", "")).strip()
        if not is_web_address(url):
            raise _field_error("links", f"“{url[:URL_LENGTH]}” is not an http or https address")
        if len(label) > LABEL_LENGTH:
            raise _field_error("links", f"a label has more than {LABEL_LENGTH:,} characters")
        checked.append({"label": label, "url": url})
    if len(checked) > MOST_LINKS:
        raise _field_error("links", f"there are more than {MOST_LINKS:,} links")
    return checked


def _field_error(place: str, reason: str) -> InputError:
    return InputError(Problem("entry", place, reason))
