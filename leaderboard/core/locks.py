"""Row locks that several features use."""

from __future__ import annotations

from django.contrib.auth.models import User


def lock_user(user: User) -> None:
    """Lock a user's row until the transaction ends, so that changes of one user run one after another."""
    User.objects.select_for_update().get(pk=user.pk)
