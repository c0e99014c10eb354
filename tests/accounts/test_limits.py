"""Brute force: attempts are counted for all processes together, by whom the proxy says they come from."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from allauth.account import app_settings
from allauth.core.internal.ratelimit import get_rates
from django.conf import settings as django_settings
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.accounts.views import RATE_SECONDS
from tests.people import PASSWORD, email_of, person

ALLAUTH = "allauth.account"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_attempts_yet() -> None:
    cache.clear()


def attempt(password: str, address: str = "192.0.2.1", forwarded: str = "", login: str = "alice") -> str:
    """What the page says to an attempt to sign in from an address."""
    headers = {"X-Forwarded-For": forwarded} if forwarded else None
    client = Client(headers=headers, REMOTE_ADDR=address)
    response = client.post(reverse("sign-in"), {"login": login, "password": password})
    return str(response.status_code) if response.status_code != 200 else response.content.decode()


def test_after_five_wrong_passwords_the_right_one_waits_too() -> None:
    person("alice")
    for _ in range(5):
        assert "are not correct" in attempt("wrong")

    assert "Too many failed login attempts" in attempt(PASSWORD)
    assert "Too many failed login attempts" in attempt(PASSWORD, login="ALICE")


def test_wrong_passwords_from_elsewhere_do_not_keep_the_owner_out() -> None:
    person("alice")
    for number in range(40):
        attempt("wrong", f"198.51.100.{number // 4}")

    assert attempt(PASSWORD, "192.0.2.2") == "302"


def test_it_says_for_how_long_and_what_else_there_is_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    person("alice")
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now)
    for _ in range(5):
        attempt("wrong")
    monkeypatch.setattr("time.time", lambda: now + 100)

    assert "from your address. Try again in 3 min 20 s, or reset your password." in attempt(PASSWORD)


def test_a_network_of_ipv6_counts_as_one_address() -> None:
    person("alice")
    for number in range(5):
        attempt("wrong", f"2001:db8::{number}")

    assert "Too many failed login attempts" in attempt("wrong", "2001:db8::ffff")


def test_others_are_not_kept_out_by_it() -> None:
    person("alice"), person("bob")
    for _ in range(6):
        attempt("wrong")

    assert attempt(PASSWORD, "192.0.2.2", login="bob") == "302"


def test_one_address_does_not_try_many_accounts() -> None:
    answers = [attempt("wrong", login=f"user{number}") for number in range(31)]

    assert "Too many failed login attempts" in answers[10]
    assert answers[30] == "429"


def test_behind_a_proxy_an_address_is_the_one_that_the_proxy_added(settings: Settings) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    for number in range(11):
        attempt("wrong", "10.0.0.1", forwarded=f"203.0.113.{number}, 198.51.100.7", login=f"user{number}")

    by_forger = attempt("wrong", "10.0.0.1", forwarded="203.0.113.99, 198.51.100.7", login="another")
    by_other = attempt("wrong", "10.0.0.1", forwarded="198.51.100.8", login="yet-another")

    assert "Too many failed login attempts" in by_forger
    assert "are not correct" in by_other


def test_without_a_proxy_what_a_client_says_of_its_address_is_not_believed() -> None:
    for number in range(11):
        attempt("wrong", forwarded=f"203.0.113.{number}", login=f"user{number}")

    assert "Too many failed login attempts" in attempt("wrong", forwarded="203.0.113.99", login="another")


def test_too_many_of_anything_get_a_page_that_says_what_to_do() -> None:
    person("alice")
    client = Client()
    for _ in range(21):
        response = client.post(reverse("account_reset_password"), {"email": email_of("alice")})

    assert response.status_code == 429
    assert response["Retry-After"] == "300"
    assert "Wait five minutes" in response.content.decode()
    assert 'href="/"' in response.content.decode()


def test_no_limit_lasts_longer_than_the_answer_says() -> None:
    limits = app_settings.RATE_LIMITS
    durations = [rate.duration for action in limits for rate in get_rates(app=ALLAUTH, action=action)]
    assert max(durations) == RATE_SECONDS


def test_a_password_is_not_tried_out_by_deleting() -> None:
    client = Client()
    client.force_login(person("alice"))
    answers = [client.post(reverse("delete-account"), {"password": "x"}).status_code for _ in range(11)]

    assert answers == [200] * 10 + [429]


COUNT = """
import django
django.setup()
from django.test import RequestFactory
from allauth.core.ratelimit import consume
request = RequestFactory(REMOTE_ADDR="192.0.2.1").post("/")
print(sum(consume(request, action="login_failed", key="alice") for _ in range(3)))
"""


def test_processes_count_together(tmp_path: Path) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "SUPERBOARD_VAR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "leaderboard.core.settings",
    }
    root = django_settings.BASE_DIR
    migrate = [sys.executable, "manage.py", "createcachetable"]
    subprocess.run(migrate, cwd=root, env=environment, check=True)

    counting = [
        subprocess.Popen([sys.executable, "-c", COUNT], cwd=root, env=environment, stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    allowed = [int(process.communicate()[0]) for process in counting]

    # Five in five minutes for one account, however many processes count.
    assert sum(allowed) == 5
