"""Whom to tell of a security problem stands where people look for it."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

ADDRESS = "/.well-known/security.txt"
"""Where RFC 9116 wants it."""


@pytest.mark.parametrize(
    ("contact", "said"),
    [
        ("security@example.org", "mailto:security@example.org"),
        ("https://example.org/security", "https://example.org/security"),
    ],
)
def test_it_names_the_contact_and_when_to_look_again(
    contact: str, said: str, settings: Settings, client: Client
) -> None:
    settings.SUPERBOARD_SECURITY_CONTACT = contact
    settings.SUPERBOARD_URL = "https://board.example.org"

    response = client.get(reverse("security-contact"))

    assert response["Content-Type"] == "text/plain; charset=utf-8"
    lines = dict(line.split(": ", 1) for line in response.content.decode().splitlines())
    assert (lines["Contact"], lines["Canonical"]) == (said, f"https://board.example.org{ADDRESS}")
    ahead = datetime.fromisoformat(lines["Expires"]) - timezone.now()
    assert timedelta(days=100) < ahead < timedelta(days=365)


@pytest.mark.django_db
def test_without_a_contact_there_is_no_such_file(client: Client) -> None:
    assert client.get(ADDRESS).status_code == 404
