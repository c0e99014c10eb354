"""Reads the bodies and queries of requests to the API: only text that can be stored and looked up."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from ninja.parser import Parser

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.text import NOT_STORABLE, STORE_TEXT, storable, unstorable_in


class StorableParser(Parser):
    """Raises `InputError` for a NUL or a lone surrogate: with either, a database would raise an error."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        body = super().parse_body(request)
        _check(body, "body")
        return body

    def parse_querydict(
        self, data: MultiValueDict[str, Any], list_fields: list[str], request: HttpRequest
    ) -> dict[str, Any]:
        query = super().parse_querydict(data, list_fields, request)
        _check(query, "query")
        return query


def _check(value: object, source: str) -> None:
    for path in unstorable_in(value):
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
        raise InputError(Problem(source, storable(f"${place}"), NOT_STORABLE, STORE_TEXT))
