"""Entity tags, so that a response that the caller already has is not sent again."""

from __future__ import annotations

import hashlib

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response


def etag_of(*stamps: object) -> str:
    """A strong entity tag for content that changes exactly when one of ``stamps`` changes."""
    return f'"{_digest(repr(stamps).encode())}"'


def etag_of_content(content: bytes) -> str:
    """A strong entity tag for a body."""
    return f'"{_digest(content)}"'


def not_modified(request: HttpRequest, tag: str) -> HttpResponse | None:
    """A 304 if the caller already has the content with this entity tag, else None."""
    response = get_conditional_response(request, etag=tag)
    if response is not None:
        response["ETag"] = tag
    return response


def with_tag(request: HttpRequest, response: HttpResponse) -> HttpResponseBase:
    """The response with the entity tag of its content, or a 304 if the caller already has it."""
    if request.method not in ("GET", "HEAD") or response.status_code != 200:
        return response
    if not response.has_header("ETag"):
        response["ETag"] = etag_of_content(response.content)
    return get_conditional_response(request, etag=response["ETag"], response=response) or response


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]
