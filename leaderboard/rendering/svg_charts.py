"""A board's charts as small SVG images, which a page shows at once, without a script.

Colours and sizes are the stylesheet's: elements have classes. Texts are escaped by the XML writer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from leaderboard.domain.pareto import pareto_front
from leaderboard.rendering.axes import (
    AXES,
    COLOURS,
    MAX_BAR_ENTRIES,
    MAX_NAMED_POINTS,
    drawn,
    range_around,
    whisker_ends,
)
from leaderboard.scoring.contract import Metric, Unit

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 16, 44
MOST_TICKS = 6
LEGEND_LINE = 22


def scatter_svg(points: Iterable[Mapping[str, Any]], *, across: Metric, up: Metric) -> str:
    """A scatter chart of two metrics with its Pareto front; ``points`` as for `charts.scatter`."""
    shown = [point for point in points if point["x"] is not None and point["y"] is not None]
    xs, ys = (range_around(whisker_ends(shown, axis), of) for axis, of in (("x", across), ("y", up)))
    chart = _chart(f"{up.label} against {across.label.lower()}")
    places = [(_across(drawn(point["x"], across), xs), _up(drawn(point["y"], up), ys)) for point in shown]
    for value in _ticks(*ys):
        y = _up(value, ys)
        _line(chart, LEFT, y, WIDTH - RIGHT, y, "grid")
        _text(chart, LEFT - 8, y + 4, _number(value, up), "end")
    for value in _ticks(*xs):
        _text(chart, _across(value, xs), HEIGHT - BOTTOM + 18, _number(value, across), "middle")
    _line(chart, LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "axis")
    _text(chart, WIDTH - RIGHT, HEIGHT - 6, across.label, "end", "title")
    for point, (x, y) in zip(shown, places, strict=True):
        if ends := point.get("x_interval"):
            left, right = (_across(drawn(end, across), xs) for end in ends)
            _line(chart, left, y, right, y, "whisker")
        if ends := point.get("y_interval"):
            low, high = (_up(drawn(end, up), ys) for end in ends)
            _line(chart, x, low, x, high, "whisker")
    front = pareto_front(
        [(point["x"], point["y"]) for point in shown],
        more_across=across.more_is_better,
        more_up=up.more_is_better,
    )
    line = " ".join(f"{places[at][0]:.1f},{places[at][1]:.1f}" for at in front)
    SubElement(chart, "polyline", {"points": line, "class": "front"})
    for at, (point, (x, y)) in enumerate(zip(shown, places, strict=True)):
        kind = "point on-front" if at in front else "point"
        circle = SubElement(chart, "circle", {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": "5", "class": kind})
        values = f"{_number(drawn(point['y'], up), up)}, {_number(drawn(point['x'], across), across)}"
        SubElement(circle, "title").text = f"{point['name']}: {values}"
        if len(shown) <= MAX_NAMED_POINTS or (at in front and len(front) <= MAX_NAMED_POINTS):
            # Names point to the middle of the chart, where there is room.
            right = x < LEFT + (WIDTH - LEFT - RIGHT) * 0.6
            _text(
                chart, x + (10 if right else -10), y + 4, point["name"], "start" if right else "end", "name"
            )
    return tostring(chart, encoding="unicode")


def bars_svg(groups: Iterable[Mapping[str, Any]], metric: Metric) -> str:
    """Bars of each entry in each group of tasks; ``groups`` as for `charts.bars_by_group`."""
    rows = list(groups)
    entries = [value["entry"] for value in rows[0]["values"][:MAX_BAR_ENTRIES]] if rows else []
    chart = _chart(f"{metric.label} by group", below=LEGEND_LINE * len(entries))
    values = [
        drawn(end, metric)
        for row in rows
        for value in row["values"][: len(entries)]
        if value["value"] is not None
        for end in (value["value"], *(value.get("interval") or ()))
    ]
    highest = 100.0 if metric.unit == Unit.SHARE else max([*values, 1.0]) * 1.05
    ys = (min([*values, 0.0]) * 1.05, highest)
    zero = _up(0.0, ys)
    for value in _ticks(*ys):
        y = _up(value, ys)
        _line(chart, LEFT, y, WIDTH - RIGHT, y, "grid")
        _text(chart, LEFT - 8, y + 4, _number(value, metric), "end")
    wide = (WIDTH - LEFT - RIGHT) / max(len(rows), 1)
    bar = wide * 0.7 / max(len(entries), 1)
    for at, row in enumerate(rows):
        start = LEFT + at * wide + wide * 0.15
        _text(chart, start + wide * 0.35, HEIGHT - BOTTOM + 18, row["name"], "middle", "group")
        for index, value in enumerate(row["values"][: len(entries)]):
            if value["value"] is None:
                continue
            top = _up(drawn(value["value"], metric), ys)
            rectangle = SubElement(
                chart,
                "rect",
                {
                    "x": f"{start + index * bar:.1f}",
                    "y": f"{min(top, zero):.1f}",
                    "width": f"{bar * 0.86:.1f}",
                    "height": f"{max(abs(zero - top), 1):.1f}",
                    "class": f"column fill-{row['position'] % COLOURS} shade-{index}",
                },
            )
            shown = _number(drawn(value["value"], metric), metric)
            SubElement(rectangle, "title").text = f"{value['entry']}, {row['name']}: {shown}"
            if value.get("interval"):
                middle = start + (index + 0.43) * bar
                low, high = (_up(drawn(end, metric), ys) for end in value["interval"])
                _line(chart, middle, low, middle, high, "whisker")
    _line(chart, LEFT, zero, WIDTH - RIGHT, zero, "axis")
    _legend(chart, entries)
    return tostring(chart, encoding="unicode")


def _legend(chart: Element, entries: Iterable[str]) -> None:
    """A line for each entry below the chart, in a neutral colour: its bars have their groups' colours."""
    for index, entry in enumerate(entries):
        y = HEIGHT + LEGEND_LINE * index
        place = {"x": str(LEFT), "y": str(y), "width": "12", "height": "12"}
        SubElement(chart, "rect", place | {"class": f"column neutral shade-{index}"})
        _text(chart, LEFT + 20, y + 11, entry, "start", "name")


def _chart(label: str, *, below: int = 0) -> Element:
    """``below`` is room for a legend."""
    return Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {WIDTH} {HEIGHT + below}",
            "class": "chart",
            "role": "img",
            "aria-label": f"{label}; the same figures are in the table below",
        },
    )


def _line(chart: Element, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    SubElement(chart, "line", {**{name: f"{at:.1f}" for name, at in ends.items()}, "class": kind})


def _text(chart: Element, x: float, y: float, text: str, anchor: str, kind: str = "tick") -> None:
    found = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor, "class": kind}
    SubElement(chart, "text", found).text = text


def _across(value: float, ends: Sequence[float]) -> float:
    return LEFT + (value - ends[0]) / (ends[1] - ends[0]) * (WIDTH - LEFT - RIGHT)


def _up(value: float, ends: Sequence[float]) -> float:
    return HEIGHT - BOTTOM - (value - ends[0]) / (ends[1] - ends[0]) * (HEIGHT - TOP - BOTTOM)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers from ``low`` to ``high``, at most `MOST_TICKS`."""
    rough = (high - low) / (MOST_TICKS - 1)
    scale = 10 ** math.floor(math.log10(rough))
    step = next(each * scale for each in (1, 2, 5, 10) if each * scale >= rough)
    first = math.ceil(low / step)
    return [number * step for number in range(first, first + MOST_TICKS) if number * step <= high]


def _number(value: float, metric: Metric) -> str:
    before, after, digits = AXES[metric.unit]
    return f"{before}{value:{digits}}".removesuffix(".0") + after
