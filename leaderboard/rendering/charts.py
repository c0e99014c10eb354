"""Converts rows of a board to plotly figures, as plain data with the keys ``data`` and ``layout``.

Colours are CSS custom properties (``var(--accent)``), so one figure serves both themes. Names are escaped,
because plotly interprets a subset of HTML in texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import plotly.graph_objects as go

INK, MUTED, RULE, ACCENT = "var(--ink)", "var(--muted)", "var(--rule)", "var(--accent)"
PATTERNS = ("", "/", ".", "x", "-", "+")
"""Fill patterns, one per entry, because all bars of a category have the same colour."""
MAX_NAMED_POINTS = 10
"""With more points, names would overlap: they are shown on hover only."""
MAX_BAR_ENTRIES = len(PATTERNS)
"""The most entries in the bar chart: with more, bars are too thin to read."""


def accuracy_against_landmarks(
    points: Iterable[Mapping[str, Any]], *, accuracy: str, landmarks: str
) -> dict[str, Any]:
    """A scatter chart with a point for each entry.

    Args:
        points: ``name``, ``x`` (landmarks), ``y`` (accuracy) in [0, 1]; left out if either is None.
        accuracy: display name of that metric.
        landmarks: likewise.
    """
    shown = [point for point in points if point["x"] is not None and point["y"] is not None]
    across = _around([point["x"] for point in shown])
    turn = across[0] + (across[1] - across[0]) * 0.6
    figure = go.Figure(
        go.Scatter(
            x=[point["x"] * 100 for point in shown],
            y=[point["y"] * 100 for point in shown],
            text=[f"  {_text(point['name'])}  " for point in shown],
            mode="markers+text" if len(shown) <= MAX_NAMED_POINTS else "markers",
            # Names point to the middle of the chart, where there is room.
            textposition=["middle left" if point["x"] * 100 > turn else "middle right" for point in shown],
            textfont={"color": INK},
            marker={"color": ACCENT, "size": 10, "symbol": "circle"},
            hovertemplate=_hover(f"{accuracy}: %{{y:.1f}} %", f"{landmarks}: %{{x:.1f}} %"),
            cliponaxis=False,
        )
    )
    figure.update_layout(**_layout())
    figure.update_xaxes(range=across, ticksuffix=" %", **_axis(landmarks))
    figure.update_yaxes(range=_around([point["y"] for point in shown]), ticksuffix=" %", **_axis(accuracy))
    return _plain(figure)


def accuracy_by_category(categories: Iterable[Mapping[str, Any]], *, accuracy: str) -> dict[str, Any]:
    """A bar chart with a group for each category, and in it a bar for each entry.

    Args:
        categories: ``name``, ``slug`` and ``values``, each with ``entry`` and ``value`` in [0, 1] or None.
        accuracy: display name of that metric.
    """
    rows = list(categories)
    entries = [value["entry"] for value in rows[0]["values"][:MAX_BAR_ENTRIES]] if rows else []
    figure = go.Figure(
        [_bars(rows, index, entry, accuracy) for index, entry in enumerate(entries)]
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
    figure.update_yaxes(range=[0, 100], ticksuffix=" %", **_axis(accuracy))
    return _plain(figure)


def _bars(rows: list[Mapping[str, Any]], index: int, entry: str, accuracy: str) -> go.Bar:
    values = [row["values"][index]["value"] for row in rows]
    return go.Bar(
        text=[_text(entry)] * len(rows),
        textposition="none",
        x=[row["name"] for row in rows],
        y=[None if value is None else value * 100 for value in values],
        marker={"color": [f"var(--cat-{row['slug']})" for row in rows], "pattern": _pattern(index)},
        hovertemplate=_hover("%{x}", f"{accuracy}: %{{y:.1f}} %"),
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


def _around(values: list[float]) -> list[float]:
    """An axis range in percent around ``values`` with room for names, within 0 to 100."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    return [max(0.0, low * 100 - 15), min(100.0, high * 100 + 15)]


def _plain(figure: go.Figure) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(figure.to_json())
    return plain
