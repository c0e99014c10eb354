"""The API's reference page, made from its OpenAPI document, and the response for unknown addresses."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from leaderboard.api.site import api
from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.core.endpoints.problems import KINDS


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Every operation with its parameters, responses and refusals, in HTML without scripts."""
    schema = api.get_openapi_schema()
    context = {
        "task_sets": all_task_sets(),
        "version": schema["info"]["version"],
        "about": with_code(schema["info"]["description"]),
        "document": _document(),
    }
    return render(request, "api/reference.html", context)


@cache
def _document() -> SafeString:
    """The operations as HTML, the same for everybody; half a second of processor time, once a process."""
    schema = api.get_openapi_schema()
    context = {
        "groups": _groups(schema),
        "schemas": [
            _schema_data(name, each) for name, each in sorted(schema["components"]["schemas"].items())
        ],
        "kinds": [(kind, status, with_code(text)) for kind, (status, text) in KINDS.items()],
    }
    return render_to_string("api/reference.html#document", context)


@csrf_exempt
def not_found(request: HttpRequest) -> HttpResponse:
    """404 for an address that the API does not have, with any method."""
    raise Http404


def with_code(text: object) -> SafeString:
    """Text with its parts in backticks marked up as code."""
    pieces = enumerate(str(text).split("`"))
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", piece) if n % 2 else piece,) for n, piece in pieces)
    )


def _groups(schema: dict[str, Any]) -> list[tuple[str, list[dict[str, Any]]]]:
    """The operations by tag, in the order of the routers."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            groups.setdefault(operation["tags"][0], []).append(_operation_data(path, method, operation))
    return list(groups.items())


def _operation_data(path: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    body = operation.get("requestBody", {}).get("content", {})
    return {
        "id": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": operation["summary"],
        "description": with_code(operation.get("description", "")),
        "parameters": [
            {
                "name": each["name"],
                "in": each["in"],
                "type": _type(each["schema"]),
                "default": each["schema"].get("default", ""),
                "description": with_code(each.get("description", "")),
            }
            for each in operation["parameters"]
        ],
        "body": [(media, _type(content["schema"])) for media, content in body.items()],
        "answers": [
            (status, _answer_type(response))
            for status, response in operation["responses"].items()
            if int(status) < 400
        ],
        "refusals": [status for status in operation["responses"] if int(status) >= 400],
        "security": [name for each in operation.get("security", []) for name in each],
    }


def _answer_type(response: dict[str, Any]) -> str:
    content = list(response.get("content", {}).values())
    return _type(content[0]["schema"]) if content else str(response["description"])


def _schema_data(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    fields = [
        {"name": field, "type": _type(each), "description": with_code(each.get("description", ""))}
        for field, each in schema.get("properties", {}).items()
    ]
    return {
        "name": name,
        "description": with_code(schema.get("description", "")),
        "fields": fields,
        "values": schema.get("enum", []),
    }


def _type(schema: dict[str, Any]) -> str:
    """A short description of a JSON schema: ``array of string``, ``number or null``, ``EntryOut``."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for several in ("anyOf", "allOf", "oneOf"):
        if several in schema:
            return " or ".join(_type(each) for each in schema[several])
    if "prefixItems" in schema:
        return "[" + ", ".join(_type(each) for each in schema["prefixItems"]) + "]"
    kind = str(schema.get("type", "any"))
    if kind == "array":
        return f"array of {_type(schema.get('items', {}))}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'])}"
    return str(schema.get("format", kind)) if kind == "string" else kind
