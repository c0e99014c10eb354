"""The OpenAPI document is valid and complete, and the reference shows all of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from openapi_spec_validator import validate

from tests.api.calls import address

pytestmark = pytest.mark.django_db


@pytest.fixture
def schema(client: Client) -> Any:
    return client.get(address("openapi-json")).json()


def operations(schema: Any) -> Iterator[tuple[str, str, Any]]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_it_is_valid(schema: Any) -> None:
    validate(schema)


def test_every_operation_is_documented(schema: Any) -> None:
    names = [operation["operationId"] for _, _, operation in operations(schema)]
    assert len(set(names)) == len(names) > 10

    for path, method, operation in operations(schema):
        assert operation["summary"], path
        assert operation["tags"], path
        for parameter in operation["parameters"]:
            assert parameter["in"] == "path" or parameter["description"], (path, parameter["name"])
        answers = {int(status) for status in operation["responses"]}
        assert {429, 500, 401} < answers
        assert any(status < 300 for status in answers)
        assert (404 in answers) == ("{" in path)
        assert method != "get" or 304 in answers


def test_every_refusal_is_a_problem_detail(schema: Any) -> None:
    for path, _, operation in operations(schema):
        for status, response in operation["responses"].items():
            if int(status) >= 400:
                name = response["$ref"].rpartition("/")[2]
                content = schema["components"]["responses"][name]["content"]
                assert list(content) == ["application/problem+json"], path


def test_reading_needs_no_token(schema: Any) -> None:
    for path, method, operation in operations(schema):
        private = path.endswith(("/me", "/preview", "/gold-checks", "/teams/waiting")) or "/uploads" in path
        assert ({} in operation["security"]) == (method == "get" and not private), path


def test_the_reference_shows_every_operation_without_a_script(client: Client, schema: Any) -> None:
    page = client.get(reverse("api-reference")).content.decode()

    for path, _, operation in operations(schema):
        assert f'id="{operation["operationId"]}"' in page
        assert path in page
    for name in schema["components"]["schemas"]:
        assert f'id="schema-{name}"' in page
