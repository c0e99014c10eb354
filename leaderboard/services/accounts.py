"""Accounts that end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from allauth.account.models import EmailAddress
from django.db import transaction
from django.utils import timezone

from leaderboard.models import Invitation, Membership, Team
from leaderboard.selectors.accounts import Departure, departure
from leaderboard.services.audit import record_event
from leaderboard.services.people import hold_fast
from leaderboard.services.teams import remove_with_drafts

if TYPE_CHECKING:
    from django.contrib.auth.models import User


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
