"""Accounts in the browser: from signing up to a token and out again, and every page in every look."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.core import mail
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.accounts.invitations import invite
from leaderboard.accounts.services import set_operator
from leaderboard.accounts.teams import create_team
from leaderboard.core.tokens import create_token
from leaderboard.domain.access import Scope
from leaderboard.domain.entries import EntryState
from leaderboard.models import Agent, Entry, Membership, Team
from tests.browser.looks import findings_in_every_look, on_phone_and_desktop, too_wide
from tests.cast import PET, make_set
from tests.people import PASSWORD, client_of, email_of, person

LONG_NAME = "A laboratory with a name that has no end, " + "x" * 50


@pytest.fixture(autouse=True)
def _no_attempts_yet(transactional_db: None) -> None:
    cache.clear()


@pytest.fixture
def lab() -> Team:
    """A team with a long name that Alice owns: a member, an invitation, a draft; and Alice is invited."""
    alice, bob = person("alice"), person("bob")
    team = create_team(name=LONG_NAME, user=alice)
    Membership.objects.create(team=team, user=bob)
    invite(team, email=f"{'c' * 60}@example.org", role="owner", user=alice, link="")
    other = create_team(name="Another", user=bob)
    invite(other, email=email_of("alice"), role="member", user=bob, link="")
    agent = Agent.objects.create(name="Solver", model="m")
    Entry.objects.create(agent=agent, task_set=make_set(PET), slug="s", team=team, state=EntryState.DRAFT)
    create_token(user=alice, name="ci", scopes=[Scope.SUBMIT], expires=None)
    return team


def come_in(page: Page, live_server: LiveServer, name: str) -> None:
    """Sign somebody in without the form."""
    cookie = client_of(name).cookies[settings.SESSION_COOKIE_NAME]
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": cookie.value, "url": live_server.url}]
    )


def link_in_mail() -> str:
    (link,) = re.findall(r"^(http://\S+)$", str(mail.outbox[-1].body), re.MULTILINE)
    return str(link)


def test_from_signing_up_to_a_token_and_out_again(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="Sign up").click()
    page.get_by_label("Username").fill("dora")
    page.get_by_label("Email").fill("dora@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    expect(page.get_by_role("heading", name="Check your mail")).to_be_visible()

    page.goto(link_in_mail())
    page.get_by_role("button", name="Yes, confirm it").click()
    expect(page.get_by_role("heading", name="Your account")).to_be_visible()

    page.get_by_role("link", name="See, create or revoke").click()
    page.get_by_label("Name").fill("laptop")
    page.get_by_role("button", name="Create").click()
    expect(page.locator(".secret")).to_contain_text(re.compile(r"^sbt_[0-9a-f]{72}$"))
    page.goto(page.url)
    expect(page.locator(".secret")).to_have_count(0)
    page.get_by_role("button", name="Revoke laptop").click()
    expect(page.get_by_role("status").filter(has_text="is revoked")).to_be_visible()

    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()


def test_a_team_is_joined_by_invitation(page: Page, live_server: LiveServer) -> None:
    team = create_team(name="Lab", user=person("alice"))
    person("bob")
    come_in(page, live_server, "alice")
    page.goto(team.get_absolute_url())
    page.get_by_label("E-mail address").fill(email_of("bob"))
    page.get_by_role("button", name="Invite").click()
    expect(page.get_by_text("bob@example.org is invited.")).to_be_visible()

    come_in(page, live_server, "bob")
    page.goto(link_in_mail())
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("heading", name="Lab")).to_be_visible()

    page.get_by_role("button", name="Leave the team").click()
    expect(page.get_by_text("You are in no team yet.")).to_be_visible()


def places_of_somebody(team: Team) -> dict[str, str]:
    names = ("account", "teams", "tokens", "delete-account", "account_email", "account_change_password")
    return {name: reverse(name) for name in (*names, "account_reauthenticate", "account_logout")} | {
        "team": team.get_absolute_url()
    }


def places_of_nobody() -> dict[str, str]:
    names = (
        "account_login",
        "account_signup",
        "account_inactive",
        "account_reset_password",
        "account_reset_password_done",
        "account_reset_password_from_key_done",
        "account_email_verification_sent",
    )
    return {name: reverse(name) for name in names} | {
        "a bad link": reverse("account_confirm_email", args=("x",)),
        "a bad link to a password": reverse("account_reset_password_from_key", args=("1", "x-y")),
    }


def problems(page: Page, places: dict[str, str]) -> Iterator[str]:
    for name, path in places.items():
        page.goto(path)
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        yield from (f"{name}: {finding}" for finding in findings_in_every_look(page))


def test_account_pages_are_accessible_and_fit(page: Page, live_server: LiveServer, lab: Team) -> None:
    found = list(problems(page, places_of_nobody()))
    come_in(page, live_server, "alice")
    found += problems(page, places_of_somebody(lab))

    assert not found, "\n".join(found)


@on_phone_and_desktop
def test_the_head_has_room_for_an_operator_with_a_long_name(page: Page, live_server: LiveServer) -> None:
    operator = person("olga" + "x" * 36)
    set_operator(operator.username, True)
    come_in(page, live_server, operator.username)

    page.goto(reverse("account"))

    assert too_wide(page) == {}
    assert page.get_by_role("link", name=operator.username).is_visible()


def test_what_was_typed_wrong_is_said_beside_it(page: Page, live_server: LiveServer, lab: Team) -> None:
    page.goto(reverse("account_signup"))
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Email").fill("dora@example.org")
    page.get_by_label("Password").fill("password")
    page.get_by_role("button", name="Sign up").click()
    expect(page.locator(".errorlist")).to_have_count(2)
    assert findings_in_every_look(page) == []

    page.goto(reverse("sign-in"))
    page.get_by_label("E-mail address or name").fill("alice")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("are not correct")
    assert findings_in_every_look(page) == []

    come_in(page, live_server, "alice")
    page.goto(lab.get_absolute_url())
    page.get_by_role("button", name="Leave the team").click()
    expect(page.get_by_role("status").filter(has_text="A team needs an owner")).to_be_visible()
    assert findings_in_every_look(page) == []
