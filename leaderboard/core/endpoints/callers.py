"""Authentication: who sends a request, and which scopes they have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from ninja.security import HttpBearer, SessionAuth
from ninja.security.base import AuthBase

from leaderboard.core.endpoints.problems import Refusal, unauthorized
from leaderboard.core.endpoints.rate_limits import Usage
from leaderboard.core.permissions import Visitor, can_operate, token_allows
from leaderboard.core.tokens import find_token
from leaderboard.domain.access import Scope
from leaderboard.models import ApiToken


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request, with a session, a token or neither; rate limits count by ``name``."""

    visitor: Visitor
    name: str
    token: ApiToken | None = None

    @property
    def authenticated(self) -> bool:
        return self.visitor.is_authenticated

    @property
    def user(self) -> User:
        """The user, in operations that require a scope: they refuse anonymous callers."""
        return cast(User, self.visitor)

    def allows(self, scope: Scope) -> bool:
        """Whether the caller has ``scope``."""
        if self.token:
            return token_allows(self.token, scope)
        return self.authenticated and (scope is not Scope.OPERATE or can_operate(self.visitor))

    def check(self, scope: Scope) -> None:
        """Raise `Refusal` unless the caller has ``scope``."""
        if not self.allows(scope):
            raise Refusal("forbidden", f"This needs the scope “{scope}”.", scope=scope)


class ApiRequest(HttpRequest):
    """A request as operations receive it: the middleware has identified its caller and counted it."""

    caller: Caller
    usage: Usage


class Token(HttpBearer):
    """Authentication by a token in the `Authorization` header that allows ``scope``."""

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> bool:
        # The middleware has already looked up the token.
        cast(ApiRequest, request).caller.check(self.scope)
        return True


class Session(SessionAuth):
    """Authentication by the site's session: requests that change something also need the CSRF token."""

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope

    def _get_key(self, request: HttpRequest) -> str | None:
        # Without a session no request can be forged: the error is that the caller has to sign in, and not a
        # missing CSRF token.
        return super()._get_key(request) if cast(ApiRequest, request).caller.authenticated else None

    def authenticate(self, request: HttpRequest, key: str | None) -> bool:
        caller = cast(ApiRequest, request).caller
        if caller.token or not caller.authenticated:
            return False
        caller.check(self.scope)
        return True


def require_scope(scope: Scope) -> list[AuthBase]:
    """The authentication of an operation: a token with ``scope``, or the session of a user who has it."""
    return [Token(scope), Session(scope)]


def identify_caller(request: HttpRequest) -> Caller:
    """The sender of ``request``: the owner of its token, the user of its session, or an anonymous caller.

    Raises:
        Refusal: its token is not valid. Such a request is not treated as anonymous.
    """
    header = request.headers.get("Authorization")
    if header is not None:
        scheme, _space, secret = header.partition(" ")
        token = find_token(secret.strip()) if scheme.lower() == "bearer" else None
        if token is None:
            raise unauthorized("The token is mistyped, revoked or expired. Make another in your account.")
        if not token_allows(token, Scope.OPERATE):
            # Without that scope an operator's token has no operator's permissions. The user is never saved.
            token.user.is_staff = False
        return Caller(token.user, f"token {token.pk}", token)
    if request.user.is_authenticated:
        return Caller(request.user, f"user {request.user.pk}")
    return anonymous_caller(request)


def anonymous_caller(request: HttpRequest) -> Caller:
    """An anonymous caller, identified by IP address; behind a trusted proxy, by the forwarded address."""
    address = request.META.get("REMOTE_ADDR", "")
    forwarded: str = request.headers.get("X-Forwarded-For", "")
    if settings.SECURE_PROXY_SSL_HEADER and forwarded:
        # The proxy adds the last address; the sender can forge those before it.
        address = forwarded.rpartition(",")[2].strip()
    return Caller(AnonymousUser(), f"address {address}")
