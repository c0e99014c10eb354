"""The API: its routers, its refusals and its OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from leaderboard.accounts import api as account
from leaderboard.api import openapi
from leaderboard.attempts import api as attempts
from leaderboard.boards import api as boards
from leaderboard.catalogue import api as catalogue
from leaderboard.comparing import api as comparing
from leaderboard.core.endpoints import problems
from leaderboard.core.endpoints.caching import with_tag
from leaderboard.core.endpoints.parsing import StorableParser
from leaderboard.core.endpoints.routers import ROUTERS
from leaderboard.core.endpoints.schemas import ProblemDetails
from leaderboard.entries import api as entries
from leaderboard.operating import api as operating
from leaderboard.runs import api as runs
from leaderboard.search import api as search
from leaderboard.tasks import api as tasks
from leaderboard.uploads import api as uploads

OPERATIONS = (
    *(account, attempts, boards, catalogue, comparing, entries),
    *(operating, runs, search, tasks, uploads),
)
"""Importing these modules registers their operations on the routers."""
DESCRIPTION = (
    "Boards, entries, tasks and trajectories as data. Reading needs no account. Lists come in pages: follow "
    "`next`. Refusals are problem details (RFC 9457)."
)


class Api(NinjaAPI):
    """Ninja with entity tags, problem details, and a completed OpenAPI document."""

    def create_response(self, request: HttpRequest, data: Any, **options: Any) -> HttpResponse:
        return cast(HttpResponse, with_tag(request, super().create_response(request, data, **options)))

    def on_exception(self, request: HttpRequest, exc: Any) -> HttpResponse:
        refusal = problems.refusal_for(exc)
        if refusal is None:
            # A bug: Django logs it and answers 500, which the middleware turns into a problem.
            raise exc
        return problems.refusal_response(request, refusal)

    def get_openapi_operation_id(self, operation: Operation) -> str:
        return operation.view_func.__name__

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        schema = super().get_openapi_schema(**options)
        openapi.complete_schema(
            schema, ProblemDetails.model_json_schema(ref_template="#/components/schemas/{model}")
        )
        return schema


def _tagged(view: Callable[..., Any]) -> Callable[..., Any]:
    return lambda request: with_tag(request, view(request))


api = Api(
    parser=StorableParser(),
    title="Superboard",
    version="1",
    description=DESCRIPTION,
    urls_namespace="api",
    docs_url=None,
    # It decorates the view of the OpenAPI document.
    docs_decorator=_tagged,
)
for router in ROUTERS:
    api.add_router("", router)
