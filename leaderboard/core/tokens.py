"""Secrets that act for a person: made, found, revoked. Only a hash of each is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from leaderboard.core.audit import record_event
from leaderboard.core.locks import hold_fast
from leaderboard.core.permissions import grantable_scopes
from leaderboard.domain.access import START_LENGTH, Scope, is_secret, new_secret
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.text import plural, storable
from leaderboard.models import ApiToken

if TYPE_CHECKING:
    from django.contrib.auth.models import User


NOTED_EVERY = timedelta(minutes=1)
"""Uses within so long of the last one noted are not noted: a busy client costs no write a request."""


@transaction.atomic
def create_token(
    *, user: User, name: str, scopes: Iterable[Scope], expires: datetime | None
) -> tuple[ApiToken, str]:
    """Make a token; give it back with its secret, which nobody can read again.

    Args:
        user: whom it acts for.
        name: what its owner calls it, 1 to 100 characters, once a person.
        scopes: what it allows; at least one, and none that its owner may not give.
        expires: when it stops working; None for never.

    Raises:
        InputError: a name, scope or time that can't be, or too many tokens.
    """
    hold_fast(user)
    name, wanted = name.strip(), set(scopes)
    _check_name(user, name)
    if not wanted or not wanted.issubset(grantable_scopes(user)):
        raise _refused("scopes", "pick what it allows, out of what you may do yourself")
    if expires is not None and expires <= timezone.now():
        raise _refused("expires", "this time has passed", "pick one to come")
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
    """The token with this secret, its user loaded; None where it can't be used. Notes the use.

    One query for a secret of the right shape, a second at most once a minute.
    """
    if not is_secret(secret):
        return None
    now = timezone.now()
    valid = ApiToken.objects.filter(Q(expires=None) | Q(expires__gt=now), user__is_active=True)
    token = valid.select_related("user").filter(digest=_digest(secret)).first()
    if token and (token.last_used is None or token.last_used <= now - NOTED_EVERY):
        ApiToken.objects.filter(pk=token.pk).update(last_used=now)
        token.last_used = now
    return token


@transaction.atomic
def revoke_token(token: ApiToken, *, user: User) -> None:
    """Delete a token: whoever has its secret is refused from now on."""
    record_event("revoke token", f"token {token.pk}", actor=user)
    token.delete()


def _check_name(user: User, name: str) -> None:
    longest, most = ApiToken.NAME_LENGTH, settings.SUPERBOARD_MAX_TOKENS
    if not 1 <= len(name) <= longest or name != storable(name):
        raise _refused("name", f"a name has 1 to {longest:,} characters")
    mine = ApiToken.objects.filter(user=user)
    if mine.filter(name=name).exists():
        reason = f"you have a token called “{name}”"
        raise _refused("name", reason, "pick another name, or revoke that one first")
    if mine.count() >= most:
        reason = plural(
            most, "you have {n} token, the most there may be", "you have {n} tokens, the most there may be"
        )
        raise _refused("", reason, "revoke one (the limit is SUPERBOARD_MAX_TOKENS)")


def _refused(place: str, reason: str, remedy: str = "") -> InputError:
    return InputError(Problem("token", place, reason, remedy))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
