"""Durations in their two largest units, as pages and notebooks write them."""

from __future__ import annotations

from math import isfinite


def two_largest_units(seconds: float) -> tuple[str, tuple[str, ...]] | None:
    """The largest unit (``hours``, ``minutes``, ``seconds``), and as texts how many of it and of the next.

    Tenths tell short durations apart, up to ten seconds; above, what is shown is whole. Nothing for what is
    no duration (infinite or not a number).
    """
    if not isfinite(seconds):
        return None
    if seconds < 9.95:
        return "seconds", (f"{seconds:.1f}".removesuffix(".0"),)
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return "seconds", (str(rest),)
    hours, minutes_left = divmod(minutes, 60)
    return ("hours", (str(hours), str(minutes_left))) if hours else ("minutes", (str(minutes), str(rest)))
