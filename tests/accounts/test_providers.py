"""Signing in with an account of another site: offered where it is configured, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.core.environment import Environment
from leaderboard.core.sign_in_providers import sign_in_origins, sign_in_providers
from tests.accounts.providers import PROVIDERS, VARIABLES
from tests.people import PASSWORD, client_of, email_of, person

pytestmark = pytest.mark.django_db
CALLBACK = "allauth.socialaccount.providers.github.views.GitHubOAuth2Adapter"


@pytest.fixture
def configured(settings: Settings) -> None:
    settings.SOCIALACCOUNT_PROVIDERS = PROVIDERS
    settings.ROOT_URLCONF = "tests.accounts.urls_with_providers"
    cache.clear()


def come_from_github(client: Client, monkeypatch: pytest.MonkeyPatch, **profile: Any) -> Any:
    """What the site answers when GitHub sends somebody back whose profile it gives."""
    data = {"id": 7, "login": "octo", "name": "Octo", "email": "octo@example.org", **profile}
    emails = [{"email": data["email"], "verified": True, "primary": True}] if data["email"] else []

    class Answer:
        status_code = 200

        def __init__(self, payload: Any) -> None:
            self.payload = payload

        def json(self) -> Any:
            return self.payload

        def raise_for_status(self) -> None:
            pass

    class Session:
        def __enter__(self) -> Session:
            return self

        def __exit__(self, *args: object) -> None:
            pass

        def get(self, url: str, **options: Any) -> Answer:
            return Answer(emails if url.endswith("/emails") else data)

    monkeypatch.setattr(f"{CALLBACK}.get_access_token_data", lambda *args, **options: {"access_token": "x"})
    monkeypatch.setattr(
        "allauth.socialaccount.adapter.DefaultSocialAccountAdapter.get_requests_session",
        lambda self: Session(),
    )
    sent = client.post(reverse("github_login"))["Location"]
    state = sent.partition("state=")[2].partition("&")[0]
    return client.get(reverse("github_callback"), {"code": "x", "state": state})


def test_no_button_stands_where_there_is_no_key() -> None:
    assert "Continue with" not in Client().get(reverse("sign-in")).content.decode()
    assert sign_in_providers(Environment({})) == {}


def test_a_button_stands_for_each_provider_that_has_keys(configured: None) -> None:
    page = Client().get(reverse("sign-in")).content.decode()

    assert "Continue with GitHub" in page
    assert "Continue with Example University" in page
    assert f'action="{reverse("github_login")}?process=login"' in page
    assert reverse("openid_connect_login", args=("sso",)) in page
    assert reverse("openid_connect_callback", args=("sso",)) == "/account/with/oidc/sso/login/callback/"


def test_the_policy_of_pages_allows_to_be_led_there() -> None:
    assert sign_in_origins(PROVIDERS) == ["https://github.com", "https://login.example.org"]
    assert sign_in_origins({}) == []


@pytest.mark.parametrize(
    "missing",
    ["SUPERBOARD_GITHUB_CLIENT_SECRET", "SUPERBOARD_OIDC_CLIENT_ID", "SUPERBOARD_OIDC_CLIENT_SECRET"],
)
def test_half_a_key_is_named(missing: str) -> None:
    variables = {name: value for name, value in VARIABLES.items() if name != missing}

    with pytest.raises(ImproperlyConfigured, match=f"{missing} is not set"):
        sign_in_providers(Environment(variables))


def test_a_new_face_gets_an_account_with_the_address_that_github_vouches_for(
    configured: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client()

    assert come_from_github(client, monkeypatch)["Location"] == reverse("account")

    assert client.get(reverse("account")).status_code == 200
    assert EmailAddress.objects.get(email="octo@example.org").verified
    assert User.objects.get(username="octo").has_usable_password() is False


def test_whoever_has_the_address_of_an_account_does_not_get_into_it(
    configured: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    person("alice")
    client = Client()

    answer = come_from_github(client, monkeypatch, email=email_of("alice"))

    assert answer["Location"] == reverse("account_email_verification_sent")
    assert client.get(reverse("account")).status_code == 302
    assert "already exists" in mail.outbox[-1].body


def test_whoever_comes_without_an_address_is_asked_for_one_and_confirms_it(
    configured: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client()

    answer = come_from_github(client, monkeypatch, email=None)

    assert answer["Location"] == reverse("socialaccount_signup")
    assert "You come from GitHub" in client.get(answer["Location"]).content.decode()
    client.post(answer["Location"], {"username": "octo", "email": "octo@example.org"})
    assert client.get(reverse("account")).status_code == 302
    assert mail.outbox[-1].to == ["octo@example.org"]


def test_an_account_is_connected_and_removed_again(configured: None, monkeypatch: pytest.MonkeyPatch) -> None:
    client = client_of("alice")
    client.post(f"{reverse('account_reauthenticate')}", {"password": PASSWORD})
    page = client.get(reverse("socialaccount_connections")).content.decode()
    assert "Connect your GitHub account" in page
    SocialAccount.objects.create(
        user=person("alice"), provider="github", uid="7", extra_data={"login": "octo"}
    )
    assert "octo" in client.get(reverse("socialaccount_connections")).content.decode()

    client.post(reverse("socialaccount_connections"), {"account": SocialAccount.objects.get().pk})

    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("socialaccount_login_cancelled", "Signing in was cancelled"),
        ("socialaccount_login_error", "Signing in did not work"),
    ],
)
def test_what_went_wrong_there_is_said_here(page: str, words: str, configured: None) -> None:
    assert words in Client().get(reverse(page)).content.decode()


def test_an_address_that_is_followed_asks_before_it_leads_there(configured: None) -> None:
    page = Client().get(reverse("github_login"))

    assert page.status_code == 200
    assert "Continue with GitHub" in page.content.decode()
