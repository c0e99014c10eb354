"""What holds for every request to the API, whatever part of the site answers it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_vary_headers

from leaderboard.core.endpoints import problems, rate_limits
from leaderboard.core.endpoints.callers import ApiRequest, anonymous, identify

PREFIX = "/api/v1/"
VARIES_ON = ("Authorization", "Cookie", "Accept-Language")


class ApiMiddleware:
    """Identify the caller, count the request, and see that answers have the API's headers and form.

    It stands first, so that a refusal by any other part of the site is a problem too.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not request.path_info.startswith(PREFIX):
            return response
        if response.status_code >= 400 and response.get("Content-Type") != problems.MEDIA_TYPE:
            response = _as_problem(request, response)
        if usage := getattr(request, "usage", None):
            rate_limits.add_headers(response, usage)
        caller = getattr(request, "caller", None)
        if not response.has_header("Cache-Control"):
            response["Cache-Control"] = _caching(response, known=caller is None or caller.known)
        patch_vary_headers(response, VARIES_ON)
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponseBase], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        if not request.path_info.startswith(PREFIX):
            return None
        asked = cast(ApiRequest, request)
        refusal: problems.Refusal | None = None
        try:
            asked.caller = identify(request)
        except problems.Refusal as error:
            asked.caller, refusal = anonymous(request), error
        asked.usage = rate_limits.count_request(name=asked.caller.name, known=asked.caller.known)
        if asked.usage.exceeded:
            refusal = rate_limits.too_many(asked.usage)
        return problems.answer(request, refusal) if refusal else None


def _as_problem(request: HttpRequest, response: HttpResponseBase) -> HttpResponse:
    kept = {name: response[name] for name in ("Allow", "Retry-After") if response.has_header(name)}
    return problems.answer_for_status(request, response.status_code, kept)


def _caching(response: HttpResponseBase, *, known: bool) -> str:
    if response.status_code >= 400:
        return "no-store"
    # Kept, but never used without asking whether it still holds: that is what the ETag is for.
    return "private, no-cache" if known else "public, no-cache"
