"""Row locks that several features use."""

from __future__ import annotations

from django.contrib.auth.models import User

from leaderboard.models import Team


def lock_row(row: User | Team) -> None:
    """Lock a user or a team until the transaction ends: changes of what they own run one after another."""
    # Not `type`: a request's user is wrapped in an object that loads it when it is needed.
    row.__class__.objects.select_for_update().get(pk=row.pk)
