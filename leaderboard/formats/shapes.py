"""Checks whether a value in a parsed file is the list or the object that it should be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeVar

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import Notes, kind_of_json

EXPORT_AGAIN: Final = "export the run again"
NEVER_BEGAN: Final = "leave out attempts that never began"

MAX_NAME: Final = 200
"""Characters of a model's or an agent's name that are kept."""

_T = TypeVar("_T")


def expect(
    kind: type[_T], value: JsonValue, sentence: str, *, name: str, place: str, remedy: str = EXPORT_AGAIN
) -> _T:
    """The value if it is of this type, else an `InputError`: ``{}`` in its sentence is what the value is."""
    if isinstance(value, kind):
        return value
    raise InputError(Problem(name, place, sentence.format(kind_of_json(value)), remedy))


def expect_objects(
    items: JsonValue, of_list: str, of_item: str, *, name: str, place: str, remedy: str = EXPORT_AGAIN
) -> Iterator[tuple[str, dict[str, JsonValue]]]:
    """As `expect`, each object in a list with its place; ``{n}`` in an item's sentence is its number."""
    found = expect(list, items, of_list, name=name, place=place, remedy=remedy)
    for number, item in enumerate(found, start=1):
        if not isinstance(item, dict):
            reason = of_item.format(kind_of_json(item), n=f"{number:,}")
            raise InputError(Problem(name, f"{place}[{number - 1}]", reason, remedy))
        yield f"{place}[{number - 1}]", item


def as_object(value: JsonValue) -> dict[str, JsonValue]:
    """An object as it is; anything else as one without keys."""
    return value if isinstance(value, dict) else {}


def as_objects(value: JsonValue) -> list[dict[str, JsonValue]]:
    """The objects in a list; none in anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def as_object_or_note(value: JsonValue, *, place: str, notes: Notes) -> dict[str, JsonValue]:
    """As `as_object`, with a warning if the value is not an object."""
    if not isinstance(value, dict):
        notes.add(place, f"{kind_of_json(value)} where an object was expected; left out")
    return as_object(value)


def name_in(value: JsonValue) -> str:
    """The name of a model or an agent in a file; empty for anything but text."""
    return value.strip()[:MAX_NAME] if isinstance(value, str) else ""
