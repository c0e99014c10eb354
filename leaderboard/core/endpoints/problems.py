"""Errors as problem details (RFC 9457)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.urls import reverse
from ninja.errors import AuthenticationError, HttpError, ValidationError

from leaderboard.domain.errors import InputError, Problem, QuotaExceeded, UploadBusy, WrongOffset
from leaderboard.domain.text import storable

MEDIA_TYPE = "application/problem+json"
KINDS: Mapping[str, tuple[int, str]] = {
    "bad-request": (400, "The request is malformed."),
    "bad-cursor": (
        400,
        "The cursor does not belong to this list and query. Follow `next`, or begin without a cursor.",
    ),
    "unauthorized": (401, "The request needs a token, or its token is not valid."),
    "forbidden": (403, "The caller does not have the permission."),
    "not-found": (404, "There is nothing at this address, or nothing that the caller may see."),
    "method-not-allowed": (405, "This address does not allow the method; `Allow` lists the allowed ones."),
    "gone": (410, "It was withdrawn, hidden or replaced; `detail` says why."),
    "conflict": (409, "The state of the object does not allow this."),
    "wrong-offset": (
        409,
        "The chunk does not begin where the bytes received so far end; see `Upload-Offset`.",
    ),
    "upload-busy": (409, "A newer request sends the same upload; ask for its offset, and go on there."),
    "over-quota": (403, "The team reached a quota; `problems` says which, and when there is room again."),
    "length-required": (411, "A chunk needs a `Content-Length` header."),
    "too-large": (
        413,
        "What is sent or asked for is larger than this site accepts; `detail` names the limit.",
    ),
    "wrong-type": (415, "A chunk needs the `Content-Type` `application/offset+octet-stream`."),
    "malformed": (422, "The request does not match the schema; `problems` says where."),
    "unusable": (422, "What was sent can't be used; `problems` says where and why."),
    "too-many-requests": (429, "Too many requests in this minute; `Retry-After` says when to try again."),
    "internal-server-error": (500, "Internal error; nothing was changed. Try again later."),
}
"""Every kind of refusal: its status and its meaning."""


class Refusal(Exception):
    """A request is refused; ``kind`` is a key of ``KINDS``, whose meaning is the default of ``detail``.

    ``more`` are further members of the response's JSON, ``headers`` further headers.
    """

    def __init__(
        self,
        kind: str,
        detail: str = "",
        *,
        problems: Iterable[Problem] = (),
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        self.kind = kind
        status, meaning = KINDS[kind]
        self.status = HTTPStatus(status)
        self.detail = detail or meaning
        self.problems = tuple(problems)
        self.headers = headers or {}
        self.more = more
        super().__init__(self.detail)


def refusal_response(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    kind = f"{reverse('api-reference')}#{refusal.kind}"
    problems = [asdict(each) for each in refusal.problems]
    members = {"detail": refusal.detail, "problems": problems, **refusal.more}
    return _response(request, refusal.status, kind, members, refusal.headers)


def response_for_status(request: HttpRequest, status: int, headers: Mapping[str, str]) -> HttpResponse:
    """Problem details for an error response with ``status`` from another part of the site."""
    for kind, (kind_status, _meaning) in KINDS.items():
        if kind_status == status:
            return refusal_response(request, Refusal(kind, headers=headers))
    other = HTTPStatus(status)
    members = {"detail": other.description or other.phrase, "problems": []}
    return _response(request, other, "about:blank", members, headers)


def form_problems(form: Form, *, file: str) -> list[Problem]:
    """The errors of a page's form, as problems of ``file``."""
    return [
        Problem(file, "" if name == "__all__" else f"$.{name}", str(error))
        for name, errors in form.errors.items()
        for error in errors
    ]


def refusal_for(error: Exception) -> Refusal | None:
    """The refusal for an exception of the site, Django or ninja; None if the exception is a bug."""
    match error:
        case Refusal():
            return error
        case InputError():
            return _unusable(error)
        case ValidationError():
            return Refusal("malformed", problems=[_located(each) for each in error.errors])
        case AuthenticationError():
            return unauthorized("Sign in, or send a token: `Authorization: Bearer …`.")
        case Http404():
            return Refusal("not-found", str(error))
        case PermissionDenied():
            return Refusal("forbidden")
        case UnreadablePostError():
            return Refusal("bad-request", "The connection broke; the bytes that had arrived are kept.")
        case HttpError(status_code=HTTPStatus.FORBIDDEN):
            return Refusal("forbidden", error.message)
        case HttpError(status_code=HTTPStatus.BAD_REQUEST):
            return _bad_request(error)
    return None


def _bad_request(error: HttpError) -> Refusal:
    # Ninja raises its own error in place of what `StorableParser` raised.
    if isinstance(error.__cause__, InputError):
        return Refusal("malformed", problems=error.__cause__.problems)
    return Refusal("bad-request", error.message)


def _unusable(error: InputError) -> Refusal:
    match error:
        case WrongOffset():
            return Refusal(
                "wrong-offset", problems=error.problems, headers={"Upload-Offset": str(error.received)}
            )
        case UploadBusy():
            return Refusal("upload-busy", problems=error.problems, headers={"Retry-After": "1"})
        case QuotaExceeded():
            return Refusal("over-quota", problems=error.problems)
    return Refusal("unusable", problems=error.problems)


def unauthorized(detail: str) -> Refusal:
    """The refusal of a request without valid authentication."""
    return Refusal("unauthorized", detail, headers={"WWW-Authenticate": 'Bearer realm="superboard"'})


def _response(
    request: HttpRequest, status: HTTPStatus, kind: str, members: dict[str, Any], headers: Mapping[str, str]
) -> HttpResponse:
    content = {
        "type": kind,
        "title": status.phrase,
        "status": status.value,
        "instance": request.path,
        **members,
    }
    text = json.dumps(content, ensure_ascii=False)
    # A problem may quote what was sent.
    return HttpResponse(storable(text), status=status, content_type=MEDIA_TYPE, headers=dict(headers))


def _located(error: Mapping[str, Any]) -> Problem:
    """A pydantic error with its place: ``('body', 'form', 'links', 0)`` is ``$.links[0]`` of the body."""
    source, *path = error["loc"]
    # Ninja puts the name of the operation's Python parameter first, which callers do not know.
    path = path[1:] if source == "body" else path
    place = "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in path)
    return Problem(source, f"${place}" if place else "", error["msg"])
