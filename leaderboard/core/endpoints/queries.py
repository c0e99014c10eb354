"""Query parameters: an unknown one is refused, or a mistyped filter would answer with everything."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from ninja.operation import Operation

from leaderboard.core.endpoints.problems import Refusal, refusal_response
from leaderboard.domain.errors import Problem

Run = Callable[..., HttpResponseBase]


def only_known_parameters(run: Run) -> Run:
    """Decorate the method that runs an operation."""
    known = _query_parameters(run.__self__)  # type: ignore[attr-defined]
    remedy = f"known are: {', '.join(known)}" if known else "this address takes none"

    @wraps(run)
    def checked(request: HttpRequest, **path: Any) -> HttpResponseBase:
        unknown = [name for name in request.GET if name not in known]
        if not unknown:
            return run(request, **path)
        problems = [
            Problem("query", f"$.{name[:100]}", "there is no such parameter", remedy) for name in unknown
        ]
        return refusal_response(request, Refusal("malformed", problems=problems))

    return checked


def _query_parameters(operation: Operation) -> list[str]:
    models = [each for each in operation.models if each.__ninja_param_source__ == "query"]
    return sorted(name for model in models for name in model.__ninja_flatten_map__)
