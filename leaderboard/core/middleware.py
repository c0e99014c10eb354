"""Middleware for every response of the site."""

from __future__ import annotations

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import has_vary_header, patch_cache_control

from leaderboard.core.endpoints.middleware import PREFIX
from leaderboard.core.endpoints.problems import Refusal, refusal_response
from leaderboard.core.numbers import whole_number

REFUSED: Final = re.compile(r";\s*q\s*=\s*0(\.0*)?\s*$", re.IGNORECASE)


class PrivateResponses:
    """Forbid shared caches to store responses that depend on the visitor, unless the response allows it.

    The session middleware adds `Vary: Cookie` to such a response, so this middleware wraps that one.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if has_vary_header(response, "Cookie") and not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)
        return response


class RefusedEncodings:
    """Take out of Accept-Encoding what a client refuses with `q=0`.

    All that compresses or chooses a compressed file looks there for an encoding's name alone.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        named = request.META.get("HTTP_ACCEPT_ENCODING", "").split(",")
        accepted = ",".join(each for each in named if not REFUSED.search(each))
        request.META["HTTP_ACCEPT_ENCODING"] = accepted
        return self.get_response(request)


class PermissionsPolicy:
    """Tell browsers which of their features no page of this site may use."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response["Permissions-Policy"] = settings.PERMISSIONS_POLICY
        return response


class BodyLimit:
    """Refuse a request whose body is larger than `SUPERBOARD_MAX_REQUEST_MB`, before anything reads it.

    The web server drops such a body; its length is still known.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        most: int = settings.SUPERBOARD_MAX_REQUEST_MB
        size = whole_number(request.META.get("CONTENT_LENGTH") or "0")
        if size is not None and size <= most << 20:
            return self.get_response(request)
        limit = f"This request has more than {most:,} MB (SUPERBOARD_MAX_REQUEST_MB)."
        if request.path_info.startswith(PREFIX):
            detail = f"{limit} Send a file in chunks of less: each continues at the answer's `Upload-Offset`."
            return refusal_response(request, Refusal("too-large", detail))
        status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        return render(request, "413.html", {"limit": limit}, status=status)
