"""Errors as problem details (RFC 9457): every refusal says what, where, why and what to do."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.urls import reverse
from ninja.errors import AuthenticationError, HttpError, ValidationError

from leaderboard.domain.errors import InputError, InputErrors, Problem, QuotaExceeded, UploadBusy, WrongOffset

MEDIA_TYPE = "application/problem+json"
KINDS: Mapping[str, tuple[HTTPStatus, str]] = {
    "bad-request": (HTTPStatus.BAD_REQUEST, "The request can't be understood."),
    "bad-cursor": (
        HTTPStatus.BAD_REQUEST,
        "The cursor does not belong to this list and query. Follow `next`, or begin without a cursor.",
    ),
    "unauthorized": (
        HTTPStatus.UNAUTHORIZED,
        "A token is needed, or the one that was sent can't be used.",
    ),
    "forbidden": (HTTPStatus.FORBIDDEN, "The caller may not do this."),
    "not-found": (
        HTTPStatus.NOT_FOUND,
        "There is nothing at this address, or nothing that the caller may see.",
    ),
    "method-not-allowed": (
        HTTPStatus.METHOD_NOT_ALLOWED,
        "This address does not take that method; `Allow` lists those it does.",
    ),
    "gone": (HTTPStatus.GONE, "It was withdrawn or hidden; `detail` says why."),
    "conflict": (
        HTTPStatus.CONFLICT,
        "What it is about is in another state than this needs.",
    ),
    "wrong-offset": (
        HTTPStatus.CONFLICT,
        "The chunk does not begin where the bytes received so far end; see `Upload-Offset`.",
    ),
    "upload-busy": (
        HTTPStatus.CONFLICT,
        "Another sender is sending the same upload; try again in a moment.",
    ),
    "over-quota": (
        HTTPStatus.FORBIDDEN,
        "A limit of the team's is reached; `problems` says which, and when there is room again.",
    ),
    "length-required": (
        HTTPStatus.LENGTH_REQUIRED,
        "A chunk is sent with its `Content-Length`.",
    ),
    "wrong-type": (
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        "A chunk is sent as `application/offset+octet-stream`.",
    ),
    "malformed": (
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "The request does not have the form that this address takes; `problems` says where.",
    ),
    "unusable": (
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "What was sent can't be used; `problems` says where and why.",
    ),
    "too-many-requests": (
        HTTPStatus.TOO_MANY_REQUESTS,
        "Too many requests in this minute; `Retry-After` says when to come back.",
    ),
    "internal-server-error": (
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "Something broke on our side, and nothing was changed. Try again later.",
    ),
}
"""Every kind of refusal: its status, and what it means."""


class Refusal(Exception):
    """A request is refused; ``kind`` is one of ``KINDS``, whose words stand where ``detail`` is empty.

    ``more`` holds further members of the answer, ``headers`` further headers.
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
        self.status, meaning = KINDS[kind]
        self.detail = detail or str(meaning)
        self.problems = tuple(problems)
        self.headers = headers or {}
        self.more = more
        super().__init__(self.detail)


def answer(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """A refusal as a response."""
    kind = f"{reverse('api-reference')}#{refusal.kind}"
    said = {"detail": refusal.detail, "problems": [problem_data(each) for each in refusal.problems]}
    return _response(request, refusal.status, kind, {**said, **refusal.more}, refusal.headers)


def answer_for_status(request: HttpRequest, status: int, headers: Mapping[str, str]) -> HttpResponse:
    """The response where a part of the site that knows nothing of problem details refused with ``status``."""
    for kind, (known, _meaning) in KINDS.items():
        if known == status:
            return answer(request, Refusal(kind, headers=headers))
    other = HTTPStatus(status)
    return _response(
        request, other, "about:blank", {"detail": other.description or other.phrase, "problems": []}, headers
    )


def problem_data(problem: Problem) -> dict[str, str]:
    """One thing wrong with an input."""
    return {name: getattr(problem, name) for name in ("file", "place", "reason", "remedy")}


def refusal_for(error: Exception) -> Refusal | None:
    """What an exception of ours, Django's or ninja's means to the caller; None where it is a bug."""
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
            return Refusal("bad-request", "The connection broke off; what had arrived is kept.")
        case HttpError(status_code=HTTPStatus.FORBIDDEN):
            return Refusal("forbidden", error.message)
        case HttpError(status_code=HTTPStatus.BAD_REQUEST):
            return Refusal("bad-request", error.message)
    return None


def _unusable(error: InputError) -> Refusal:
    match error:
        case WrongOffset():
            here = {"Upload-Offset": str(error.received)}
            return Refusal("wrong-offset", problems=(error.problem,), headers=here)
        case UploadBusy():
            return Refusal("upload-busy", problems=(error.problem,), headers={"Retry-After": "1"})
        case QuotaExceeded():
            return Refusal("over-quota", problems=(error.problem,))
        case InputErrors():
            return Refusal("unusable", problems=error.problems)
    return Refusal("unusable", problems=(error.problem,))


def unauthorized(detail: str) -> Refusal:
    """Nobody whom we know sent the request."""
    return Refusal("unauthorized", detail, headers={"WWW-Authenticate": 'Bearer realm="superboard"'})


def _response(
    request: HttpRequest, status: HTTPStatus, kind: str, said: dict[str, Any], headers: Mapping[str, str]
) -> HttpResponse:
    content = {
        "type": kind,
        "title": status.phrase,
        "status": status.value,
        "instance": request.path,
        **said,
    }
    text = json.dumps(content, ensure_ascii=False)
    return HttpResponse(text, status=status, content_type=MEDIA_TYPE, headers=dict(headers))


def _located(error: Mapping[str, Any]) -> Problem:
    """A finding of pydantic's: ``('body', 'form', 'links', 0)`` is ``$.links[0]`` of the body."""
    source, *path = error["loc"]
    # Ninja names the operation's own parameter first, which callers know nothing of.
    path = path[1:] if source == "body" else path
    place = "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in path)
    return Problem(source, f"${place}" if place else "", error["msg"])
