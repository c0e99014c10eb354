"""Totals and times as trajectory files give them: money, tokens, moments."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import Notes, as_number

_MAX_COUNT: Final = 2**63 - 1
# datetime knows the years to 9999, fromtimestamp a little less on some platforms.
_MAX_EPOCH: Final = 250_000_000_000.0


def amount(value: JsonValue, *, place: str, notes: Notes) -> float | None:
    """A number of zero or more, or None; anything else than one or null is noted."""
    number = as_number(value)
    if value is not None and (number is None or number < 0):
        notes.add(place, "not a number of zero or more; left out")
        return None
    return number


def count(value: JsonValue, *, place: str, notes: Notes) -> int | None:
    """As `amount`, for whole numbers that a database column holds."""
    number = amount(value, place=place, notes=notes)
    if number is not None and number > _MAX_COUNT:
        notes.add(place, "too large to be a number of tokens; left out")
        return None
    return None if number is None else int(number)


def total(values: list[float]) -> float | None:
    """The sum, or None of no values."""
    return sum(values) if values else None


def moment(value: JsonValue) -> datetime | None:
    """A moment from an ISO text or from seconds since 1970, or None; without a zone it is taken as UTC."""
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
    """From one moment to a later one, or None where either is unknown or they are the wrong way round."""
    first, last = moment(start), moment(end)
    if first is None or last is None or last < first:
        return None
    return (last - first).total_seconds()


def shown_moment(value: JsonValue) -> str:
    """A moment as text: ISO text as it is, seconds since 1970 in ISO, nothing for anything else."""
    if isinstance(value, str):
        return value[:40]
    found = moment(value)
    return "" if found is None else found.isoformat(timespec="seconds")
