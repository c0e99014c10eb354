"""Accounts, as far as an operator or a command decides on them."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from leaderboard.domain.errors import InputError, Problem
from leaderboard.services.audit import record_event


@transaction.atomic
def ensure_operator(name: str, password: str) -> User:
    """The operator called ``name``, made with ``password`` unless there is somebody of that name."""
    user, added = User.objects.get_or_create(username=name, defaults={"is_staff": True})
    if added:
        user.set_password(password)
        user.email = f"{name}@localhost"
        user.save(update_fields=("password", "email"))
        # Nobody signs in without a confirmed address.
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        record_event("add operator", f"account {user.pk}")
    return user


@transaction.atomic
def set_operator(login: str, operates: bool) -> User:
    """Make somebody an operator, or one no longer.

    Args:
        login: their name, or an address that they have confirmed.
        operates: what they are to be.

    Raises:
        InputError: there is no such account.
    """
    confirmed = EmailAddress.objects.filter(email__iexact=login, verified=True).values("user")
    user = User.objects.select_for_update().filter(Q(username=login) | Q(pk__in=confirmed)).first()
    if user is None:
        reason = f"there is no account “{login}”"
        raise InputError(Problem("operator", "", reason, "sign up on the site first, then run this again"))
    user.is_staff = operates
    user.save(update_fields=("is_staff",))
    record_event("add operator" if operates else "remove operator", f"account {user.pk}")
    return user


def hold_fast(user: User) -> None:
    """Let what concerns a person happen one after the other, until the transaction is through."""
    User.objects.select_for_update().get(pk=user.pk)
