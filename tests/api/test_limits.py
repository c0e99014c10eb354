"""How often a caller may ask."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import Settings

from leaderboard.core.endpoints import rate_limits
from leaderboard.domain.access import Scope
from tests.api.calls import address, kind, with_token

pytestmark = pytest.mark.django_db
NOON = 1_800_000_000.0 - 1_800_000_000 % rate_limits.WINDOW


@pytest.fixture(autouse=True)
def clock(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Two requests a minute without an account, three with one; the time is what the test says."""
    settings.SUPERBOARD_API_RATE_ANONYMOUS, settings.SUPERBOARD_API_RATE = 2, 3
    now = {"time": NOON + 15}
    monkeypatch.setattr(rate_limits, "time", lambda: now["time"])
    return now


def test_headers_say_what_is_left(client: Client) -> None:
    left = []
    for _ in range(2):
        response = client.get(address("benchmarks"))
        assert (response["RateLimit-Limit"], response["RateLimit-Reset"]) == ("2", "45")
        left.append(response["RateLimit-Remaining"])

    assert left == ["1", "0"]


def test_one_request_too_many_is_refused_until_the_minute_ends(
    client: Client, clock: dict[str, float]
) -> None:
    statuses = [client.get(address("benchmarks")).status_code for _ in range(2)]
    refused = client.get(address("benchmarks"))

    assert statuses == [200, 200]
    assert (refused.status_code, kind(refused), refused["Retry-After"]) == (429, "too-many-requests", "45")
    assert refused["RateLimit-Remaining"] == "0"
    clock["time"] = NOON + rate_limits.WINDOW
    assert client.get(address("benchmarks")).status_code == 200


def test_each_token_and_each_address_has_its_own(client: Client) -> None:
    alice, bob = with_token("alice", Scope.READ), with_token("bob", Scope.READ)
    for _ in range(3):
        alice.get(address("benchmarks"))

    assert alice.get(address("benchmarks")).status_code == 429
    assert bob.get(address("benchmarks"))["RateLimit-Remaining"] == "2"
    assert client.get(address("benchmarks"))["RateLimit-Remaining"] == "1"


def test_what_is_refused_counts_as_well(client: Client) -> None:
    guesses = [
        client.get("/api/v1/nowhere", headers={"Authorization": f"Bearer guess-{n}"}).status_code
        for n in range(3)
    ]

    assert guesses == [401, 401, 429]


def test_behind_a_proxy_the_address_is_what_the_proxy_says(client: Client, settings: Settings) -> None:
    def left(passed_on: str) -> str:
        response = client.get(address("benchmarks"), headers={"X-Forwarded-For": passed_on})
        return str(response["RateLimit-Remaining"])

    assert (left("192.0.2.1"), left("192.0.2.2")) == ("1", "0")
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert (left("made up, 192.0.2.3"), left("other, 192.0.2.3"), left("192.0.2.4")) == ("1", "0", "1")
