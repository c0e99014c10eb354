"""Durations as pages and notebooks show them, and the time when a quota has room again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
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


def room_again_at(when: datetime) -> str:
    """A remedy for a full quota that has room again at ``when``."""
    return f"there is room again at {when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
