"""Durations in their two largest units, as pages and notebooks write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import isfinite


def duration_text(seconds: float) -> str:
    """A duration in its two largest units: ``5 s``, ``12 min 3 s``, ``1 h 4 min``.

    Tenths tell short durations apart, up to ten seconds; above, what is shown is whole. Empty for what is no
    duration (infinite or not a number).
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


def room_again(when: datetime) -> str:
    return f"there is room again at {when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
