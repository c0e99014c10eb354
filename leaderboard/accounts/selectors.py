"""What account pages show: the user's teams and entries, and what deleting the account would do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet

from leaderboard.core.pages import Beginning, read_beginning
from leaderboard.core.permissions import teams_of
from leaderboard.domain.entries import EntryState
from leaderboard.models import Entry, Membership, Team

ENTRIES_SHOWN = 50
"""Entries of the user's teams that a page lists; the rest are counted."""


@dataclass(frozen=True, slots=True)
class DeletionPlan:
    """What happens when an account is deleted.

    Attributes:
        closed_teams: teams without another member; they are deleted.
        remaining_teams: teams with other members.
        new_owners: by team key, the member who becomes the owner of a remaining team without another owner.
        drafts: entries of the closed teams that are deleted.
        published: entries of the closed teams that stay, without an owner.
    """

    closed_teams: Sequence[Team]
    remaining_teams: Sequence[Team]
    new_owners: dict[int, User]
    drafts: int
    published: int


def my_teams(user: User) -> QuerySet[Membership]:
    """The memberships of ``user`` with their teams and the ``member_count`` of each. One query."""
    return (
        Membership.objects.filter(user=user)
        .select_related("team")
        .annotate(member_count=Count("team__memberships"))
        .order_by("team__name")
    )


def newest_entries(entries: QuerySet[Entry]) -> Beginning[Entry]:
    """The newest of ``entries`` in any state. Two queries."""
    listed = entries.select_related("agent", "task_set__benchmark", "team").order_by("-created", "-pk")
    return read_beginning(listed, ENTRIES_SHOWN)


def deletion_plan(user: User) -> DeletionPlan:
    """What deleting ``user``'s account would do. Four queries, and one for each team that needs an owner."""
    teams = list(teams_of(user).annotate(member_count=Count("memberships")))
    closed_teams = [team for team in teams if team.member_count == 1]
    remaining_teams = [team for team in teams if team.member_count > 1]
    counted = Entry.objects.filter(team__in=closed_teams).aggregate(
        drafts=Count("pk", filter=Q(state=EntryState.DRAFT)),
        published=Count("pk", filter=~Q(state=EntryState.DRAFT)),
    )
    new_owners = {team.pk: new_owner for team in remaining_teams if (new_owner := _new_owner(team, user))}
    return DeletionPlan(closed_teams, remaining_teams, new_owners, counted["drafts"], counted["published"])


def _new_owner(team: Team, leaving: User) -> User | None:
    """The longest-standing other member, or None if another owner stays."""
    others = team.memberships.exclude(user=leaving).select_related("user")
    if others.filter(role=Membership.Role.OWNER).exists():
        return None
    return others.earliest("since", "pk").user
