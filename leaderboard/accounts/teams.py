"""Writes to teams and their memberships. A team with members always has an owner."""

from __future__ import annotations

import unicodedata

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from leaderboard.core.audit import record_event
from leaderboard.core.locks import lock_row
from leaderboard.core.teams import Role, add_team, name_taken_error, refuse_taken_name, team_error
from leaderboard.domain.entries import EntryState
from leaderboard.domain.name_keys import name_key
from leaderboard.domain.readable import is_visible
from leaderboard.domain.text import plural, storable
from leaderboard.entries.services import discard_draft
from leaderboard.models import Membership, Team
from leaderboard.uploads.services import discard_upload


@transaction.atomic
def create_team(*, name: str, user: User) -> Team:
    """Add a team that ``user`` owns.

    Raises:
        InputError: the name is taken or invalid, or ``user`` owns too many teams.
    """
    lock_row(user)
    name, most = _checked_name(name), settings.SUPERBOARD_MAX_TEAMS
    if user.memberships.filter(role=Role.OWNER).count() >= most:
        reason = plural(most, "you own {n} team, the limit", "you own {n} teams, the limit")
        raise team_error("", reason, "leave or delete one (setting SUPERBOARD_MAX_TEAMS)")
    return add_team(name, user)


@transaction.atomic
def rename_team(team: Team, *, name: str, user: User) -> None:
    """Give a team another name; its address stays.

    Raises:
        InputError: the name is taken or invalid.
    """
    team.name = _checked_name(name, excluding=team)
    with refuse_taken_name(team.name):
        team.save(update_fields=("name", "key"))
    record_event("rename team", f"team {team.pk}", actor=user)


@transaction.atomic
def set_role(team: Team, *, member: User, role: str, user: User) -> None:
    """Make a member an owner, or an owner a member.

    Raises:
        InputError: there is no such role or member, or the team would have no owner.
    """
    if role not in Role.values:
        raise team_error("role", f"“{role}” is not a role", "choose one from the list")
    membership = _lock_membership(team, member)
    if role != Role.OWNER:
        _check_an_owner_stays(team, membership)
    membership.role = role
    membership.save(update_fields=("role",))
    record_event("change role", f"team {team.pk}", actor=user, member=member.pk, role=role)


@transaction.atomic
def remove_member(team: Team, *, member: User, user: User) -> None:
    """Remove ``member`` from a team; ``user`` does it, and is the same person when a member leaves.

    Raises:
        InputError: ``member`` is not in the team, or the team would have no owner.
    """
    membership = _lock_membership(team, member)
    _check_an_owner_stays(team, membership)
    membership.delete()
    # Otherwise the former member's next upload would go to this team.
    Team.objects.filter(pk=team.pk, personal_to=member).update(personal_to=None)
    action = "leave team" if member == user else "remove member"
    record_event(action, f"team {team.pk}", actor=user, member=member.pk)


@transaction.atomic
def delete_team(team: Team, *, user: User) -> None:
    """Delete a team with its drafts and uploads.

    Raises:
        InputError: it has an entry that was published: such an entry must keep its owner.
    """
    lock_row(team)
    published = team.entries.exclude(state=EntryState.DRAFT).count()
    if published:
        reason = plural(
            published,
            "the team owns {n} entry that was published",
            "the team owns {n} entries that were published",
        )
        raise team_error("", reason, "make another member its owner and leave it instead")
    remove_with_drafts(team, user=user)
    record_event("delete team", f"team {team.pk}", actor=user)
    team.delete()


def remove_with_drafts(team: Team, *, user: User | None) -> None:
    """Delete a team's uploads and drafts with their files, inside the caller's transaction."""
    for upload in team.uploads.all():
        discard_upload(upload, user=user)
    for draft in team.entries.filter(state=EntryState.DRAFT):
        discard_draft(draft, user=user)


def _checked_name(name: str, *, excluding: Team | None = None) -> str:
    # Normalised, and compared by key: two teams must not have names that look the same.
    name = " ".join(unicodedata.normalize("NFKC", storable(name)).split())
    if not 1 <= len(name) <= Team.NAME_LENGTH or not is_visible(name):
        raise team_error("name", f"a name has 1 to {Team.NAME_LENGTH:,} visible characters")
    others = Team.objects.exclude(pk=excluding.pk) if excluding else Team.objects.all()
    if taken := others.filter(key=name_key(name)).first():
        raise name_taken_error(taken.name)
    return name


def _lock_membership(team: Team, member: User) -> Membership:
    lock_row(team)
    membership = Membership.objects.filter(team=team, user=member).first()
    if membership is None:
        raise team_error("", "this person is not in the team", "reload the page")
    return membership


def _check_an_owner_stays(team: Team, leaving: Membership) -> None:
    owners = Membership.objects.filter(team=team, role=Role.OWNER)
    if leaving.role == Role.OWNER and not owners.exclude(pk=leaving.pk).exists():
        raise team_error("", "a team needs an owner", "make another member an owner first")
