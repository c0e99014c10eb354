"""Invitations to teams: sent by e-mail, valid for two weeks, accepted only by a user with that address."""

from __future__ import annotations

from datetime import timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.utils import timezone

from leaderboard.core.audit import record_event
from leaderboard.core.locks import lock_row
from leaderboard.core.teams import team_error
from leaderboard.domain.text import plural
from leaderboard.models import AuditEvent, Invitation, Membership, Team

VALID_FOR = timedelta(days=14)
INVITE = "invite into team"


@transaction.atomic
def invite(team: Team, *, email: str, role: str, user: User, link: str) -> Invitation:
    """Invite an e-mail address to a team, and send the mail.

    ``user`` invites, and whoever accepts must have confirmed the address. ``link`` is for the mail: the
    absolute address of the page where invitations are accepted.

    Raises:
        InputError: the address or role is invalid, the address has a member or an invitation already, or
            ``user`` has reached the limit.
    """
    lock_row(user)
    lock_row(team)
    email = email.strip().lower()
    _check_can_be_invited(team, email, role)
    _check_not_too_many(user)
    team.invitations.filter(email=email).delete()
    invitation = Invitation.objects.create(
        team=team, email=email, role=role, invited_by=user, expires=timezone.now() + VALID_FOR
    )
    # Without the address: audit events stay when the account of that address is deleted.
    record_event(INVITE, f"team {team.pk}", actor=user, role=role)
    body = render_to_string(
        "account/email/invitation.txt",
        {"team": team, "user": user, "link": link, "days": VALID_FOR.days, "email": email},
    )
    subject = f"An invitation to the team “{team.name}” on Superboard"
    # On commit: no mail for an invitation that was rolled back. Robust: the site shows the invitation too, so
    # a mail server that is down must not cause an error page.
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
    locked = _lock_invitation(invitation, user)
    Membership.objects.get_or_create(team=locked.team, user=user, defaults={"role": locked.role})
    locked.delete()
    record_event("join team", f"team {locked.team_id}", actor=user, role=locked.role)
    return locked.team


@transaction.atomic
def decline_invitation(invitation: Invitation, *, user: User) -> None:
    """Decline an invitation; raises `InputError` as `accept_invitation` does."""
    locked = _lock_invitation(invitation, user)
    locked.delete()
    record_event("decline invitation", f"team {locked.team_id}", actor=user)


@transaction.atomic
def withdraw_invitation(invitation: Invitation, *, user: User) -> None:
    """Withdraw an invitation before it is accepted."""
    record_event("withdraw invitation", f"team {invitation.team_id}", actor=user)
    invitation.delete()


def _lock_invitation(invitation: Invitation, user: User) -> Invitation:
    # A double click sends two requests; the second finds no invitation.
    locked = invitations_for(user).select_for_update(of=("self",)).filter(pk=invitation.pk).first()
    if locked is None:
        reason = (
            "this invitation has expired, was withdrawn, or is for an address that you have not confirmed"
        )
        raise team_error("", reason, "confirm the address it was sent to, or ask to be invited again")
    return locked


def _check_can_be_invited(team: Team, email: str, role: str) -> None:
    try:
        validate_email(email)
    except ValidationError:
        reason = f"“{email}” is not an e-mail address"
        raise team_error("email", reason, "correct it") from None
    if role not in Membership.Role.values:
        raise team_error("role", f"“{role}” is not a role", "choose one from the list")
    owners_of_address = EmailAddress.objects.filter(email__iexact=email, verified=True).values("user")
    if team.memberships.filter(user__in=owners_of_address).exists():
        raise team_error("email", "the user with this address is already in the team")
    if team.invitations.filter(email=email, expires__gt=timezone.now()).exists():
        reason = "this address has an open invitation already"
        raise team_error("email", reason, "withdraw it to send another")


def _check_not_too_many(user: User) -> None:
    most = settings.SUPERBOARD_INVITATIONS_A_DAY
    sent = AuditEvent.objects.filter(action=INVITE, actor=user, at__gt=timezone.now() - timedelta(days=1))
    if sent.count() >= most:
        reason = plural(
            most,
            "you have sent {n} invitation in 24 hours, which is the limit",
            "you have sent {n} invitations in 24 hours, which is the limit",
        )
        raise team_error("", reason, "try again later (setting SUPERBOARD_INVITATIONS_A_DAY)")
