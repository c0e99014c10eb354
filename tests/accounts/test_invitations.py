"""Invitations: by e-mail, for two weeks, accepted only by whoever has confirmed the address."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from leaderboard.accounts.invitations import (
    accept_invitation,
    decline_invitation,
    invitations_for,
    invite,
    withdraw_invitation,
)
from leaderboard.accounts.teams import create_team
from leaderboard.core.permissions import teams_of
from leaderboard.domain.errors import InputError
from leaderboard.models import AuditEvent, Invitation, Membership, Team
from tests.people import email_of, person

pytestmark = pytest.mark.django_db
LINK = "https://board.example.org/account/teams/"
MEMBER, OWNER = Membership.Role.MEMBER, Membership.Role.OWNER


@pytest.fixture
def lab() -> Team:
    return create_team(name="Lab", user=person("alice"))


def invite_bob(team: Team, email: str = email_of("bob"), role: str = MEMBER) -> Invitation:
    return invite(team, email=email, role=role, user=person("alice"), link=LINK)


def test_it_comes_by_mail_and_says_where_to_go(
    lab: Team, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        invite_bob(lab)

    assert mail.outbox[0].to == ["bob@example.org"]
    assert f"\n{LINK}\n" in mail.outbox[0].body
    assert "alice invites you to the team “Lab”" in mail.outbox[0].body
    assert "bob@example.org" not in repr(list(AuditEvent.objects.values()))


def test_a_mail_server_that_is_down_costs_nobody_an_error(
    lab: Team,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*args: object) -> int:
        raise OSError

    monkeypatch.setattr(EmailBackend, "send_messages", fail)

    with django_capture_on_commit_callbacks(execute=True):
        invitation = invite_bob(lab)

    assert list(invitations_for(person("bob"))) == [invitation]


@pytest.mark.parametrize("role", [MEMBER, OWNER])
def test_accepting_makes_one_a_member_in_the_role_that_was_offered(role: str, lab: Team) -> None:
    invitation = invite_bob(lab, "Bob@Example.org", role)
    assert list(invitations_for(person("bob"))) == [invitation]

    accept_invitation(invitation, user=person("bob"))

    assert Membership.objects.get(team=lab, user=person("bob")).role == role
    assert not Invitation.objects.exists()


def test_declining_leaves_things_as_they_were(lab: Team) -> None:
    decline_invitation(invite_bob(lab), user=person("bob"))

    assert not Invitation.objects.exists()
    assert not teams_of(person("bob")).exists()


def test_another_address_does_not_do(lab: Team) -> None:
    invitation = invite_bob(lab, "elsewhere@example.org")

    with pytest.raises(InputError, match="for an address that you have not confirmed"):
        accept_invitation(invitation, user=person("bob"))

    assert not teams_of(person("bob")).exists()


def test_an_address_that_was_not_confirmed_does_not_do(lab: Team) -> None:
    EmailAddress.objects.filter(user=person("bob")).update(verified=False)
    invitation = invite_bob(lab)

    with pytest.raises(InputError, match="for an address that you have not confirmed"):
        decline_invitation(invitation, user=person("bob"))


def test_it_expires_and_can_be_sent_anew(lab: Team) -> None:
    old = invite_bob(lab)
    Invitation.objects.update(expires=timezone.now() - timedelta(seconds=1))

    with pytest.raises(InputError, match="has expired"):
        accept_invitation(old, user=person("bob"))

    accept_invitation(invite_bob(lab), user=person("bob"))
    assert list(teams_of(person("bob"))) == [lab]


def test_nobody_is_invited_twice(lab: Team) -> None:
    invitation = invite_bob(lab)

    with pytest.raises(InputError, match="has an open invitation already"):
        invite_bob(lab, "BOB@example.org")

    withdraw_invitation(invitation, user=person("alice"))
    invite_bob(lab)


def test_nobody_is_invited_who_is_there(lab: Team) -> None:
    with pytest.raises(InputError, match="is already in the team"):
        invite_bob(lab, email_of("alice"))


def test_who_accepts_twice_is_told(lab: Team) -> None:
    invitation = invite_bob(lab)
    accept_invitation(invitation, user=person("bob"))

    with pytest.raises(InputError, match="was withdrawn"):
        accept_invitation(invitation, user=person("bob"))


@pytest.mark.parametrize(
    ("email", "role", "reason"),
    [("bob", MEMBER, "“bob” is not an e-mail address"), ("b@example.org", "king", "“king” is not a role")],
)
def test_what_can_not_be_is_refused(email: str, role: str, reason: str, lab: Team) -> None:
    with pytest.raises(InputError, match=reason):
        invite_bob(lab, email, role)


def test_nobody_sends_too_many_even_if_they_withdraw_them(settings: Settings, lab: Team) -> None:
    settings.SUPERBOARD_INVITATIONS_A_DAY = 1
    withdraw_invitation(invite_bob(lab), user=person("alice"))

    with pytest.raises(InputError, match=r"1 invitation in 24 hours, .* SUPERBOARD_INVITATIONS_A_DAY"):
        invite_bob(lab)

    AuditEvent.objects.update(at=timezone.now() - timedelta(hours=25))
    invite_bob(lab)
