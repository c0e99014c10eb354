"""Who may see and do what: every permission rule.

Operators are users with ``is_staff``. A team's members may do everything with its entries; its owners also
manage the team. Readers need no account. ``check_x`` raises `PermissionDenied`, ``can_x`` returns a bool.
"""

from __future__ import annotations

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.db.models.functions import Lower
from django.http import HttpRequest

from leaderboard.domain.access import INCLUDED_SCOPES, Scope
from leaderboard.domain.entries import OPEN, WITHDRAWN_OR_HIDDEN, EntryState
from leaderboard.models import ApiToken, Attempt, AttemptFile, Entry, Membership, Run, Team, Upload

Visitor = AbstractBaseUser | AnonymousUser
OPERATOR_ACTIONS = frozenset({"accept", "unaccept", "hide", "show"})
"""Actions on an entry that only operators may do."""


class SignedInRequest(HttpRequest):
    """A request to a view that requires a signed-in user."""

    user: User


def can_operate(user: Visitor) -> bool:
    """Whether ``user`` is an operator: may create, see, stop and publish runs."""
    return bool(user.is_authenticated and user.is_active and getattr(user, "is_staff", False))


def can_judge_by_gold(user: Visitor) -> bool:
    """Whether ``user`` may be told which parts of a published answer are right: operators alone.

    Nobody is shown the gold answer itself.
    """
    return can_operate(user)


def check_can_operate(user: Visitor) -> None:
    if not can_operate(user):
        raise PermissionDenied


def token_allows(token: ApiToken, scope: Scope) -> bool:
    """Whether a token may be used for ``scope``: it includes it, and its owner still has the permission."""
    allowed = any(scope in INCLUDED_SCOPES[Scope(mine)] for mine in token.scopes)
    return allowed and (scope is not Scope.OPERATE or can_operate(token.user))


def grantable_scopes(user: Visitor) -> list[Scope]:
    """The scopes that ``user`` may give to a token."""
    return [scope for scope in Scope if scope is not Scope.OPERATE or can_operate(user)]


def teams_of(user: Visitor) -> QuerySet[Team]:
    """The teams of which ``user`` is a member, by name as people sort: small and capital letters together."""
    if not (user.is_authenticated and user.is_active):
        return Team.objects.none()
    teams = Team.objects.filter(pk__in=Membership.objects.filter(user=user.pk).values("team"))
    return teams.order_by(Lower("name"), "pk")


def can_manage_team(user: Visitor, team: Team) -> bool:
    """Whether ``user`` owns a team: may rename it, invite people, and change or remove its members."""
    owners = Membership.objects.filter(team=team, role=Membership.Role.OWNER)
    return owners.filter(team__in=teams_of(user), user=user.pk).exists()


def check_can_manage_team(user: Visitor, team: Team) -> None:
    if not can_manage_team(user, team):
        raise PermissionDenied


def can_edit_entry(user: Visitor, entry: Entry) -> bool:
    """Whether ``user`` may publish, withdraw and edit an entry: its team's members and operators."""
    return can_operate(user) or teams_of(user).filter(entries=entry).exists()


def check_can_edit_entry(user: Visitor, entry: Entry) -> None:
    if not can_edit_entry(user, entry):
        raise PermissionDenied


def sees_as_draft(user: Visitor, entry: Entry) -> bool:
    """Whether ``user`` sees an entry's scores as those of a draft, without what they tell of gold answers."""
    return entry.is_draft and not can_operate(user)


def check_can_act_on_entry(user: Visitor, entry: Entry, action: str) -> None:
    """Some actions are only for operators."""
    if action in OPERATOR_ACTIONS:
        check_can_operate(user)
    else:
        check_can_edit_entry(user, entry)


def visible_uploads(user: Visitor) -> QuerySet[Upload]:
    """Uploads that ``user`` may see: those of their teams; all for operators."""
    return Upload.objects.all() if can_operate(user) else Upload.objects.filter(team__in=teams_of(user))


def visible_runs(user: Visitor) -> QuerySet[Run]:
    """Runs that ``user`` may see: all for operators, public ones for readers.

    A run shows the same results as its entry, so it is hidden when the entry is withdrawn or hidden.
    """
    if can_operate(user):
        return Run.objects.all()
    return Run.objects.filter(public=True).exclude(entry__state__in=WITHDRAWN_OR_HIDDEN)


def visible_entries(user: Visitor) -> QuerySet[Entry]:
    """Entries whose results ``user`` may see.

    Published ones and drafts of public runs; those of their teams in any state; all for operators.
    """
    return Entry.objects.all() if can_operate(user) else Entry.objects.filter(_visible(user))


def readable_entries(user: Visitor) -> QuerySet[Entry]:
    """Entries that have a page for ``user``: visible ones, and withdrawn or hidden ones, without results."""
    if can_operate(user):
        return Entry.objects.all()
    return Entry.objects.filter(_visible(user) | Q(state__in=WITHDRAWN_OR_HIDDEN))


def visible_attempts(user: Visitor) -> QuerySet[Attempt]:
    """Attempts of the entries that ``user`` may see."""
    return Attempt.objects.all() if can_operate(user) else Attempt.objects.filter(_visible(user, "entry__"))


def searchable_attempts(user: Visitor) -> QuerySet[Attempt]:
    """Attempts that a search of ``user`` finds: what everybody may read, and what is of their own teams.

    Drafts are found by their team alone: not by operators, and not by the readers of a public run.
    """
    return Attempt.objects.filter(_open_or_own(user, "entry__"))


def _visible(user: Visitor, path: str = "") -> Q:
    """The entries that ``user``, who is no operator, sees; ``path`` is the lookup from a row to its entry."""
    public_draft = Q(**{f"{path}run__public": True, f"{path}state": EntryState.DRAFT})
    return _open_or_own(user, path) | public_draft


def _open_or_own(user: Visitor, path: str) -> Q:
    """The entries that everybody may read, and those of the teams of ``user``; ``path`` as above."""
    seen = Q(**{f"{path}state__in": OPEN})
    return seen | Q(**{f"{path}team__in": teams_of(user)}) if user.is_authenticated else seen


def readable_files(user: Visitor, attempt: Attempt) -> QuerySet[AttemptFile]:
    """The files of a visible attempt that ``user`` may download.

    Uploaded files and outputs are unmasked: if something in an attempt looks like a secret, only the entry's
    team and operators may download them, in every attempt of the entry with the same file. Files that the
    site made from them have secrets masked.
    """
    return _readable(user, AttemptFile.objects.filter(attempt=attempt), attempt.entry_id)


def readable_entry_files(user: Visitor, entry: Entry) -> QuerySet[AttemptFile]:
    """The files of all attempts of a visible entry that ``user`` may download, as `readable_files` has it."""
    return _readable(user, AttemptFile.objects.filter(attempt__entry=entry), entry.pk)


def _readable(user: Visitor, files: QuerySet[AttemptFile], entry: int) -> QuerySet[AttemptFile]:
    if can_operate(user):
        return files
    unmasked = (AttemptFile.Kind.ORIGINAL, AttemptFile.Kind.OUTPUT, AttemptFile.Kind.ANSWER)
    # Not of other entries: a draft of a stranger's with the same file must not take it from readers.
    own = AttemptFile.objects.filter(attempt__entry=entry, kind__in=unmasked)
    with_secrets = own.filter(attempt__secrets__gt=0).exclude(attempt__entry__team__in=teams_of(user))
    return files.exclude(kind__in=unmasked, blob__in=with_secrets.values("blob"))


def withheld_files(user: Visitor, attempt: Attempt) -> QuerySet[AttemptFile]:
    """The files of a visible attempt that ``user`` may not download."""
    readable = readable_files(user, attempt)
    return AttemptFile.objects.filter(attempt=attempt).exclude(pk__in=readable.values("pk"))
