"""Accounts: operators made and unmade, accounts deleted."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from leaderboard.accounts.selectors import Departure, departure
from leaderboard.accounts.teams import remove_with_drafts
from leaderboard.core.audit import record_event
from leaderboard.core.locks import hold_fast
from leaderboard.domain.errors import InputError, Problem
from leaderboard.models import Invitation, Membership, Team


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


@transaction.atomic
def delete_account(user: User) -> Departure:
    """Delete an account and all that is the person's alone; returns what that was.

    Drafts and uploads of teams that end with it are deleted, their published entries stay without an owner.
    Other teams go on; one without another owner gets the member who has been in it for longest. Runs stay.
    """
    hold_fast(user)
    # Held fast: somebody could join or leave in between.
    list(Team.objects.select_for_update().filter(memberships__user=user).order_by("pk").values_list("pk"))
    plan = departure(user)
    now = timezone.now()
    for team in plan.alone:
        remove_with_drafts(team, user=None)
        team.entries.update(owner_left=now)
        team.delete()
    for team_pk, heir in plan.heirs.items():
        Membership.objects.filter(team=team_pk, user=heir).update(role=Membership.Role.OWNER)
    own = EmailAddress.objects.filter(user=user).values_list("email", flat=True)
    addresses = [email.lower() for email in own]
    Invitation.objects.filter(email__in=addresses).delete()
    # Nothing in it says who it was: their rows in the audit lose their actor with the account.
    record_event("delete account", f"account {user.pk}", drafts=plan.drafts, published=plan.published)
    user.delete()
    return plan
