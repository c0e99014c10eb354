"""Middleware for every request to the API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_vary_headers

from leaderboard.core.endpoints import problems, rate_limits
from leaderboard.core.endpoints.callers import ApiRequest, anonymous_caller, identify_caller

PREFIX = "/api/v1/"
VARIES_ON = ("Authorization", "Cookie", "Accept-Language")


class ApiMiddleware:
    """Identify the caller, apply the rate limit, and add headers and problem details to responses.

    It comes first, so that it also converts the refusals of all other middleware into problem details.
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
            rate_limits.add_rate_limit_headers(response, usage)
        caller = getattr(request, "caller", None)
        if not response.has_header("Cache-Control"):
            response["Cache-Control"] = _cache_control(
                response, authenticated=caller is None or caller.authenticated
            )
        patch_vary_headers(response, VARIES_ON)
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponseBase], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        if not request.path_info.startswith(PREFIX):
            return None
        api_request = cast(ApiRequest, request)
        refusal: problems.Refusal | None = None
        try:
            api_request.caller = identify_caller(request)
        except problems.Refusal as error:
            api_request.caller, refusal = anonymous_caller(request), error
        caller = api_request.caller
        usage = rate_limits.count_request(name=caller.name, authenticated=caller.authenticated)
        api_request.usage = usage
        if usage.exceeded:
            refusal = rate_limits.rate_limit_refusal(usage)
        return problems.refusal_response(request, refusal) if refusal else None


def _as_problem(request: HttpRequest, response: HttpResponseBase) -> HttpResponse:
    kept = {name: response[name] for name in ("Allow", "Retry-After") if response.has_header(name)}
    return problems.response_for_status(request, response.status_code, kept)


def _cache_control(response: HttpResponseBase, *, authenticated: bool) -> str:
    if response.status_code >= 400:
        return "no-store"
    # Caches may store it, but must validate it by its ETag before each use.
    return "private, no-cache" if authenticated else "public, no-cache"
