"""What the charts of a page and those of plotly have in common: axes, and how much fits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from leaderboard.scoring.contract import Metric, Unit

COLOURS = 6
"""Groups have a colour each by their position, in the stylesheet; after the last it begins again."""
AXES: Mapping[str, tuple[str, str, str]] = {
    Unit.SHARE: ("", " %", ".1f"),
    Unit.DOLLARS: ("$", "", ",.2f"),
    Unit.TOKENS: ("", "", ",.0f"),
    Unit.SECONDS: ("", " s", ",.0f"),
    Unit.COUNT: ("", "", ",.1f"),
}
"""What stands before and after a number on an axis of each unit, and its digits."""
LEAST_SPREAD = 1e-9
"""Of an axis: numbers closer to each other can't be told apart, and have no round ones between them."""
MAX_NAMED_POINTS = 10
"""With more points, names would overlap: they are shown on hover only."""
MAX_BAR_ENTRIES = 6
"""The most entries in the bar chart: with more, bars are too thin to read."""


def drawn(value: float, metric: Metric) -> float:
    """A value as its axis counts it: a share in percent."""
    return value * 100 if metric.unit == Unit.SHARE else value


def whisker_ends(points: Iterable[Mapping[str, Any]], axis: str) -> list[float]:
    """The points' values on an axis, and the ends of their intervals, as far as they have them."""
    return [end for point in points for end in (point[axis], *(point.get(f"{axis}_interval") or ()))]


def range_around(values: list[float], metric: Metric) -> list[float]:
    """An axis range around ``values`` with room for names; of shares in percent, within 0 to 100."""
    if metric.unit == Unit.SHARE:
        low, high = (min(values), max(values)) if values else (0.0, 1.0)
        return [max(0.0, low * 100 - 15), min(100.0, high * 100 + 15)]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    spread = next((each for each in (high - low, abs(high)) if each > LEAST_SPREAD), 1.0)
    room = spread * 0.15
    return [low - room if low < 0 else max(0.0, low - room), high + room]
