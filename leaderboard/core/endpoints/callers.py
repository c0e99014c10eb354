"""Who sends a request, and what they may do with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from ninja.security import HttpBearer, SessionAuth
from ninja.security.base import AuthBase

from leaderboard.core.endpoints.problems import Refusal, unauthorized
from leaderboard.core.endpoints.rate_limits import Usage
from leaderboard.core.permissions import can_operate, token_allows
from leaderboard.core.tokens import find_token
from leaderboard.domain.access import Scope
from leaderboard.models import ApiToken

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from leaderboard.core.permissions import Visitor


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever sends a request, in person or by a token; ``name`` is what they are counted under."""

    visitor: Visitor
    name: str
    token: ApiToken | None = None

    @property
    def known(self) -> bool:
        return self.visitor.is_authenticated

    @property
    def user(self) -> User:
        """Who asks, where an operation needs a scope: nobody whom we don't know gets so far."""
        return cast("User", self.visitor)

    def allows(self, scope: Scope) -> bool:
        """Whether the caller may do what ``scope`` stands for."""
        if self.token:
            return token_allows(self.token, scope)
        return self.known and (scope is not Scope.OPERATE or can_operate(self.visitor))


class ApiRequest(HttpRequest):
    """A request as operations get it: its sender is known, or known to be nobody, and it is counted."""

    caller: Caller
    usage: Usage


class Token(HttpBearer):
    """A token in the `Authorization` header, as far as ``scope`` needs one that allows it."""

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> bool:
        """Whether the token allows it; the middleware has found it already.

        Raises:
            Refusal: it does not.
        """
        _check(cast(ApiRequest, request).caller, self.scope)
        return True


class Session(SessionAuth):
    """Somebody who is signed in, on a page of ours: what changes something needs the CSRF token as well."""

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope

    def _get_key(self, request: HttpRequest) -> str | None:
        # Who is not signed in has nothing to forge, and is told to sign in rather
        # than of a missing CSRF token.
        return super()._get_key(request) if cast(ApiRequest, request).caller.known else None

    def authenticate(self, request: HttpRequest, key: str | None) -> bool:
        """Whether the one who is signed in may do it; false where nobody is.

        Raises:
            Refusal: they may not.
        """
        caller = cast(ApiRequest, request).caller
        if caller.token or not caller.known:
            return False
        _check(caller, self.scope)
        return True


def needs(scope: Scope) -> list[AuthBase]:
    """What an operation takes as authentication: a token with ``scope``, or the session of who has it."""
    return [Token(scope), Session(scope)]


def identify(request: HttpRequest) -> Caller:
    """Who sends ``request``: the owner of its token, the user of its session, or nobody.

    Raises:
        Refusal: it has a token that can't be used. Such a request is not taken for nobody's.
    """
    said = request.headers.get("Authorization")
    if said is not None:
        scheme, _space, secret = said.partition(" ")
        token = find_token(secret.strip()) if scheme.lower() == "bearer" else None
        if token is None:
            raise unauthorized("The token is mistyped, revoked or expired. Make another in your account.")
        if not token_allows(token, Scope.OPERATE):
            # Without that scope an operator's token is one of somebody who is none. The row is never saved.
            token.user.is_staff = False
        return Caller(token.user, f"token {token.pk}", token)
    if request.user.is_authenticated:
        return Caller(request.user, f"user {request.user.pk}")
    return anonymous(request)


def anonymous(request: HttpRequest) -> Caller:
    """Somebody we do not know, told from others by the address; behind a proxy of ours, as that says."""
    passed_on: str = request.headers.get("X-Forwarded-For", "")
    if settings.SECURE_PROXY_SSL_HEADER and passed_on:
        # The last one is the proxy's own word; those before it are whatever the sender wrote.
        return Caller(AnonymousUser(), f"address {passed_on.rpartition(',')[2].strip()}")
    return Caller(AnonymousUser(), f"address {request.META.get('REMOTE_ADDR', '')}")


def _check(caller: Caller, scope: Scope) -> None:
    if not caller.allows(scope):
        asked = f"This needs the scope “{scope}”."
        raise Refusal("forbidden", asked, scope=scope)
