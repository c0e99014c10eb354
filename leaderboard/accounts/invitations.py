"""Invitations into teams: sent by e-mail, good for two weeks, accepted only by whoever has that address."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.utils import timezone

from leaderboard.accounts.teams import hold_team
from leaderboard.core.audit import record_event
from leaderboard.core.locks import hold_fast
from leaderboard.core.teams import refused
from leaderboard.domain.text import plural
from leaderboard.models import AuditEvent, Invitation, Membership, Team

if TYPE_CHECKING:
    from django.contrib.auth.models import User


GOOD_FOR = timedelta(days=14)
INVITE = "invite into team"


@transaction.atomic
def invite(team: Team, *, email: str, role: str, user: User, link: str) -> Invitation:
    """Invite whoever has an address into a team, and write to them.

    Args:
        team: what into.
        email: where the mail goes; who accepts must have confirmed this address.
        role: what they will be.
        user: who invites.
        link: the absolute address of the page where invitations are accepted, for the mail.

    Raises:
        InputError: an address or role that can't be, somebody who is in the team or invited, or too many.
    """
    hold_fast(user)
    hold_team(team)
    email = email.strip().lower()
    _check_can_be_invited(team, email, role)
    _check_not_too_many(user)
    team.invitations.filter(email=email).delete()
    invitation = Invitation.objects.create(
        team=team, email=email, role=role, invited_by=user, expires=timezone.now() + GOOD_FOR
    )
    # Without the address: the audit outlives the account that it may belong to.
    record_event(INVITE, f"team {team.pk}", actor=user, role=role)
    body = render_to_string(
        "account/email/invitation.txt",
        {"team": team, "user": user, "link": link, "days": GOOD_FOR.days, "email": email},
    )
    subject = f"An invitation into the team “{team.name}” on Superboard"
    # Sent when the invitation stands, and not for one that came to nothing. Whoever is invited sees it on the
    # site as well: a mail server that is down costs nobody an error page.
    transaction.on_commit(lambda: send_mail(subject, body, None, [email]), robust=True)
    return invitation


def invitations_for(user: User) -> QuerySet[Invitation]:
    """Open invitations to the addresses that ``user`` has confirmed."""
    confirmed = EmailAddress.objects.filter(user=user, verified=True).values_list("email", flat=True)
    addresses = [email.lower() for email in confirmed]
    return Invitation.objects.filter(email__in=addresses, expires__gt=timezone.now()).select_related("team")


@transaction.atomic
def accept_invitation(invitation: Invitation, *, user: User) -> Team:
    """Join the team of an invitation.

    Raises:
        InputError: it has expired, was withdrawn, or is for an address that ``user`` has not confirmed.
    """
    held = _held(invitation, user)
    Membership.objects.get_or_create(team=held.team, user=user, defaults={"role": held.role})
    held.delete()
    record_event("join team", f"team {held.team_id}", actor=user, role=held.role)
    return held.team


@transaction.atomic
def decline_invitation(invitation: Invitation, *, user: User) -> None:
    """Say no to an invitation.

    Raises:
        InputError: it has expired, was withdrawn, or is for an address that ``user`` has not confirmed.
    """
    held = _held(invitation, user)
    held.delete()
    record_event("decline invitation", f"team {held.team_id}", actor=user)


@transaction.atomic
def withdraw_invitation(invitation: Invitation, *, user: User) -> None:
    """Take an invitation back before it is accepted."""
    record_event("withdraw invitation", f"team {invitation.team_id}", actor=user)
    invitation.delete()


def _held(invitation: Invitation, user: User) -> Invitation:
    # Both ends of a double click come here; the second finds nothing.
    held = invitations_for(user).select_for_update(of=("self",)).filter(pk=invitation.pk).first()
    if held is None:
        reason = "this invitation has expired, was withdrawn, or is not for an address of yours"
        raise refused("", reason, "confirm the address it was sent to, or ask to be invited again")
    return held


def _check_can_be_invited(team: Team, email: str, role: str) -> None:
    try:
        validate_email(email)
    except ValidationError:
        reason = f"“{email}” is not an e-mail address"
        raise refused("email", reason, "correct it") from None
    if role not in Membership.Role.values:
        raise refused("role", f"“{role}” is no role", "pick one of those listed")
    having = EmailAddress.objects.filter(email__iexact=email, verified=True).values("user")
    if team.memberships.filter(user__in=having).exists():
        raise refused("email", "whoever has this address is in the team already")
    if team.invitations.filter(email=email, expires__gt=timezone.now()).exists():
        reason = "this address has an invitation that is still good"
        raise refused("email", reason, "withdraw that one to send another")


def _check_not_too_many(user: User) -> None:
    most = settings.SUPERBOARD_INVITATIONS_A_DAY
    sent = AuditEvent.objects.filter(action=INVITE, actor=user, at__gt=timezone.now() - timedelta(days=1))
    if sent.count() >= most:
        reason = plural(
            most,
            "you have sent {n} invitation in 24 hours, the most one may",
            "you have sent {n} invitations in 24 hours, the most one may",
        )
        raise refused("", reason, "wait (the limit is SUPERBOARD_INVITATIONS_A_DAY)")
