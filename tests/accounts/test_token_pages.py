"""/account/tokens/: a secret is shown in one answer and never again."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.core.tokens import find_token
from leaderboard.models import ApiToken
from tests.people import client_of

pytestmark = pytest.mark.django_db
SECRET = re.compile(r"sbt_[0-9a-f]{72}")
FORM = {"name": "ci", "scopes": ["read", "submit"], "lifetime": "90"}


@pytest.fixture
def alice() -> Client:
    return client_of("alice")


def make(client: Client, **fields: object) -> str:
    return client.post(reverse("tokens"), {**FORM, **fields}).content.decode()


def test_the_answer_to_the_form_has_the_secret_and_is_kept_nowhere(alice: Client) -> None:
    response = alice.post(reverse("tokens"), FORM)

    (secret,) = SECRET.findall(response.content.decode())
    token = find_token(secret)
    assert token is not None
    assert token.scopes == ["read", "submit"]
    assert "no-store" in response["Cache-Control"]


def test_no_other_page_has_it(alice: Client) -> None:
    make(alice)

    assert not SECRET.search(alice.get(reverse("tokens")).content.decode())


def test_sending_the_form_again_shows_and_makes_nothing(alice: Client) -> None:
    make(alice)

    again = make(alice)

    assert not SECRET.search(again)
    assert "You have a token called “ci”" in again
    assert ApiToken.objects.count() == 1


@pytest.mark.parametrize(("lifetime", "expires"), [("30", True), ("", False)])
def test_it_works_for_as_long_as_was_asked(lifetime: str, expires: bool, alice: Client) -> None:
    make(alice, lifetime=lifetime)

    assert bool(ApiToken.objects.get().expires) is expires


@pytest.mark.parametrize(
    "fields", [{"scopes": []}, {"scopes": ["operate"]}, {"scopes": ["x"]}, {"lifetime": "7"}, {"name": ""}]
)
def test_what_can_not_be_asked_for_makes_nothing(fields: dict[str, object], alice: Client) -> None:
    page = make(alice, **fields)

    assert 'class="errorlist"' in page
    assert not ApiToken.objects.exists()


def test_operators_may_have_one_that_operates() -> None:
    olga = client_of("olga")

    make(olga, scopes=["operate"])

    assert ApiToken.objects.get().scopes == ["operate"]
