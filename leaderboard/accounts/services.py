"""Writes to accounts: make or remove operators, delete accounts."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from leaderboard.accounts.selectors import DeletionPlan, deletion_plan
from leaderboard.accounts.teams import remove_with_drafts
from leaderboard.core.audit import record_event
from leaderboard.core.locks import lock_row
from leaderboard.domain.errors import InputError, Problem
from leaderboard.models import Invitation, Membership, Team


@transaction.atomic
def ensure_operator(name: str, password: str) -> User:
    """Get the user called ``name``, or add an operator with that name and ``password``."""
    user, added = User.objects.get_or_create(username=name, defaults={"is_staff": True})
    if added:
        user.set_password(password)
        user.email = f"{name}@localhost"
        user.save(update_fields=("password", "email"))
        # Signing in requires a confirmed address.
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        record_event("add operator", f"account {user.pk}")
    return user


@transaction.atomic
def set_operator(login: str, is_operator: bool) -> User:
    """Give the user with this name or confirmed address the operator's rights, or take them away.

    Raises:
        InputError: there is no such account.
    """
    confirmed = EmailAddress.objects.filter(email__iexact=login, verified=True).values("user")
    user = User.objects.select_for_update().filter(Q(username=login) | Q(pk__in=confirmed)).first()
    if user is None:
        reason = f"there is no account “{login}”"
        raise InputError(Problem("operator", "", reason, "sign up on the site first, then run this again"))
    user.is_staff = is_operator
    user.save(update_fields=("is_staff",))
    record_event("add operator" if is_operator else "remove operator", f"account {user.pk}")
    return user


@transaction.atomic
def delete_account(user: User) -> DeletionPlan:
    """Delete an account and what belongs to this user only; returns what that was.

    Teams without another member are deleted with their drafts and uploads; their published entries stay,
    without an owner. In a team without another owner the longest-standing member becomes it. Runs stay.
    """
    lock_row(user)
    # Locked: a member could join or leave meanwhile.
    list(Team.objects.select_for_update().filter(memberships__user=user).order_by("pk").values_list("pk"))
    plan = deletion_plan(user)
    now = timezone.now()
    for team in plan.closed_teams:
        remove_with_drafts(team, user=None)
        team.entries.update(owner_left=now)
        team.delete()
    for team_pk, new_owner in plan.new_owners.items():
        Membership.objects.filter(team=team_pk, user=new_owner).update(role=Membership.Role.OWNER)
    own = EmailAddress.objects.filter(user=user).values_list("email", flat=True)
    addresses = [email.lower() for email in own]
    Invitation.objects.filter(email__in=addresses).delete()
    # Anonymous: the account's audit events lose their actor when it is deleted.
    record_event("delete account", f"account {user.pk}", drafts=plan.drafts, published=plan.published)
    user.delete()
    return plan
