"""Converts rows of a board to plotly figures, as plain data with the keys ``data`` and ``layout``.

Colours are CSS custom properties (``var(--accent)``), so one figure serves both themes. Texts are escaped,
because plotly interprets a subset of HTML in texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go

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

INK, MUTED, RULE, ACCENT = "var(--ink)", "var(--muted)", "var(--rule)", "var(--accent)"
PATTERNS = ("", "/", ".", "x", "-", "+")
"""Fill patterns, one per entry, because all bars of a category have the same colour."""
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
"""Of a curve's lines, which colours alone would not tell apart for everybody."""
MAX_LINES = len(DASHES)
"""The most agents of a curve: with more, lines and whiskers can't be followed."""


def scatter(points: Iterable[Mapping[str, Any]], *, across: Metric, up: Metric) -> dict[str, Any]:
    """A scatter chart of two metrics with a point for each entry.

    ``points`` have ``name``, ``x`` and ``y``; one is left out if either value is None. Those with
    ``x_interval`` or ``y_interval`` have whiskers.
    """
    shown = [point for point in points if point["x"] is not None and point["y"] is not None]
    range_across = range_around(whisker_ends(shown, "x"), across)
    turn = range_across[0] + (range_across[1] - range_across[0]) * 0.6
    xs = [drawn(point["x"], across) for point in shown]
    figure = go.Figure(
        go.Scatter(
            x=xs,
            y=[drawn(point["y"], up) for point in shown],
            text=[f"  {_text(point['name'])}  " for point in shown],
            mode="markers+text" if len(shown) <= MAX_NAMED_POINTS else "markers",
            # Names point to the middle of the chart, where there is room.
            textposition=["middle left" if x > turn else "middle right" for x in xs],
            textfont={"color": INK},
            marker={"color": ACCENT, "size": 10, "symbol": "circle"},
            hovertemplate=_hover(_hover_line(up, "y"), _hover_line(across, "x")),
            cliponaxis=False,
            error_x=_whiskers([(point["x"], point.get("x_interval")) for point in shown], across, MUTED),
            error_y=_whiskers([(point["y"], point.get("y_interval")) for point in shown], up, MUTED),
        )
    )
    front = pareto_front(
        [(point["x"], point["y"]) for point in shown],
        more_across=across.more_is_better,
        more_up=up.more_is_better,
    )
    figure.add_scatter(
        x=[xs[at] for at in front],
        y=[drawn(shown[at]["y"], up) for at in front],
        mode="lines",
        line={"color": ACCENT, "dash": "dot", "width": 1.5},
        hoverinfo="skip",
        cliponaxis=False,
    )
    figure.update_layout(showlegend=False, **_layout())
    figure.update_xaxes(range=range_across, **_metric_axis(across))
    figure.update_yaxes(range=range_around(whisker_ends(shown, "y"), up), **_metric_axis(up))
    return _plain(figure)


def bars_by_group(groups: Iterable[Mapping[str, Any]], metric: Metric) -> dict[str, Any]:
    """A bar chart with a group of bars for each group of tasks, and in it a bar for each entry.

    ``groups`` have ``name``, ``position`` and ``values``, each with ``entry`` and ``value``, which may be
    None, and maybe with an ``interval``, which is drawn as whiskers.
    """
    rows = list(groups)
    entries = [value["entry"] for value in rows[0]["values"][:MAX_BAR_ENTRIES]] if rows else []
    figure = go.Figure(
        [_bars(rows, index, entry, metric) for index, entry in enumerate(entries)]
        + [_legend_entry(index, entry) for index, entry in enumerate(entries)]
    )
    figure.update_layout(
        barmode="group",
        bargap=0.3,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "font": {"color": INK}},
        showlegend=True,
        **_layout(),
    )
    figure.update_xaxes(**_axis())
    full = [0, 100] if metric.unit == Unit.SHARE else None
    figure.update_yaxes(range=full, rangemode="tozero", **_metric_axis(metric))
    return _plain(figure)


def _bars(rows: list[Mapping[str, Any]], index: int, entry: str, metric: Metric) -> go.Bar:
    cells = [row["values"][index] for row in rows]
    values = [cell["value"] for cell in cells]
    return go.Bar(
        error_y=_whiskers([(cell["value"], cell.get("interval")) for cell in cells], metric, MUTED),
        text=[_text(entry)] * len(rows),
        textposition="none",
        x=[_text(row["name"]) for row in rows],
        y=[None if value is None else drawn(value, metric) for value in values],
        marker={"color": [_group_colour(row["position"]) for row in rows], "pattern": _pattern(index)},
        hovertemplate=_hover("%{x}", _hover_line(metric, "y")),
        showlegend=False,
        offsetgroup=str(index),
    )


def _legend_entry(index: int, entry: str) -> go.Bar:
    """An entry's line in the legend, in a neutral colour: its bars have their categories' colours."""
    return go.Bar(
        name=_text(entry),
        x=[None],
        y=[None],
        marker={"color": MUTED, "pattern": _pattern(index)},
        offsetgroup=str(index),
    )


def curve(
    lines: Iterable[Mapping[str, Any]], metric: Metric, *, ticks: Sequence[tuple[int, str]], across: str
) -> dict[str, Any]:
    """A line for each agent over task sets, with its interval as whiskers.

    ``lines`` have ``name`` and ``points``: one for each tick, None or with ``value``, ``low``, ``high`` and
    ``tasks``. A tick is a place and a name. ``across`` is what the sets differ by; without it they have no
    order, and points are not joined. Of more than `MAX_LINES` agents the first are drawn.
    """
    shown = list(lines)[:MAX_LINES]
    places = [place for place, _name in ticks]
    gap = min((after - before for before, after in pairwise(sorted(set(places)))), default=1)
    figure = go.Figure(
        [
            # Beside each other, so that whiskers of equal figures can be told apart.
            _line(
                line,
                index,
                metric,
                [place + (index - (len(shown) - 1) / 2) * gap / 30 for place in places],
                across,
            )
            for index, line in enumerate(shown)
        ]
    )
    figure.update_layout(
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "font": {"color": INK}},
        showlegend=True,
        **_layout(),
    )
    figure.update_xaxes(
        tickvals=places, ticktext=[_text(name) for _place, name in ticks], **_axis(_text(across.capitalize()))
    )
    full = [0, 100] if metric.unit == Unit.SHARE else None
    figure.update_yaxes(range=full, rangemode="tozero", **_metric_axis(metric))
    return _plain(figure)


def _line(
    line: Mapping[str, Any], index: int, metric: Metric, places: Sequence[float], across: str
) -> go.Scatter:
    points = line["points"]

    def ends(key: str) -> list[float | None]:
        return [None if point is None else drawn(point[key], metric) for point in points]

    before, after, digits = AXES[metric.unit]
    colour = _group_colour(index)
    intervals = [(each and each["value"], each and (each["low"], each["high"])) for each in points]
    return go.Scatter(
        name=_text(line["name"]),
        text=[_text(line["name"])] * len(points),
        x=list(places),
        y=ends("value"),
        customdata=[
            [low, high, point and point["tasks"]]
            for point, low, high in zip(points, ends("low"), ends("high"), strict=True)
        ],
        mode="lines+markers" if across else "markers",
        line={"color": colour, "dash": DASHES[index], "width": 1.5},
        cliponaxis=False,
        marker={"color": colour, "symbol": SYMBOLS[index], "size": 8},
        error_y=_whiskers(intervals, metric, colour),
        hovertemplate=_hover(
            _hover_line(metric, "y"),
            f"{before}%{{customdata[0]:{digits}}} to %{{customdata[1]:{digits}}}{after}",
            "%{customdata[2]} tasks",
        ),
    )


def _whiskers(
    points: Iterable[tuple[float | None, tuple[float, float] | None]], metric: Metric, colour: str
) -> dict[str, Any]:
    """How far the ends of each value's interval are from it; 0 without one."""
    known = [(value or 0.0, interval or (value or 0.0, value or 0.0)) for value, interval in points]
    return {
        "type": "data",
        "symmetric": False,
        "array": [abs(drawn(high - value, metric)) for value, (_low, high) in known],
        "arrayminus": [abs(drawn(value - low, metric)) for value, (low, _high) in known],
        "color": colour,
        "thickness": 1,
        "width": 4,
    }


def _text(name: str) -> str:
    """A name escaped so that plotly shows it unchanged: it decodes ``&lt;``, ``&gt;`` and ``&amp;`` only."""
    return escape(name, quote=False)


def _layout() -> dict[str, Any]:
    return {
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 48, "r": 16, "t": 32, "b": 40},
        "font": {"color": MUTED, "family": "var(--sans)", "size": 12},
        "template": None,
        "height": 320,
        "hoverlabel": {"bgcolor": "var(--paper)", "bordercolor": RULE, "font": {"color": INK}},
    }


def _hover(*lines: str) -> str:
    return "<br>".join(["%{text}", *lines]) + "<extra></extra>"


def _axis(title: str = "") -> dict[str, Any]:
    return {
        "title": {"text": title, "font": {"color": MUTED}},
        "gridcolor": RULE,
        "linecolor": RULE,
        "zeroline": False,
        "tickfont": {"color": MUTED},
        "fixedrange": True,
        "automargin": True,
    }


def _pattern(index: int) -> dict[str, Any]:
    return {"shape": PATTERNS[index], "fillmode": "overlay", "fgcolor": "var(--paper)", "solidity": 0.35}


def _group_colour(position: int) -> str:
    return f"var(--cat-{position % COLOURS})"


def _hover_line(metric: Metric, axis: str) -> str:
    before, after, digits = AXES[metric.unit]
    # In a template %{ would begin a value.
    label = _text(metric.label).replace("%{", "% {")
    return f"{label}: {before}%{{{axis}:{digits}}}{after}"


def _metric_axis(metric: Metric) -> dict[str, Any]:
    before, after, _digits = AXES[metric.unit]
    return {"tickprefix": before, "ticksuffix": after, **_axis(_text(metric.label))}


def _plain(figure: go.Figure) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(figure.to_json())
    return plain
