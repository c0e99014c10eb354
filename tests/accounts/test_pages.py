"""Who gets which of the account pages."""

from __future__ import annotations

import pytest
from django.urls import reverse

from leaderboard.accounts.invitations import invite
from leaderboard.accounts.teams import create_team
from leaderboard.core.tokens import create_token
from leaderboard.domain.access import Scope
from leaderboard.models import Invitation, Membership, Team
from tests.people import client_of, email_of, person

pytestmark = pytest.mark.django_db
CAST = ("alice", "carol", "bob", "olga", "nobody")
SIGN_IN = 302


@pytest.fixture
def lab() -> Team:
    """A team that Alice owns, with Carol in it; Bob is invited."""
    team = create_team(name="Lab", user=person("alice"))
    Membership.objects.create(team=team, user=person("carol"))
    invite(team, email=email_of("bob"), role="member", user=person("alice"), link="")
    return team


@pytest.mark.parametrize(
    "page", ["account", "teams", "tokens", "delete-account", "account_email", "account_change_password"]
)
@pytest.mark.parametrize("who", ["alice", "nobody"])
def test_an_account_has_pages_of_its_own(page: str, who: str) -> None:
    assert client_of(who).get(reverse(page)).status_code == (SIGN_IN if who == "nobody" else 200)


@pytest.mark.parametrize(
    "page",
    [
        "account_login",
        "account_signup",
        "account_inactive",
        "account_reset_password",
        "account_reset_password_done",
        "account_reset_password_from_key_done",
        "account_email_verification_sent",
    ],
)
def test_whoever_has_no_account_gets_the_pages_that_lead_to_one(page: str) -> None:
    assert client_of("nobody").get(reverse(page)).status_code == 200


TEAM = {"alice": 200, "carol": 200, "bob": 404, "olga": 404, "nobody": SIGN_IN}
ACTING = {"alice": 302, "carol": 403, "bob": 404, "olga": 404, "nobody": SIGN_IN}
ANSWERING = {"alice": 404, "carol": 404, "bob": 302, "olga": 404, "nobody": SIGN_IN}
REVOKING = {"alice": 302, "carol": 404, "bob": 404, "olga": 404, "nobody": SIGN_IN}


@pytest.mark.parametrize("who", CAST)
def test_a_teams_page_is_its_members_own(who: str, lab: Team) -> None:
    response = client_of(who).get(lab.get_absolute_url())

    assert response.status_code == TEAM[who]
    assert (b'value="invite"' in response.content) is (who == "alice")


@pytest.mark.parametrize("who", CAST)
@pytest.mark.parametrize("action", ["rename", "invite", "withdraw", "owner", "member", "remove", "delete"])
def test_only_owners_look_after_a_team(who: str, action: str, lab: Team) -> None:
    form = {
        "action": action,
        "name": "Laboratory",
        "email": "new@example.org",
        "role": "member",
        "member": Membership.objects.get(user=person("carol")).pk,
        "invitation": Invitation.objects.get().pk,
    }
    response = client_of(who).post(reverse("team", args=(lab.slug,)), form)

    assert response.status_code == ACTING[who]


@pytest.mark.parametrize("who", CAST)
@pytest.mark.parametrize("action", ["accept", "decline"])
def test_only_the_invited_answer(who: str, action: str, lab: Team) -> None:
    address = reverse("answer-invitation", args=(Invitation.objects.get().pk,))

    assert client_of(who).post(address, {"action": action}).status_code == ANSWERING[who]
    assert client_of(who).get(address).status_code == 405
    assert lab.memberships.filter(user__username="bob").exists() is (who == "bob" and action == "accept")


@pytest.mark.parametrize("who", CAST)
def test_tokens_are_revoked_by_their_owner(who: str) -> None:
    token, _ = create_token(user=person("alice"), name="ci", scopes=[Scope.READ], expires=None)

    response = client_of(who).post(reverse("revoke-token", args=(token.pk,)))

    assert response.status_code == REVOKING[who]
    assert person("alice").api_tokens.exists() is (who != "alice")


def test_what_is_refused_is_said_on_the_page(lab: Team) -> None:
    alice = client_of("alice")
    for form, words in (
        ({"action": "leave"}, "A team needs an owner: make another member an owner first."),
        ({"action": "invite", "email": email_of("bob"), "role": "member"}, "open invitation already"),
        ({"action": "invite", "email": "b", "role": "member"}, "Enter a valid email address."),
        ({"action": "rename", "name": ""}, "This field is required."),
        ({"action": "remove", "member": "9" * 30}, "There is no such page"),
        ({"action": "dance"}, "A team has no such action."),
    ):
        page = alice.post(lab.get_absolute_url(), form, follow=True).content.decode()
        assert words in page, form


def test_an_account_page_shows_drafts_to_their_team_alone(lab: Team) -> None:
    for who in ("alice", "bob"):
        page = client_of(who).get(reverse("account")).content.decode()
        assert (lab.get_absolute_url() in page) is (who == "alice")
        assert ("To the team <b>Lab</b>, from alice" in page) is (who == "bob")
