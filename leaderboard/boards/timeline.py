"""The chart of a board's leading figure over time, as places in an SVG that fills its frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from leaderboard.boards.history import Point
from leaderboard.scoring.contract import Metric, Unit
from leaderboard.scoring.values import value_text

WIDTH, HEIGHT = 1000, 300
MOST_POINTS = 500
"""With more ranked entries only those are drawn that were the best."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The chart: ``dots`` has the place, the point and its figure in words; ``line`` is the best so far."""

    dots: list[tuple[str, Point, str]]
    line: str
    first: date
    last: date
    top: str
    bottom: str
    left_out: int

    width = WIDTH
    height = HEIGHT


def draw_timeline(points: Sequence[Point], metric: Metric) -> Timeline | None:
    """The chart of ``points``, which are the oldest first; None unless they are of at least two days."""
    if not points or points[0].day == points[-1].day:
        return None
    drawn = [point for point in points if point.is_best] if len(points) > MOST_POINTS else list(points)
    first, last = points[0].day, points[-1].day
    low, high = _range([point.value for point in drawn], metric)

    def place(point: Point) -> tuple[str, str]:
        across = (point.day - first).days / (last - first).days
        up = (point.value - low) / (high - low)
        return f"{across * WIDTH:.1f}", f"{HEIGHT - up * HEIGHT:.1f}"

    steps = [place(point) for point in drawn if point.is_best]
    line = "M{} {}".format(*steps[0]) + "".join(f"H{x}V{y}" for x, y in steps[1:]) + f"H{WIDTH}"
    dots = [
        ("M{} {}h0".format(*place(point)), point, value_text(point.value, metric.unit)) for point in drawn
    ]
    top, bottom = (value_text(end, metric.unit) for end in (high, low))
    return Timeline(dots, line, first, last, top, bottom, len(points) - len(drawn))


def _range(values: Sequence[float], metric: Metric) -> tuple[float, float]:
    """The ends of the axis: from 0, or below it, up to a round share above the best, or the highest value."""
    low, high = min(0.0, *values), max(values)
    if metric.unit == Unit.SHARE:
        high = min(1.0, math.ceil(high * 10 + 0.5) / 10)
    return low, high if high > low else low + 1.0
