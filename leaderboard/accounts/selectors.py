"""What account pages show of somebody's own: teams, entries, and what deleting the account would do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet

from leaderboard.core.permissions import teams_of
from leaderboard.domain.entries import EntryState
from leaderboard.models import Entry, Membership, Team

ENTRIES_SHOWN = 50
"""Entries of one's teams that a page lists; the rest are counted."""


@dataclass(frozen=True, slots=True)
class OwnEntries:
    """The newest entries of somebody's teams; ``total`` counts all."""

    listed: list[Entry]
    total: int


@dataclass(frozen=True, slots=True)
class Departure:
    """What happens when an account is deleted.

    ``alone`` are teams that end with it: their ``drafts`` are deleted, their ``published`` entries stay and
    have no owner. ``shared`` are teams that go on; ``heirs`` are the new owners of those without another.
    """

    alone: Sequence[Team]
    shared: Sequence[Team]
    heirs: dict[int, User]
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


def newest_entries(entries: QuerySet[Entry]) -> OwnEntries:
    """The newest of ``entries`` in any state. Two queries."""
    listed = entries.select_related("agent", "task_set__benchmark", "team").order_by("-created", "-pk")
    return OwnEntries(list(listed[:ENTRIES_SHOWN]), entries.count())


def departure(user: User) -> Departure:
    """What deleting ``user``'s account would do. Four queries and one a team that needs an owner."""
    teams = list(teams_of(user).annotate(member_count=Count("memberships")))
    alone = [team for team in teams if team.member_count == 1]
    shared = [team for team in teams if team.member_count > 1]
    counted = Entry.objects.filter(team__in=alone).aggregate(
        drafts=Count("pk", filter=Q(state=EntryState.DRAFT)),
        published=Count("pk", filter=~Q(state=EntryState.DRAFT)),
    )
    heirs = {team.pk: heir for team in shared if (heir := _heir(team, user))}
    return Departure(alone, shared, heirs, counted["drafts"], counted["published"])


def _heir(team: Team, leaving: User) -> User | None:
    """Who has been in a team for longest, where nobody else owns it; None where somebody does."""
    others = team.memberships.exclude(user=leaving).select_related("user")
    if others.filter(role=Membership.Role.OWNER).exists():
        return None
    return others.earliest("since", "pk").user
