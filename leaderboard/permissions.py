"""Who may see and do what: every rule about people, in one place.

Operators are members of staff. Readers need no account. ``check_x`` raises, ``can_x`` tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet

from leaderboard.domain.entries import OPEN
from leaderboard.models import Attempt, Entry, Run

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

    Visitor = AbstractBaseUser | AnonymousUser


def can_operate(user: Visitor) -> bool:
    """Whether somebody may make, watch, stop and publish runs."""
    return bool(user.is_authenticated and user.is_active and getattr(user, "is_staff", False))


def check_can_operate(user: Visitor) -> None:
    """Raise `PermissionDenied` unless ``user`` is an operator."""
    if not can_operate(user):
        raise PermissionDenied


def visible_runs(user: Visitor) -> QuerySet[Run]:
    """Runs that ``user`` may watch: every one for operators, those made public for readers."""
    return Run.objects.all() if can_operate(user) else Run.objects.filter(public=True)


def visible_entries(user: Visitor) -> QuerySet[Entry]:
    """Entries that ``user`` may see: published ones; for operators, and in public runs, drafts too."""
    if can_operate(user):
        return Entry.objects.all()
    return Entry.objects.filter(Q(state__in=OPEN) | Q(run__public=True))


def visible_attempts(user: Visitor) -> QuerySet[Attempt]:
    """Attempts of the entries that ``user`` may see."""
    if can_operate(user):
        return Attempt.objects.all()
    return Attempt.objects.filter(Q(entry__state__in=OPEN) | Q(entry__run__public=True))
