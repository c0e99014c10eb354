"""What may be shown of a task's landmarks: nothing that reveals the gold answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from leaderboard.domain.scores import LandmarkResult
from leaderboard.domain.trajectory import MISSING, JsonValue, Missing

SHORTEST_SECRET = 2
"""Characters of the shortest gold value that a pattern must not contain: most patterns contain a digit."""

CLOSE = 0.01
"""Numbers closer than this are equal, as in scoring."""

_CLASS_OF_ONE: Final = re.compile(r"\[(.)\]")
_NUMBER: Final = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")


def shown_pattern(pattern: str, gold: JsonValue | Missing) -> str:
    r"""The pattern as pages may show it: empty if it spells out a value of the gold (``f1.*0\.83``).

    A number is recognised as a share or in percent, with or without its leading zero or thousands separators;
    text matches in upper or lower case.
    """
    plain = _CLASS_OF_ONE.sub(r"\1", pattern).replace("\\", "").casefold()
    numbers = [
        float(text.replace(",", "")) for text in _NUMBER.findall(plain) if len(text) >= SHORTEST_SECRET
    ]
    reveals_gold = any(_contains(plain, numbers, value) for value in _values(gold))
    return "" if reveals_gold else pattern


def without_places(found: Sequence[LandmarkResult], gold: JsonValue | Missing) -> tuple[LandmarkResult, ...]:
    """The results; those of patterns that reveal the gold answer lose the places where they matched.

    A trajectory can print every number there is: the place of the match would be the answer.
    """
    return tuple(
        result if not result.hits or shown_pattern(result.pattern, gold) else replace(result, hits=())
        for result in found
    )


def _contains(plain: str, numbers: Sequence[float], value: str | float) -> bool:
    if isinstance(value, str):
        text = value.strip().casefold()
        return len(text) >= SHORTEST_SECRET and text in plain
    try:
        size = abs(float(value))
    except OverflowError:
        # A whole number beyond all floats can only be spelled out.
        return str(value).lstrip("-") in plain.replace(",", "")
    return any(
        abs(size - number) < CLOSE
        or abs(size * 100 - number) < CLOSE * 100
        or abs(size / 100 - number) < CLOSE / 100
        for number in numbers
    )


def _values(gold: JsonValue | Missing) -> Iterator[str | float]:
    """Every number and string in a gold answer. A loop, because gold can be nested deeply."""
    waiting: list[JsonValue | Missing] = [gold]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif value is not MISSING and value is not None and not isinstance(value, bool):
            yield value
