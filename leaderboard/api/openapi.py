"""The OpenAPI document: what ninja says of each operation, and what holds for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from django.conf import settings

from leaderboard.core.endpoints.problems import KINDS, MEDIA_TYPE

PROBLEM_REF = "#/components/schemas/ProblemDetails"
ALWAYS = (429, 500)
"""Statuses that every operation can answer with."""
HEADERS = {
    "ETag": "Names this very answer. Send it as `If-None-Match` to be told 304 while it holds.",
    "RateLimit-Limit": "Requests a minute.",
    "RateLimit-Remaining": "Requests left in this minute.",
    "RateLimit-Reset": "Seconds until the next minute.",
}
RATE_HEADERS = tuple(name for name in HEADERS if name.startswith("RateLimit"))


def complete(schema: dict[str, Any], problem_schema: dict[str, Any]) -> None:
    """Add to ``schema``, in place, what is not said operation by operation.

    That is summaries from docstrings, refusals as problem details, headers, and that tokens are optional
    where no scope is asked for.

    Args:
        schema: as ninja makes it.
        problem_schema: the JSON schema of a refusal.
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
    for operation in _drop_heads(schema["paths"]):
        _complete_operation(operation)


def _meanings() -> dict[HTTPStatus, list[str]]:
    meanings: dict[HTTPStatus, list[str]] = {}
    for status, text in KINDS.values():
        meanings.setdefault(status, []).append(str(text))
    return meanings


def _drop_heads(paths: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every operation; HEAD goes without saying where there is GET."""
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
        operation["responses"][304] = {"description": "What the caller has still holds."}
    for status in sorted({*_refusals(operation), *ALWAYS}):
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
