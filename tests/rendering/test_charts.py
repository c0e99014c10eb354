"""Charts: what is drawn, and what is left out."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial

import pytest

from leaderboard.rendering import charts
from leaderboard.rendering.axes import MAX_BAR_ENTRIES, MAX_NAMED_POINTS
from leaderboard.rendering.svg_charts import bars_svg, scatter_svg
from leaderboard.scoring.contract import Metric, Unit

WRONG = Metric(key="wrong", label="Wrong", about="Answers that are wrong.")
RIGHT = Metric(key="right", label="Right", about="Answers that are right.")
COST = Metric(key="cost", label="Cost", about="Dollars.", unit=Unit.DOLLARS, highest=None)

scatter = partial(charts.scatter, across=WRONG, up=RIGHT)
bars_by_group = partial(charts.bars_by_group, metric=RIGHT)


def point(name: str = "SWE-Agent", x: float | None = 0.7, y: float | None = 0.4) -> dict[str, object]:
    return {"name": name, "x": x, "y": y}


def category(position: int, *values: float | None) -> dict[str, object]:
    entries = [{"entry": f"agent {n}", "value": value} for n, value in enumerate(values)]
    return {"name": f"group {position}", "position": position, "values": entries}


def test_an_entry_with_a_missing_figure_has_no_point() -> None:
    figure = scatter([point(), point(x=None), point(y=None)])

    assert figure["data"][0]["x"] == [70.0]


def test_names_are_escaped_because_plotly_reads_html() -> None:
    figure = scatter([point(name="<b>loud</b>")])

    assert "<b>" not in figure["data"][0]["text"][0]


def test_labels_of_metrics_and_groups_are_escaped_as_names_are() -> None:
    loud = replace(RIGHT, label="<b>50%{x}</b>")
    group = {"name": "<i>g</i>", "position": 1, "values": [{"entry": "<i>a</i>", "value": 0.5}]}
    whole = {"value": 0.5, "low": 0.4, "high": 0.6, "tasks": 3}
    line = {"name": "<i>agent</i>", "points": [whole]}

    drawn = json.dumps(
        [
            scatter([point()], across=loud, up=loud),
            bars_by_group([group], metric=loud),
            charts.curve([line], loud, ticks=[(0, "<i>set</i>")], across="<i>masked</i>"),
        ]
    )

    assert "<b>" not in drawn
    assert "<i>" not in drawn.lower()
    assert "&lt;b&gt;50% {x}&lt;/b&gt;: %{y:.1f}" in drawn


def test_names_stand_at_points_only_while_they_can_be_read() -> None:
    few, many = [point()] * MAX_NAMED_POINTS, [point()] * (MAX_NAMED_POINTS + 1)

    assert scatter(few)["data"][0]["mode"] == "markers+text"
    assert scatter(many)["data"][0]["mode"] == "markers"


def test_axes_hold_every_point_and_stay_between_0_and_100() -> None:
    layout = scatter([point(x=0.02, y=0.99), point(x=0.98, y=0.5)])["layout"]

    assert layout["xaxis"]["range"] == [0.0, 100.0]
    assert layout["yaxis"]["range"] == [35.0, 100.0]


def test_a_chart_without_points_is_still_a_chart() -> None:
    assert scatter([])["data"][0]["x"] == []
    assert bars_by_group([])["data"] == []


def test_a_bar_has_its_categorys_colour_and_a_missing_figure_no_bar() -> None:
    bars = bars_by_group([category(1, 0.5), category(2, None)])["data"][0]

    assert bars["marker"]["color"] == ["var(--cat-1)", "var(--cat-2)"]
    assert bars["y"] == [50.0, None]


def test_every_entry_has_a_line_in_the_key_and_a_fill_of_its_own() -> None:
    traces = bars_by_group([category(1, 0.5, 0.6)])["data"]
    key = [trace for trace in traces if trace.get("showlegend", True)]

    assert [line["name"] for line in key] == ["agent 0", "agent 1"]
    assert len({line["marker"]["pattern"]["shape"] for line in key}) == 2


def test_more_entries_than_can_be_told_apart_are_left_out() -> None:
    traces = bars_by_group([category(1, *[0.5] * (MAX_BAR_ENTRIES + 3))])["data"]

    assert len(traces) == 2 * MAX_BAR_ENTRIES


def test_axes_and_what_hovering_shows_say_what_they_are() -> None:
    dots, bars = scatter([point()]), bars_by_group([category(1, 0.5)])

    assert dots["layout"]["xaxis"]["title"]["text"] == "Wrong"
    assert dots["layout"]["yaxis"]["title"]["text"] == "Right"
    assert bars["layout"]["yaxis"]["title"]["text"] == "Right"
    hover = "%{text}<br>Right: %{y:.1f} %<br>Wrong: %{x:.1f} %<extra></extra>"
    assert dots["data"][0]["hovertemplate"] == hover
    assert bars["data"][0]["hovertemplate"] == "%{text}<br>%{x}<br>Right: %{y:.1f} %<extra></extra>"


def test_an_axis_of_dollars_has_no_end_at_100_and_no_percent() -> None:
    dots = charts.scatter([point(x=250.0), point(x=50.0)], across=COST, up=RIGHT)

    assert dots["data"][0]["x"] == [250.0, 50.0]
    assert dots["layout"]["xaxis"]["range"] == [20.0, 280.0]
    assert (dots["layout"]["xaxis"]["tickprefix"], dots["layout"]["xaxis"]["ticksuffix"]) == ("$", "")


def test_an_interval_is_drawn_as_whiskers_that_the_axis_holds() -> None:
    certain, plain = {**point(y=0.5), "y_interval": (0.25, 0.625)}, point(y=0.5)
    drawn = scatter([certain, plain])
    bar = {"name": "g", "position": 0, "values": [{"entry": "a", "value": 0.5, "interval": (0.25, 0.625)}]}

    for whiskers, size in ((drawn["data"][0]["error_y"], 2), (bars_by_group([bar])["data"][0]["error_y"], 1)):
        assert (whiskers["array"], whiskers["arrayminus"]) == ([12.5, 0.0][:size], [25.0, 0.0][:size])
    assert drawn["layout"]["yaxis"]["range"] == [10.0, 77.5]
    svgs = scatter_svg([certain, plain], across=WRONG, up=RIGHT), bars_svg([bar], RIGHT)
    assert [svg.count('class="whisker"') for svg in svgs] == [1, 1]


def test_an_image_of_bars_says_whose_each_is_and_escapes_names() -> None:
    values = [{"entry": name, "value": 0.5} for name in ("<b>Solver", "Rival")]
    svg = bars_svg([{"name": "g", "position": 0, "values": values}], RIGHT)

    assert [svg.count(f'fill-0 shade-{index}"') for index in (0, 1)] == [1, 1]
    assert [svg.count(f'neutral shade-{index}"') for index in (0, 1)] == [1, 1]
    assert 'class="name">&lt;b&gt;Solver</text>' in svg
    assert 'class="name">Rival</text>' in svg


def test_an_image_joins_the_points_of_the_front() -> None:
    places = ((0.1, 0.9), (0.9, 0.1), (0.1, 0.1))
    svg = scatter_svg([point(x=x, y=y) for x, y in places], across=RIGHT, up=RIGHT)

    assert svg.count("point on-front") == 2
    assert svg.count('class="point"') == 1


def test_a_bar_below_0_hangs_from_the_line_of_0() -> None:
    reward = replace(COST, key="reward", label="Reward", unit=Unit.COUNT, lowest=None)
    values = [{"entry": "a", "value": 10.0}, {"entry": "b", "value": -10.0}]
    svg = bars_svg([{"name": "g", "position": 0, "values": values}], reward)

    up, down = re.findall(r'y="([\d.]+)" width="[\d.]+" height="([\d.]+)" class="column fill', svg)
    assert float(up[1]) == pytest.approx(float(down[1]), abs=0.2)
    assert float(up[0]) + float(up[1]) == pytest.approx(float(down[0]), abs=0.2)


def test_points_at_next_to_nothing_have_an_axis() -> None:
    svg = scatter_svg([point(x=5e-324)] * 4, across=COST, up=RIGHT)

    assert svg.count("<circle") == 4
