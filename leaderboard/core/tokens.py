"""API tokens: create, find and revoke them. Only a hash of each secret is stored."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from leaderboard.core.audit import record_event
from leaderboard.core.locks import lock_row
from leaderboard.core.permissions import grantable_scopes
from leaderboard.domain.access import START_LENGTH, Scope, is_secret, new_secret
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.text import plural, storable
from leaderboard.models import ApiToken

LAST_USED_PRECISION = timedelta(minutes=1)
"""``last_used`` is updated at most this often, so that a request seldom costs a write."""


@transaction.atomic
def create_token(
    *, user: User, name: str, scopes: Iterable[Scope], expires: datetime | None
) -> tuple[ApiToken, str]:
    """Create a token; returns it with its secret, which can't be read again.

    ``name`` has 1 to 100 characters and is unique for ``user``. There is at least one of ``scopes``, out of
    ``grantable_scopes``. Without ``expires`` it works until it is revoked.

    Raises:
        InputError: the name, scopes or time are invalid, or the user has too many tokens.
    """
    lock_row(user)
    name, wanted = name.strip(), set(scopes)
    _check_name(user, name)
    if not wanted or not wanted.issubset(grantable_scopes(user)):
        raise _refused("scopes", "pick at least one scope, out of those you have yourself")
    if expires is not None and expires <= timezone.now():
        raise _refused("expires", "this time has passed", "pick a time in the future")
    secret = new_secret()
    token = ApiToken.objects.create(
        user=user,
        name=name,
        scopes=[scope.value for scope in Scope if scope in wanted],
        start=secret[:START_LENGTH],
        digest=_digest(secret),
        expires=expires,
    )
    record_event("create token", f"token {token.pk}", actor=user, scopes=token.scopes)
    return token, secret


def find_token(secret: str) -> ApiToken | None:
    """The token with this secret, with its user; None if it can't be used. Updates ``last_used``.

    One query for a well-formed secret, and a second one at most once a minute.
    """
    if not is_secret(secret):
        return None
    now = timezone.now()
    valid = ApiToken.objects.filter(Q(expires=None) | Q(expires__gt=now), user__is_active=True)
    token = valid.select_related("user").filter(digest=_digest(secret)).first()
    if token and (token.last_used is None or token.last_used <= now - LAST_USED_PRECISION):
        ApiToken.objects.filter(pk=token.pk).update(last_used=now)
        token.last_used = now
    return token


@transaction.atomic
def revoke_token(token: ApiToken, *, user: User) -> None:
    """Delete a token: requests with its secret are refused from now on."""
    record_event("revoke token", f"token {token.pk}", actor=user)
    token.delete()


def _check_name(user: User, name: str) -> None:
    longest, limit = ApiToken.NAME_LENGTH, settings.SUPERBOARD_MAX_TOKENS
    if not 1 <= len(name) <= longest or name != storable(name):
        raise _refused("name", f"a name has 1 to {longest:,} characters")
    tokens = ApiToken.objects.filter(user=user)
    if tokens.filter(name=name).exists():
        reason = f"you have a token called “{name}”"
        raise _refused("name", reason, "pick another name, or revoke that one first")
    if tokens.count() >= limit:
        reason = plural(limit, "you have {n} token, the limit", "you have {n} tokens, the limit")
        raise _refused("", reason, "revoke one (the limit is SUPERBOARD_MAX_TOKENS)")


def _refused(place: str, reason: str, remedy: str = "") -> InputError:
    return InputError(Problem("token", place, reason, remedy))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
