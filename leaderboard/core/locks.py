"""Row locks that several features use."""

from __future__ import annotations

from django.contrib.auth.models import User

from leaderboard.models import Team


def lock_row(row: User | Team) -> None:
    """Lock a user or a team until the transaction ends: changes of what they own run one after another."""
    type(row).objects.select_for_update().get(pk=row.pk)
