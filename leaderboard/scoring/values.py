"""Values of metrics as pages, exports and the command line show them."""

from __future__ import annotations

from leaderboard.domain.amounts import dollars
from leaderboard.domain.durations import duration_text
from leaderboard.scoring.contract import Unit


def percent(value: float | None) -> str:
    """A share as a percentage with one decimal, rounded half up; empty if missing."""
    return "" if value is None else f"{value * 100 + 1e-9:.1f}"


def value_text(value: float | None, unit: str) -> str:
    """A value with its unit where that is not plain from the column; empty if missing.

    A share is in percent, without the sign. Numbers of tokens and others have one decimal below 100, none
    above.
    """
    if value is None:
        return ""
    if unit == Unit.SHARE:
        return percent(value)
    if unit == Unit.DOLLARS:
        return dollars(value)
    if unit == Unit.SECONDS:
        return duration_text(value)
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:,.1f}"
