"""Tokens: shown once, found by their secret, good for their scopes until they expire or are revoked."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from leaderboard.core.permissions import token_allows
from leaderboard.core.tokens import create_token, find_token, revoke_token
from leaderboard.domain.access import Scope, is_secret
from leaderboard.domain.errors import InputError
from leaderboard.models import ApiToken, AuditEvent
from tests.people import person

pytestmark = pytest.mark.django_db


def make(name: str = "ci", *scopes: Scope, user: User | None = None) -> tuple[ApiToken, str]:
    return create_token(user=user or person("alice"), name=name, scopes=scopes or [Scope.READ], expires=None)


def test_its_secret_is_told_once_and_not_kept() -> None:
    token, secret = make()

    assert is_secret(secret)
    assert secret.startswith(token.start)
    kept = repr(list(ApiToken.objects.values())) + repr(list(AuditEvent.objects.values()))
    assert secret[len(token.start) :] not in kept


def test_it_is_found_by_its_secret_and_by_no_other() -> None:
    token, secret = make()
    wrong_end = secret[:-1] + ("0" if secret[-1] != "0" else "1")

    assert find_token(secret) == token
    assert [find_token(other) for other in (wrong_end, secret.upper(), f"{secret} ", "", "sbt_")] == [
        None
    ] * 5


def test_it_is_not_found_once_it_has_expired() -> None:
    _, secret = make()
    ApiToken.objects.update(expires=timezone.now() - timedelta(seconds=1))

    assert find_token(secret) is None


def test_it_is_not_found_when_it_was_revoked() -> None:
    token, secret = make()

    revoke_token(token, user=person("alice"))

    assert find_token(secret) is None


def test_it_is_not_found_when_its_owner_was_locked_out() -> None:
    _, secret = make()
    User.objects.update(is_active=False)

    assert find_token(secret) is None


def test_its_use_is_noted_at_most_once_a_minute() -> None:
    _, secret = make()
    find_token(secret)
    first = ApiToken.objects.get().last_used

    find_token(secret)
    assert ApiToken.objects.get().last_used == first

    long_ago = timezone.now() - timedelta(seconds=61)
    ApiToken.objects.update(last_used=long_ago)
    find_token(secret)
    assert ApiToken.objects.get().last_used > long_ago  # type: ignore[operator]


@pytest.mark.parametrize(
    ("given", "allowed"),
    [
        (Scope.READ, {Scope.READ}),
        (Scope.SUBMIT, {Scope.READ, Scope.SUBMIT}),
        (Scope.OPERATE, {Scope.READ, Scope.OPERATE}),
    ],
)
def test_who_may_change_something_may_see_it(given: Scope, allowed: set[Scope]) -> None:
    token, _ = make("ci", given, user=person("olga"))

    assert {scope for scope in Scope if token_allows(token, scope)} == allowed


def test_only_operators_give_the_scope_to_operate() -> None:
    with pytest.raises(InputError, match="out of those you have yourself"):
        make("ci", Scope.OPERATE)


def test_an_operator_who_is_none_any_more_has_no_token_to_operate() -> None:
    token, secret = make("ci", Scope.OPERATE, user=person("olga"))
    User.objects.update(is_staff=False)

    found = find_token(secret)

    assert found == token
    assert not token_allows(found, Scope.OPERATE)


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\x00b"])
def test_a_name_that_can_not_be_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="a name has 1 to 100 characters"):
        make(name)


def test_a_name_is_given_once_a_person() -> None:
    make("ci")
    make("ci", user=person("bob"))

    with pytest.raises(InputError, match="you have a token called “ci”"):
        make("ci")


def test_a_time_that_has_passed_is_refused() -> None:
    with pytest.raises(InputError, match="this time has passed"):
        create_token(user=person("alice"), name="ci", scopes=[Scope.READ], expires=timezone.now())


def test_there_are_not_too_many(settings: Settings) -> None:
    settings.SUPERBOARD_MAX_TOKENS = 1
    make("one")

    with pytest.raises(InputError, match=r"you have 1 token, .* SUPERBOARD_MAX_TOKENS"):
        make("two")
