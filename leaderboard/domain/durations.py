"""Durations as pages and notebooks show them, and the time when a quota has room again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from math import isfinite


def duration_text(seconds: float) -> str:
    """A duration in its two largest units: ``5 s``, ``12 min 3 s``, ``1 h 4 min``.

    Up to ten seconds with tenths, above in whole seconds or minutes. Empty for an infinite number or NaN.
    """
    if not isfinite(seconds):
        return ""
    if seconds < 9.95:
        return f"{seconds:.1f}".removesuffix(".0") + " s"
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours:,} h {minutes_left} min" if hours else f"{minutes} min {rest} s"


DAY = timedelta(days=1)


def seconds_across(moments: Iterable[str]) -> float | None:
    """Seconds from the first of these moments to the last, each after the one before; None without a moment.

    A moment is an ISO time, or a clock's (``06:15:34``), which starts again at midnight; others are left out.
    What lies more than a day apart can't be told by a clock, and what goes backwards by a date counts as
    nothing.
    """
    known = [moment for text in moments if (moment := _moment(text)) is not None]
    if not known:
        return None
    return sum(_between(*pair) for pair in pairwise(known))


def _moment(text: str) -> datetime | time | None:
    for read in (time.fromisoformat, datetime.fromisoformat):
        try:
            found = read(text)
        except ValueError:
            continue
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    return None


def _between(one: datetime | time, other: datetime | time) -> float:
    if isinstance(one, datetime) and isinstance(other, datetime):
        return max(0.0, (other - one).total_seconds())
    if isinstance(one, time) and isinstance(other, time):
        day = date(2000, 1, 1)
        return (datetime.combine(day, other) - datetime.combine(day, one)) % DAY / timedelta(seconds=1)
    return 0.0


def room_again_at(when: datetime) -> str:
    """A remedy for a full quota that has room again at ``when``."""
    return f"there is room again at {when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
