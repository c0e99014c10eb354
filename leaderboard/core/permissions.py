"""Who may see and do what: every rule about people, in one place.

Operators are members of staff. A team's members do all that concerns its entries; its owners look after the
team as well. Readers need no account. ``check_x`` raises, ``can_x`` tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet

from leaderboard.domain.access import INCLUDED, Scope
from leaderboard.domain.entries import GONE, OPEN, EntryState
from leaderboard.models import ApiToken, Attempt, AttemptFile, Entry, Membership, Run, Team, Upload

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

    Visitor = AbstractBaseUser | AnonymousUser


OPERATORS_ACTIONS = frozenset({"verify", "unverify", "hide", "show"})
"""What its owners can't do with an entry."""


def can_operate(user: Visitor) -> bool:
    """Whether somebody may make, watch, stop and publish runs."""
    return bool(user.is_authenticated and user.is_active and getattr(user, "is_staff", False))


def check_can_operate(user: Visitor) -> None:
    """Raise `PermissionDenied` unless ``user`` is an operator."""
    if not can_operate(user):
        raise PermissionDenied


def token_allows(token: ApiToken, scope: Scope) -> bool:
    """Whether a token may be used for ``scope``: it has it, and its owner still may do as much."""
    allowed = any(scope in INCLUDED[Scope(mine)] for mine in token.scopes)
    return allowed and (scope is not Scope.OPERATE or can_operate(token.user))


def grantable_scopes(user: Visitor) -> list[Scope]:
    """The scopes that ``user`` may give to a token."""
    return [scope for scope in Scope if scope is not Scope.OPERATE or can_operate(user)]


def teams_of(user: Visitor) -> QuerySet[Team]:
    """The teams that ``user`` is in."""
    if not (user.is_authenticated and user.is_active):
        return Team.objects.none()
    return Team.objects.filter(pk__in=Membership.objects.filter(user=user.pk).values("team"))


def can_look_after_team(user: Visitor, team: Team) -> bool:
    """Whether somebody may rename a team, invite into it, and change or remove its members: its owners."""
    owners = Membership.objects.filter(team=team, role=Membership.Role.OWNER)
    return owners.filter(team__in=teams_of(user), user=user.pk).exists()


def check_can_look_after_team(user: Visitor, team: Team) -> None:
    """Raise `PermissionDenied` unless ``user`` owns the team."""
    if not can_look_after_team(user, team):
        raise PermissionDenied


def can_edit_entry(user: Visitor, entry: Entry) -> bool:
    """Whether somebody may publish, withdraw and edit an entry: its team's members, and operators."""
    return can_operate(user) or teams_of(user).filter(entries=entry).exists()


def check_can_edit_entry(user: Visitor, entry: Entry) -> None:
    """Raise `PermissionDenied` unless ``user`` may edit the entry."""
    if not can_edit_entry(user, entry):
        raise PermissionDenied


def check_can_act_on_entry(user: Visitor, entry: Entry, action: str) -> None:
    """Raise `PermissionDenied` unless ``user`` may do ``action``: some is for operators alone."""
    if action in OPERATORS_ACTIONS:
        check_can_operate(user)
    else:
        check_can_edit_entry(user, entry)


def visible_uploads(user: Visitor) -> QuerySet[Upload]:
    """Uploads that ``user`` may see: those of their teams; every one for operators."""
    return Upload.objects.all() if can_operate(user) else Upload.objects.filter(team__in=teams_of(user))


def visible_runs(user: Visitor) -> QuerySet[Run]:
    """Runs that ``user`` may watch: every one for operators, those made public for readers.

    What a run did is what its entry shows: it goes with the entry.
    """
    if can_operate(user):
        return Run.objects.all()
    return Run.objects.filter(public=True).exclude(entry__state__in=GONE)


def visible_entries(user: Visitor) -> QuerySet[Entry]:
    """Entries whose results ``user`` may see.

    Published ones and drafts of public runs; those of their teams in any state; every one for operators.
    """
    return Entry.objects.all() if can_operate(user) else Entry.objects.filter(_visible(user))


def readable_entries(user: Visitor) -> QuerySet[Entry]:
    """Entries whose address answers: visible ones, and those that are but a tombstone to ``user``."""
    if can_operate(user):
        return Entry.objects.all()
    return Entry.objects.filter(_visible(user) | Q(state__in=GONE))


def visible_attempts(user: Visitor) -> QuerySet[Attempt]:
    """Attempts of the entries that ``user`` may see."""
    if can_operate(user):
        return Attempt.objects.all()
    return Attempt.objects.filter(_visible(user, "entry__"))


def _visible(user: Visitor, path: str = "") -> Q:
    """Which entries somebody sees who is no operator; ``path`` leads from the asked rows to the entry."""
    public_draft = Q(**{f"{path}run__public": True, f"{path}state": EntryState.DRAFT})
    seen = Q(**{f"{path}state__in": OPEN}) | public_draft
    return seen | Q(**{f"{path}team__in": teams_of(user)}) if user.is_authenticated else seen


def readable_files(user: Visitor, attempt: Attempt) -> QuerySet[AttemptFile]:
    """The files of a visible attempt that ``user`` may download.

    What came from outside is whole: where something in it looks like a secret, it is for the entry's team and
    operators. That holds for every attempt that the same file has. What we made of it has secrets masked.
    """
    files = AttemptFile.objects.filter(attempt=attempt)
    if can_edit_entry(user, attempt.entry):
        return files
    whole = (AttemptFile.Kind.ORIGINAL, AttemptFile.Kind.OUTPUT, AttemptFile.Kind.ANSWER)
    telling = AttemptFile.objects.filter(attempt__secrets__gt=0, kind__in=whole)
    return files.exclude(kind__in=whole, blob__in=telling.values("blob"))
