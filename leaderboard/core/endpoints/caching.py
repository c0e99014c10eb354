"""Entity tags: who has an answer already need not be sent it again."""

from __future__ import annotations

import hashlib

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response


def tag_of(*stamps: object) -> str:
    """A strong tag for what changes exactly when one of ``stamps`` does."""
    return f'"{_digest(repr(stamps).encode())}"'


def unchanged(request: HttpRequest, tag: str) -> HttpResponse | None:
    """The 304 for a caller who has what ``tag`` stands for, before anything of it is read; else None."""
    answer = get_conditional_response(request, etag=tag)
    if answer is not None:
        answer["ETag"] = tag
    return answer


def with_tag(request: HttpRequest, response: HttpResponse) -> HttpResponseBase:
    """The response with the tag of its content, or the 304 that can stand for it."""
    if request.method not in ("GET", "HEAD") or response.status_code != 200:
        return response
    if not response.has_header("ETag"):
        response["ETag"] = f'"{_digest(response.content)}"'
    return get_conditional_response(request, etag=response["ETag"], response=response) or response


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]
