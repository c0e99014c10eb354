"""Accounts, as far as they are made without a person asking for one."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from leaderboard.services.audit import record_event


@transaction.atomic
def ensure_operator(name: str, password: str) -> User:
    """The operator called ``name``, made with ``password`` unless there is somebody of that name."""
    user, added = User.objects.get_or_create(username=name, defaults={"is_staff": True})
    if added:
        user.set_password(password)
        user.save(update_fields=("password",))
        record_event("add operator", name)
    return user


def hold_fast(user: User) -> None:
    """Let what concerns a person happen one after the other, until the transaction is through."""
    User.objects.select_for_update().get(pk=user.pk)
