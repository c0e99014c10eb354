"""Pages for addresses where there is nothing: they say why where we know."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.cast import PET, make_set

pytestmark = pytest.mark.django_db
ADVICE = "The address may be mistyped"


@pytest.fixture
def olga(client: Client) -> Client:
    client.force_login(User.objects.create_user("olga", is_staff=True))
    make_set(PET)
    return client


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("/b/super/none/", "There is no such task set."),
        ("/b/super/masked/t/none/", "This task set has no task of that name."),
        ("/runs/new/?agent=%3Cb%3E&set=masked", "there is no agent “&lt;b&gt;”"),
    ],
)
def test_a_reason_of_ours_is_shown_and_escaped(address: str, reason: str, olga: Client) -> None:
    response = olga.get(address)

    assert response.status_code == 404
    assert reason in response.content.decode()
    assert ADVICE not in response.content.decode()


@pytest.mark.parametrize("address", ["/nowhere/", "/a/999999/"])
def test_djangos_reasons_are_not(address: str, olga: Client) -> None:
    page = olga.get(address).content.decode()

    assert ADVICE in page
    assert "Resolver404" not in page
    assert "given query" not in page


def test_a_form_without_its_token_is_refused_with_what_to_do() -> None:
    response = Client(enforce_csrf_checks=True).post("/account/sign-in/", {"login": "alice"})

    assert response.status_code == 403
    page = response.content.decode()
    assert "Nothing was changed. Go back, reload the page and send the form again." in page
    assert "<title>This form had expired · Superboard</title>" in page
