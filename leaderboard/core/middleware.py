"""Middleware for every response of the site."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.utils.cache import has_vary_header, patch_cache_control


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
