"""Reads amounts in trajectory files: money, tokens, times."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, NamedTuple

from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import Notes, as_number

MAX_AMOUNT: Final = 1e12
"""More seconds, dollars or tokens are no fact of an attempt, and their sum might not be a number."""
# datetime supports years up to 9999, fromtimestamp a little less on some platforms.
_MAX_EPOCH: Final = 250_000_000_000.0


class Usage(NamedTuple):
    """Cost and tokens, named as in `Trajectory` and `Step`."""

    cost: float | None
    prompt_tokens: int | None
    response_tokens: int | None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


def usage_in(
    fields: dict[str, JsonValue], cost: str, sent: str, received: str, *, place: str, notes: Notes
) -> Usage:
    """The usage in an object, under these three keys."""
    return Usage(
        amount(fields.get(cost), place=f"{place}.{cost}", notes=notes),
        count(fields.get(sent), place=f"{place}.{sent}", notes=notes),
        count(fields.get(received), place=f"{place}.{received}", notes=notes),
    )


NO_USAGE: Final = Usage(None, None, None)


def turn_usage(
    cost: JsonValue,
    sent: JsonValue,
    received: JsonValue,
    cached: JsonValue = None,
    reasoning: JsonValue = None,
) -> Usage:
    """The usage of one turn. What is no amount is left out without a warning: the totals warn already."""
    return Usage(_plain(cost), _whole(sent), _whole(received), _whole(cached), _whole(reasoning))


def _plain(value: JsonValue) -> float | None:
    if value is None:
        return None
    number = as_number(value)
    return number if number is not None and 0 <= number <= MAX_AMOUNT else None


def _whole(value: JsonValue) -> int | None:
    if value is None or (type(value) is int and 0 <= value <= MAX_AMOUNT):
        return value
    number = _plain(value)
    return None if number is None else int(number)


def amount(value: JsonValue, *, place: str, notes: Notes) -> float | None:
    """A number of zero or more, or None; any other value except null adds a warning."""
    number = as_number(value)
    if value is not None and (number is None or number < 0):
        notes.add(place, "not a number of zero or more; left out")
        return None
    if number is not None and number > MAX_AMOUNT:
        notes.add(place, "too large to be true; left out")
        return None
    return number


def count(value: JsonValue, *, place: str, notes: Notes) -> int | None:
    """As `amount`, for whole numbers that fit a database column."""
    number = amount(value, place=place, notes=notes)
    return None if number is None else int(number)


def total(values: Iterable[JsonValue], *, negative: bool = False) -> float | None:
    """The sum of the numbers among the values, or None if there are none; ``negative`` ones may count too."""
    found: float | None = None
    for value in values:
        number = as_number(value)
        if number is not None and (negative or number >= 0) and abs(number) <= MAX_AMOUNT:
            found = number if found is None else found + number
    return found


def parse_time(value: JsonValue) -> datetime | None:
    """A time from ISO text or seconds since 1970, or None; without a time zone it is UTC."""
    if isinstance(value, str):
        try:
            found = datetime.fromisoformat(value)
        except ValueError:
            return None
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    seconds = as_number(value)
    if seconds is None or not 0 < seconds < _MAX_EPOCH:
        return None
    return datetime.fromtimestamp(seconds, UTC)


def seconds_between(start: JsonValue, end: JsonValue) -> float | None:
    """Seconds from ``start`` to ``end``, or None if either is unknown or ``end`` is earlier."""
    first, last = parse_time(start), parse_time(end)
    if first is None or last is None or last < first:
        return None
    return (last - first).total_seconds()


def time_text(value: JsonValue) -> str:
    """A time as text: any text unchanged (40 characters), seconds since 1970 in ISO format, else empty."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value[:40]
    found = parse_time(value)
    return "" if found is None else found.isoformat(timespec="seconds")
