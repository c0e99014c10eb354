"""Around every page: who may ask, and what the page may do."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from leaderboard.core.content_policy import DIRECTIVES, PERMISSIONS

HEADERS: Final = {
    "Content-Security-Policy": "; ".join(f"{name} {' '.join(each)}" for name, each in DIRECTIVES.items()),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": PERMISSIONS,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Guard:
    """Answers only to this machine's own names, and only to what reads; sets the site's headers."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase | None = _refusal(request)
        if response is None:
            # As django-htmx's middleware: templates and views ask whether a part of the page is enough.
            setattr(request, "htmx", request.headers.get("HX-Request") == "true")  # noqa: B010 - no attribute of it
            response = self.get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        # A file may have changed by the next time.
        response.headers.setdefault("Cache-Control", "no-store")
        return response


def _refusal(request: HttpRequest) -> HttpResponse | None:
    try:
        request.get_host()
    except DisallowedHost:
        return _plain("Open this page under the address that the command printed.", HTTPStatus.BAD_REQUEST)
    if request.method not in ("GET", "HEAD"):
        return _plain("These pages can only be read.", HTTPStatus.METHOD_NOT_ALLOWED, Allow="GET, HEAD")
    return None


def _plain(text: str, status: HTTPStatus, **headers: Any) -> HttpResponse:
    return HttpResponse(f"{text}\n", status=status, headers=headers, content_type="text/plain; charset=utf-8")
