"""How deep the containers in a value may be nested."""

from __future__ import annotations

from collections.abc import Iterable

from leaderboard.domain.trajectory import JsonValue

MAX_DEPTH = 100
"""Containers nested deeper than this are not compared: hostile nesting must not exhaust the stack."""


def is_too_deep(value: JsonValue) -> bool:
    """Whether containers in a value nest deeper than ``MAX_DEPTH``. A loop: it needs no stack."""
    level: list[JsonValue] = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for item in level for inner in _items(item)]
    return any(isinstance(item, dict | list) for item in level)


def _items(value: JsonValue) -> Iterable[JsonValue]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
