"""Deleting an account: what goes, what stays, and who has it then."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from leaderboard.accounts.invitations import invite
from leaderboard.accounts.services import delete_account
from leaderboard.accounts.teams import create_team
from leaderboard.core.permissions import can_edit_entry
from leaderboard.core.teams import personal_team
from leaderboard.core.tokens import create_token
from leaderboard.domain.access import Scope
from leaderboard.domain.entries import EntryState
from leaderboard.models import (
    Agent,
    ApiToken,
    AuditEvent,
    Entry,
    Invitation,
    Membership,
    Run,
    Team,
    Upload,
)
from tests.cast import PET, make_set
from tests.people import PASSWORD, client_of, email_of, person

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_attempts_yet() -> None:
    cache.clear()


def entry_of(team: Team | None, state: EntryState) -> Entry:
    agent = Agent.objects.create(name=f"Agent of {team}", model=state)
    slug = f"{team}-{state}"
    return Entry.objects.create(agent=agent, task_set=make_set(PET), slug=slug, team=team, state=state)


def test_drafts_of_whoever_was_alone_go_and_published_entries_stay() -> None:
    alice = person("alice")
    draft, published = (
        entry_of(personal_team(alice), state) for state in (EntryState.DRAFT, EntryState.PUBLISHED)
    )
    Upload.objects.create(team=personal_team(alice), created_by=alice, name="run.zip", size=1)

    delete_account(alice)

    assert not Entry.objects.filter(pk=draft.pk).exists()
    assert not Upload.objects.exists()
    assert not Team.objects.exists()
    published.refresh_from_db()
    assert published.is_published
    assert published.team is None
    assert published.owner_left is not None
    assert can_edit_entry(person("olga"), published)


def test_an_entry_says_that_its_owner_has_left() -> None:
    alice = person("alice")
    published = entry_of(personal_team(alice), EntryState.PUBLISHED)
    words = "Its owner's account was deleted"
    assert words not in client_of("nobody").get(published.get_absolute_url()).content.decode()

    delete_account(alice)

    assert words in client_of("nobody").get(published.get_absolute_url()).content.decode()


def test_a_team_with_others_goes_on_with_its_drafts_under_who_was_there_longest() -> None:
    lab = create_team(name="Lab", user=person("alice"))
    for days, name in ((1, "bob"), (9, "carol")):
        member = Membership.objects.create(team=lab, user=person(name))
        Membership.objects.filter(pk=member.pk).update(since=timezone.now() - timedelta(days=days))
    draft = entry_of(lab, EntryState.DRAFT)

    delete_account(person("alice"))

    roles = dict(lab.memberships.values_list("user__username", "role"))
    assert roles == {"carol": "owner", "bob": "member"}
    assert Entry.objects.get(pk=draft.pk).team == lab


def test_a_team_that_has_another_owner_keeps_its_roles() -> None:
    lab = create_team(name="Lab", user=person("alice"))
    Membership.objects.create(team=lab, user=person("bob"))
    Membership.objects.create(team=lab, user=person("carol"), role="owner")

    delete_account(person("alice"))

    assert dict(lab.memberships.values_list("user__username", "role")) == {"carol": "owner", "bob": "member"}


def test_tokens_and_invitations_go_and_runs_stay() -> None:
    alice = person("alice")
    create_token(user=alice, name="ci", scopes=[Scope.READ], expires=None)
    lab = create_team(name="Lab", user=person("bob"))
    invite(lab, email=email_of("alice"), role="member", user=person("bob"), link="")
    entry = entry_of(None, EntryState.DRAFT)
    run = Run.objects.create(
        task_set=entry.task_set, entry=entry, agent="x", sandbox="local", created_by=alice
    )

    delete_account(alice)

    assert not ApiToken.objects.exists()
    assert not Invitation.objects.exists()
    assert not EmailAddress.objects.filter(email=email_of("alice")).exists()
    run.refresh_from_db()
    assert run.created_by is None


def test_the_audit_keeps_what_was_done_and_not_by_whom() -> None:
    alice = person("alice")
    personal_team(alice)
    create_token(user=alice, name="alice's laptop", scopes=[Scope.READ], expires=None)

    delete_account(alice)

    kept = repr(list(AuditEvent.objects.values("action", "target", "detail", "actor__username")))
    assert "delete account" in kept
    assert "alice" not in kept


def test_the_page_says_what_will_happen() -> None:
    alice = person("alice")
    entry_of(personal_team(alice), EntryState.DRAFT)
    entry_of(personal_team(alice), EntryState.PUBLISHED)
    lab = create_team(name="Lab", user=alice)
    Membership.objects.create(team=lab, user=person("bob"))

    page = client_of("alice").get(reverse("delete-account")).content.decode()

    for words in (
        "The team in which you are the only member is deleted with its uploads: <b>alice</b>",
        "1 draft of theirs is deleted",
        "1 entry of theirs that was published stays",
        "The team <b>Lab</b> remains",
        "<b>bob</b>, the longest-standing other member",
    ):
        assert words in " ".join(page.split())


def test_it_asks_for_the_password() -> None:
    client = client_of("alice")

    assert (
        "This is not your password."
        in client.post(reverse("delete-account"), {"password": "x"}).content.decode()
    )
    assert User.objects.filter(username="alice").exists()

    client.post(reverse("delete-account"), {"password": PASSWORD})
    assert not User.objects.filter(username="alice").exists()
    assert client.get(reverse("account")).status_code == 302


def test_whoever_has_no_password_gives_their_name() -> None:
    client, alice = client_of("alice"), person("alice")
    alice.set_unusable_password()
    alice.save()
    client.force_login(alice)

    assert (
        "This is not your user name."
        in client.post(reverse("delete-account"), {"username": "bob"}).content.decode()
    )
    client.post(reverse("delete-account"), {"username": "alice"})

    assert not User.objects.filter(username="alice").exists()
