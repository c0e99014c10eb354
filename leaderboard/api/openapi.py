"""The OpenAPI document: ninja's description of each operation, and additions for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from django.conf import settings

from leaderboard.core.endpoints.problems import KINDS, MEDIA_TYPE

PROBLEM_REF = "#/components/schemas/ProblemDetails"
COMMON_STATUSES = (429, 500)
"""Error statuses that every operation can respond with."""
HEADERS = {
    "ETag": "Identifies this version of the response. Send it as `If-None-Match` to get 304 if unchanged.",
    "RateLimit-Limit": "Requests allowed in a minute.",
    "RateLimit-Remaining": "Requests left in this minute.",
    "RateLimit-Reset": "Seconds until the next minute.",
}
RATE_HEADERS = tuple(name for name in HEADERS if name.startswith("RateLimit"))


def complete_schema(schema: dict[str, Any], problem_schema: dict[str, Any]) -> None:
    """Complete ``schema`` in place with what ninja does not know.

    That is summaries from docstrings, refusals as problem details (``problem_schema``), headers, and optional
    authentication for operations that require no scope.
    """
    components = schema["components"]
    components["schemas"] |= {**problem_schema.pop("$defs", {}), "ProblemDetails": problem_schema}
    components["securitySchemes"] = {
        "Token": {"type": "http", "scheme": "bearer", "description": "A token from the account's page."},
        "Session": {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME},
    }
    components["headers"] = {
        name: {"description": text, "schema": {"type": "string" if name == "ETag" else "integer"}}
        for name, text in HEADERS.items()
    }
    components["responses"] = {
        f"Problem{status.value}": {
            "description": " ".join(texts),
            "content": {MEDIA_TYPE: {"schema": {"$ref": PROBLEM_REF}}},
        }
        for status, texts in _meanings().items()
    }
    for operation in _operations_without_head(schema["paths"]):
        _complete_operation(operation)


def _meanings() -> dict[HTTPStatus, list[str]]:
    meanings: dict[HTTPStatus, list[str]] = {}
    for status, text in KINDS.values():
        meanings.setdefault(HTTPStatus(status), []).append(text)
    return meanings


def _operations_without_head(paths: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every operation, after removing each HEAD that equals its GET."""
    for methods in paths.values():
        if methods.get("head") == methods.get("get"):
            methods.pop("head", None)
        for method, operation in methods.items():
            operation["x-method"] = method
            yield operation


def _complete_operation(operation: dict[str, Any]) -> None:
    summary, _, rest = operation.pop("description", "").partition("\n\n")
    operation["summary"] = summary.rstrip(".")
    if rest:
        operation["description"] = rest
    operation.setdefault("security", [{}, {"Token": []}, {"Session": []}])
    reading = operation.pop("x-method") == "get"
    for status, response in operation["responses"].items():
        names = ("ETag", *RATE_HEADERS) if reading and status == 200 else RATE_HEADERS
        response["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
    if reading:
        operation["responses"][304] = {"description": "The caller's version is current."}
    for status in sorted({*_refusals(operation), *COMMON_STATUSES}):
        operation["responses"][status] = {"$ref": f"#/components/responses/Problem{status}"}


def _refusals(operation: dict[str, Any]) -> Iterator[int]:
    places = {(parameter["in"], parameter["name"]) for parameter in operation["parameters"]}
    yield 401
    if {} not in operation["security"]:
        yield 403
    if ("query", "cursor") in places or operation.get("requestBody"):
        yield 400
    if any(place == "path" for place, _ in places):
        yield 404
    if ("header", "Upload-Offset") in places:
        yield from (409, 411, 415)
    if operation["operationId"] == "publish":
        yield 409
    if any(name in ("slug", "pk") and place == "path" for place, name in places):
        yield 410
    if places or "requestBody" in operation:
        yield 422
