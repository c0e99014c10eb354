"""Row locks that several features take."""

from __future__ import annotations

from django.contrib.auth.models import User


def hold_fast(user: User) -> None:
    """Let what concerns a person happen one after the other, until the transaction is through."""
    User.objects.select_for_update().get(pk=user.pk)
