"""Signing up, in and out, and passwords: who gets in, and what nobody learns."""

from __future__ import annotations

import re
from smtplib import SMTPException
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import cache
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.people import PASSWORD, email_of, person

pytestmark = pytest.mark.django_db
LINK = re.compile(rf"^{re.escape(settings.SUPERBOARD_URL)}(/\S+)$", re.MULTILINE)


@pytest.fixture(autouse=True)
def _no_attempts_yet() -> None:
    cache.clear()


def sign_up(client: Client, name: str = "dora", **fields: str) -> Any:
    form = {"username": name, "email": f"{name}@example.org", "password1": PASSWORD, **fields}
    return client.post(reverse("account_signup"), form)


def sign_in(client: Client, login: str, password: str = PASSWORD) -> Any:
    return client.post(reverse("sign-in"), {"login": login, "password": password})


def signed_in(client: Client) -> bool:
    return client.get(reverse("account")).status_code == 200


def link_in_mail() -> str:
    """The one link that stands on a line of its own in the last mail."""
    (link,) = LINK.findall(str(mail.outbox[-1].body))
    return str(link)


def test_an_account_counts_once_its_address_is_confirmed() -> None:
    client = Client()
    assert sign_up(client)["Location"] == reverse("account_email_verification_sent")
    assert not signed_in(client)
    assert sign_in(Client(), "dora")["Location"] == reverse("account_email_verification_sent")

    link = link_in_mail()
    assert link.startswith(reverse("account_confirm_email", args=("x",)).rpartition("x")[0])
    assert "dora@example.org" in client.get(link).content.decode()
    client.post(link)

    assert sign_in(Client(), "dora@example.org")["Location"] == reverse("account")


def test_one_gets_where_one_wanted_to_after_signing_in() -> None:
    person("alice")
    client = Client()
    asked = f"{reverse('sign-in')}?next=/submit/"
    assert f'href="{asked}"' in client.get(reverse("submit")).content.decode()
    assert 'name="next" value="/submit/"' in client.get(asked).content.decode()

    form = {"login": "alice", "password": PASSWORD, "next": "/submit/"}
    assert client.post(reverse("sign-in"), form)["Location"] == "/submit/"


def test_one_gets_where_one_wanted_to_after_signing_up_and_confirming() -> None:
    client = Client()
    page = client.get(reverse("sign-in"), {"next": "/submit/"}).content.decode()
    assert f'href="{reverse("account_signup")}?next=%2Fsubmit%2F"' in page
    sign_up(client, next="/submit/")

    assert client.post(link_in_mail())["Location"] == "/submit/"
    assert signed_in(client)


@pytest.mark.parametrize("address", ["https://elsewhere.example/", "//elsewhere.example/", "javascript:x"])
def test_nobody_is_sent_to_another_site(address: str) -> None:
    person("alice")
    form = {"login": "alice", "password": PASSWORD, "next": address}
    assert Client().post(reverse("sign-in"), form)["Location"] == reverse("account")


@pytest.mark.parametrize("login", ["alice", "alice@example.org", "ALICE@example.org"])
def test_one_signs_in_by_name_or_address(login: str) -> None:
    person("alice")
    client = Client()

    sign_in(client, login)

    assert signed_in(client)


def test_a_link_that_is_not_good_says_so() -> None:
    page = Client().get(reverse("account_confirm_email", args=("nonsense",))).content.decode()

    assert "This link is not valid" in page


def test_signing_up_does_not_tell_whose_address_is_known() -> None:
    person("alice")

    unknown = sign_up(Client(), "dora")
    known = sign_up(Client(), "eve", email=email_of("alice"))

    assert unknown["Location"] == known["Location"]
    assert Client().get(unknown["Location"]).content == Client().get(known["Location"]).content
    assert "already exists" in mail.outbox[-1].body
    assert not User.objects.filter(username="eve").exists()


def test_asking_for_a_new_password_does_not_tell_either() -> None:
    person("alice")
    answers = [
        Client().post(reverse("account_reset_password"), {"email": email})
        for email in (email_of("alice"), "nobody@example.org")
    ]

    assert {answer["Location"] for answer in answers} == {reverse("account_reset_password_done")}


def test_a_wrong_password_and_an_unknown_name_are_told_alike() -> None:
    person("alice")

    pages = [sign_in(Client(), login, "wrong password").content.decode() for login in ("alice", "nobody")]

    (first,), (second,) = (re.findall(r'role="alert">([^<]*)<', page) for page in pages)
    assert first == second


@pytest.mark.parametrize(
    "name", ["a", "bob@example.org", ".bob", "b ob", "x" * 41, "<b>", "Alice", "a1ice", "aIice"]
)
def test_names_that_can_not_be_are_refused(name: str) -> None:
    person("alice")

    page = sign_up(Client(), name, email="x@example.org")

    assert 'class="errorlist"' in page.content.decode()


@pytest.mark.parametrize("password", ["short", "password123", "dora@example.org"])
def test_passwords_that_are_guessed_are_refused(password: str) -> None:
    page = sign_up(Client(), password1=password)

    assert 'class="errorlist"' in page.content.decode()
    assert not User.objects.exists()


def test_a_new_password_is_set_by_a_link_that_works_once() -> None:
    person("alice")
    client = Client()
    client.post(reverse("account_reset_password"), {"email": email_of("alice")})
    link = link_in_mail()
    form = client.get(link, follow=True)
    address = form.redirect_chain[-1][0]
    assert address.startswith(reverse("account_reset_password_from_key", args=("x", "set")).partition("x")[0])

    done = client.post(address, {"password1": "another secret", "password2": "another secret"})

    assert done["Location"] == reverse("account_reset_password_from_key_done")
    assert "This link is not valid" in Client().get(link, follow=True).content.decode()
    sign_in(client, "alice", "another secret")
    assert signed_in(client)


def test_changing_the_password_asks_for_the_one_before_and_tells_by_mail() -> None:
    person("alice")
    client = Client()
    sign_in(client, "alice")
    address = reverse("account_change_password")

    form = {"oldpassword": PASSWORD, "password1": "another secret", "password2": "another secret"}
    assert "errorlist" in client.post(address, {**form, "oldpassword": "x"}).content.decode()
    assert client.post(address, form)["Location"] == reverse("account")

    assert mail.outbox[-1].to == [email_of("alice")]
    assert sign_in(Client(), "alice", "another secret")["Location"] == reverse("account")


def test_a_new_address_counts_once_it_is_confirmed() -> None:
    alice = person("alice")
    client = Client()
    sign_in(client, "alice")

    form = {"action_add": "", "email": "new@example.org"}
    asked = client.post(reverse("account_email"), form, follow=True)
    assert asked.redirect_chain[0][0].startswith(reverse("account_reauthenticate"))
    client.post(asked.redirect_chain[0][0], {"password": PASSWORD})
    client.post(reverse("account_email"), form)
    alice.refresh_from_db()
    assert alice.email == email_of("alice")
    client.post(link_in_mail())

    alice.refresh_from_db()
    assert alice.email == "new@example.org"


def test_whoever_has_no_password_can_set_one() -> None:
    alice = person("alice")
    alice.set_unusable_password()
    alice.save()
    client = Client()
    client.force_login(alice)

    client.post(reverse("account_set_password"), {"password1": PASSWORD, "password2": PASSWORD})

    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_a_locked_account_is_told_so() -> None:
    person("alice")
    User.objects.update(is_active=False)

    assert not signed_in(client := Client())
    assert "Location" not in sign_in(client, "alice") or sign_in(client, "alice")["Location"] == reverse(
        "account_inactive"
    )


@pytest.mark.parametrize("page", ["sign-in", "account_logout"])
def test_nobody_is_led_elsewhere(page: str) -> None:
    person("alice")
    client = Client()
    form = {"login": "alice", "password": PASSWORD, "next": "https://elsewhere.example/"}

    response = client.post(f"{reverse(page)}?next=https://elsewhere.example/", form)

    assert response["Location"].startswith("/")


def test_mail_that_can_not_be_sent_costs_nobody_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> int:
        raise SMTPException

    monkeypatch.setattr(EmailBackend, "send_messages", fail)
    client = Client()

    response = sign_up(client)

    assert response["Location"] == reverse("account_email_verification_sent")
    assert "The mail could not be sent." in client.get(response["Location"]).content.decode()


@pytest.mark.parametrize(
    "path",
    ["login/code/", "signup/passkey/", "phone/verify/", "connections/", "with/github/login/", "login/"],
)
def test_what_is_not_offered_has_no_page(path: str) -> None:
    assert Client().get(f"/account/{path}").status_code == 404


def test_links_in_mails_are_the_site_s_own_whatever_host_the_request_names(settings: Settings) -> None:
    settings.SUPERBOARD_URL = "https://board.example.org"
    person("alice")
    client = Client(headers={"host": "localhost:6666"})

    for asked in (email_of("alice"), email_of("nobody-known")):
        client.post(reverse("account_reset_password"), {"email": asked})
    sign_up(client)
    sign_up(client, name="twin", email=email_of("alice"))

    bodies = [str(each.body) for each in mail.outbox]
    assert len(bodies) == 4
    assert all("https://board.example.org/account/" in body for body in bodies)
    assert not any("localhost" in body for body in bodies)
