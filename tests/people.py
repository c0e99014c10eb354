"""The people of the tests: Alice owns, Bob is another submitter, Olga operates, nobody is logged in.

alice = person("alice")
client = client_of("alice")     # signed in; client_of("nobody") is not
"""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.test import Client

OPERATORS = frozenset({"olga"})
NOBODY = "nobody"
PASSWORD = "a secret of some length"


def person(name: str) -> User:
    """Whoever is called so, with a confirmed address; made when first asked for."""
    user = User.objects.filter(username=name).first()
    if user is None:
        user = User.objects.create_user(name, email_of(name), PASSWORD, is_staff=name.lower() in OPERATORS)
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def email_of(name: str) -> str:
    return f"{name.lower()}@example.org"


def client_of(name: str) -> Client:
    """A browser in which ``name`` is signed in; nobody is signed in for “nobody”."""
    client = Client()
    if name != NOBODY:
        client.force_login(person(name))
    return client
