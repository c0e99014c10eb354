"""`manage.py operator`, and the operator of the demo."""

from __future__ import annotations

from io import StringIO

import pytest
from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from leaderboard.accounts.services import ensure_operator
from leaderboard.core.permissions import can_operate
from leaderboard.models import AuditEvent
from tests.people import email_of, person

pytestmark = pytest.mark.django_db


def operator(action: str, name: str) -> str:
    said = StringIO()
    call_command("operator", action, name, stdout=said)
    return said.getvalue()


@pytest.mark.parametrize("name", ["alice", email_of("alice")])
def test_somebody_becomes_one_by_name_or_address_and_is_one_no_more(name: str) -> None:
    alice = person("alice")

    assert operator("add", name) == "alice is an operator now.\n"
    alice.refresh_from_db()
    assert can_operate(alice)

    assert operator("remove", name) == "alice is no longer an operator.\n"
    alice.refresh_from_db()
    assert not can_operate(alice)
    assert set(AuditEvent.objects.values_list("action", flat=True)) == {"add operator", "remove operator"}


@pytest.mark.parametrize("name", ["nobody", email_of("alice")])
def test_who_has_no_account_or_has_not_confirmed_the_address_does_not(name: str) -> None:
    person("alice")
    EmailAddress.objects.update(verified=False)

    with pytest.raises(CommandError, match=r"there is no account “.*” \(sign up on the site first"):
        operator("add", name)


def test_the_operator_of_the_demo_signs_in_by_name() -> None:
    cache.clear()
    ensure_operator("olga", "a password from a file")
    ensure_operator("olga", "is made once")
    client = Client()

    response = client.post(reverse("sign-in"), {"login": "olga", "password": "a password from a file"})

    assert response["Location"] == reverse("account")
    assert client.get(reverse("runs")).status_code == 200
