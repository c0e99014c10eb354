"""What of a task may be shown: landmarks are, unless they would give the gold answer away."""

from __future__ import annotations

from collections.abc import Iterator

from leaderboard.domain.trajectory import MISSING, JsonValue, Missing

SHORTEST_SECRET = 2
"""Characters of a gold value from which on a pattern with it is withheld: one digit is in most patterns."""


def shown_pattern(pattern: str, gold: JsonValue | Missing) -> str:
    r"""The pattern as pages may show it: empty if it spells out a value of the gold (``f1.*0\.83``)."""
    plain = pattern.replace("\\", "")
    return "" if any(value in plain for value in _values(gold)) else pattern


def _values(gold: JsonValue | Missing) -> Iterator[str]:
    """Every number and text in a gold answer long enough to tell. A loop, since gold can nest deeply."""
    waiting: list[JsonValue | Missing] = [gold]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif value is not MISSING and value is not None and not isinstance(value, bool):
            text = str(value).strip()
            if len(text) >= SHORTEST_SECRET:
                yield text
