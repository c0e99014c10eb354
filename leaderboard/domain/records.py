"""Checks the keys and the types of records that people write by hand."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from leaderboard.domain.errors import Problem
from leaderboard.domain.readable import is_readable, is_visible
from leaderboard.domain.text import NOT_STORABLE, STORE_TEXT, storable

_WORDS: Final[Mapping[type, str]] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    type(None): "null",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """What a kind of record looks like.

    Attributes:
        what: its name in messages, such as ``a metric``.
        types: the types of each key's value.
        required: the keys whose value must not be empty; a number is never empty.
        longest: the most characters of a text, where it is limited.
        prose: the keys of texts that may have lines; other texts are names, of which all can be seen.
    """

    what: str
    types: Mapping[str, tuple[type, ...]]
    required: tuple[str, ...] = ()
    longest: Mapping[str, int] | None = None
    prose: tuple[str, ...] = ()

    def problems(self, record: Any, *, place: str, file: str) -> Iterator[Problem]:
        """Everything that is wrong with a record's keys and types."""
        keys = ", ".join(self.types)
        if not isinstance(record, dict):
            yield Problem(file, place, f"it is not an object, as {self.what} is", f"its keys are {keys}")
            return
        for key in self.required:
            if _is_empty(record.get(key)):
                yield Problem(file, f"{place}.{key}", "it is missing or empty", f"{self.what} needs one")
        for key, value in record.items():
            where = f"{place}.{str(key)[:50]}"
            if key not in self.types:
                near = difflib.get_close_matches(str(key)[:50], self.types, n=1)
                remedy = f"did you mean {near[0]}?" if near else f"the keys are {keys}"
                yield Problem(file, where, f"{self.what} has no such key", remedy)
            elif key not in self.required or not _is_empty(value):
                yield from self._value_problems(key, value, where, file)

    def _value_problems(self, key: str, value: Any, place: str, file: str) -> Iterator[Problem]:
        kinds, most = self.types[key], (self.longest or {}).get(key)
        # A boolean is an int for isinstance.
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            yield Problem(file, place, f"it is not {' or '.join(_WORDS[kind] for kind in kinds)}")
        elif isinstance(value, str) and storable(value) != value:
            yield Problem(file, place, NOT_STORABLE, STORE_TEXT)
        elif isinstance(value, str) and value and not value.strip():
            yield Problem(file, place, "it is blank", "write something, or leave it out")
        elif isinstance(value, str) and not (is_readable if key in self.prose else is_visible)(value):
            reason = "it has a control character, or another one that can't be seen"
            yield Problem(file, place, reason, "remove it, and write the text as it is to be read")
        elif isinstance(value, int | float) and float in kinds and not _is_finite(value):
            yield Problem(file, place, "it is infinite, no number, or too large", "write a finite number")
        elif most is not None and isinstance(value, str) and len(value) > most:
            reason = f"it has {len(value):,} characters, more than {most:,}"
            yield Problem(file, place, reason, "shorten it")


def _is_empty(value: Any) -> bool:
    return value is None or value in ([], {}) or (isinstance(value, str) and not value.strip())


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        # An integer beyond every float.
        return False


def same_problems(values: Sequence[Any], place: str, name: str, *, file: str) -> Iterator[Problem]:
    """A problem for each text that is there twice among the ``name`` of the records at ``place``."""
    texts = [value for value in values if isinstance(value, str) and value]
    for text in sorted({text for text in texts if texts.count(text) > 1}):
        reason = f"the {name} {text[:50]} is there twice"
        yield Problem(file, place, reason, "remove or rename one of them")
