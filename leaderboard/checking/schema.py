"""Holds a description against entry.schema.json, and says what is wrong in our own words."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import kind_of_json

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

Fault = tuple[tuple[str | int, ...], str, str]
"""The path of a value, what is wrong with it, and what to do."""


@cache
def entry_schema() -> dict[str, Any]:
    """The JSON schema of a description."""
    text = resources.files("leaderboard.checking").joinpath("entry.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def faults_of(data: JsonValue) -> list[Fault]:
    """All that is wrong with a description, in the order of the document."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - slow to import

    validator = Draft202012Validator(entry_schema())
    found: dict[str, Fault] = {}
    for error in validator.iter_errors(data):
        for path, reason, remedy in _faults(error):
            found.setdefault(str((path, reason)), (path, reason, remedy))
    if isinstance(data, dict) and isinstance(cost := data.get("cost"), float) and not math.isfinite(cost):
        found["cost"] = (("cost",), "it is not a number", "leave it out where it is unknown")
    return sorted(found.values(), key=lambda fault: str(fault[0]))


def _faults(error: ValidationError) -> Iterator[Fault]:
    if error.validator == "anyOf":
        # Of the two shapes that are allowed, the one that was meant tells what is wrong.
        meant = [
            inner for inner in error.context or () if isinstance(error.instance, dict) == _of_object(inner)
        ]
        for inner in meant:
            yield from _faults(inner)
        return
    path = tuple(error.absolute_path)
    value = error.instance
    limit: Any = error.validator_value
    match error.validator:
        case "additionalProperties":
            yield from _unknown_keys(path, value, list(_properties(error)))
        case "pattern":
            yield path, *_pattern_fault(path)
        case "minLength":
            yield path, "it is empty", "leave the key out where it is unknown"
        case "required":
            yield path, f"the key {limit[0]} is missing", ""
        case "type":
            yield path, f"it is {kind_of_json(value)}, not {limit}", ""
        case "maxLength" | "maxItems":
            yield path, f"it is longer than {limit:,}", "shorten it"
        case _:
            yield path, "it is not a number from 0 to 1,000,000,000", ""


def _properties(error: ValidationError) -> dict[str, Any]:
    schema: Any = error.schema
    properties: dict[str, Any] = schema["properties"]
    return properties


def _unknown_keys(path: tuple[str | int, ...], value: Any, known: list[str]) -> Iterator[Fault]:
    for key in sorted(set(value) - set(known)):
        near = difflib.get_close_matches(key[:50], known, n=1)
        remedy = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(known)}"
        yield (*path, key[:50]), "there is no such key", remedy


def _of_object(error: ValidationError) -> bool:
    """Whether an error is of the shape that is an object with keys."""
    return error.schema_path[0] == 1


def _pattern_fault(path: tuple[str | int, ...]) -> tuple[str, str]:
    if path[-1] in ("benchmark", "set"):
        return "it is no slug", "write it as in the board's address: small letters, digits and -"
    if path[-1] == "url" or ("links" in path[:1] and path[-1] != "label"):
        return "it is no address", "begin it with https:// or http://"
    return "there are control characters in it", "write it on one line"
