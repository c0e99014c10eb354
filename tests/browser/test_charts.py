"""The board's charts: drawn under the strict policy, in the theme's colours, each with its table."""

from __future__ import annotations

import base64
import hashlib

import pytest
from playwright.sync_api import Page, Route, expect

from leaderboard.boards import selectors
from leaderboard.boards.views import PLOTLY_STYLES

PLOTS = ("scatter", "categories")
LIBRARY = "**/plotly.min.js"


@pytest.fixture(autouse=True)
def _two_points_make_a_chart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "FEWEST_POINTS", 2)


def draw(page: Page, path: str = "/") -> None:
    """Open a board and wait for its charts."""
    page.goto(path)
    page.locator("[data-plot]").first.hover()
    for plot in page.locator("[data-plot]").all():
        expect(plot).to_have_attribute("data-drawn", "")


def role(page: Page, name: str) -> str:
    """The value of one of the page's colours."""
    value: str = page.evaluate(
        """name => {
            const probe = document.body.appendChild(document.createElement('i'));
            probe.style.color = `var(${name})`;
            const value = getComputedStyle(probe).color;
            probe.remove();
            return value;
        }""",
        name,
    )
    return value


def fills(page: Page, selector: str) -> set[str]:
    """The colours in which the elements are painted."""
    return set(page.locator(selector).evaluate_all("all => all.map(each => getComputedStyle(each).fill)"))


def test_the_policy_allows_exactly_the_styles_that_plotly_adds(page: Page, site: None) -> None:
    draw(page)

    texts = page.locator("style").all_text_contents()

    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]
    assert {f"'sha256-{digest}'" for digest in digests} == set(PLOTLY_STYLES)


def test_a_page_without_charts_allows_no_style_of_plotly(page: Page, site: None) -> None:
    response = page.goto("/about/")

    assert response is not None
    assert "sha256" not in response.headers["content-security-policy"]


def test_charts_have_the_colours_of_the_page(page: Page, site: None) -> None:
    draw(page)

    assert fills(page, "[data-plot=scatter] .point") == {role(page, "--accent")}
    assert fills(page, "[data-plot=scatter] .textpoint text") == {role(page, "--ink")}
    assert fills(page, "[data-plot] .xtick text") == {role(page, "--muted")}


def test_charts_are_drawn_again_in_the_colours_of_another_theme(page: Page, site: None) -> None:
    draw(page)
    light = role(page, "--accent")

    page.locator("[data-theme-toggle]").click()
    page.locator("[data-theme-toggle]").click()

    page.wait_for_function(
        "light => getComputedStyle(document.querySelector('[data-plot=scatter] .point')).fill !== light",
        arg=light,
    )
    assert fills(page, "[data-plot=scatter] .point") == {role(page, "--accent")} != {light}


def test_charts_follow_the_filter(page: Page, site: None) -> None:
    draw(page)

    page.get_by_text("Filter entries, choose columns").click()
    page.get_by_label("Agent", exact=True).fill("react")
    page.get_by_label("Agent", exact=True).press("Enter")

    # One entry is too few for the scatter.
    expect(page.locator("[data-plot]")).to_have_count(1)
    expect(page.locator("[data-plot=categories]")).to_contain_text("ReAct-SUPER")


@pytest.mark.parametrize("javascript", [True, False], ids=["js", "no-js"])
def test_each_chart_has_its_figures_in_a_table(page: Page, site: None) -> None:
    page.goto("/")

    for plot in PLOTS:
        figure = page.locator("figure", has=page.locator(f"[data-plot={plot}]"))
        figure.locator("summary").click()
        assert figure.locator("tbody tr").count() == 2
        assert "45.2" in figure.inner_text() or plot == "categories"


@pytest.mark.parametrize("javascript", [True, False], ids=["js", "no-js"])
def test_charts_are_images_until_somebody_points_at_one(page: Page, site: None) -> None:
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.set_viewport_size({"width": 1440, "height": 4000})
    page.goto("/", wait_until="networkidle")

    assert page.locator("[data-plot] svg.chart").count() == len(PLOTS)
    assert page.locator("[data-plot=scatter] .name").all_text_contents() == [
        "SWE-Agent · gpt-4o-2024-08-06",
        "ReAct-SUPER · gpt-4o-2024-08-06",
    ]
    assert not any("plotly" in url for url in fetched)


def test_the_library_is_fetched_when_somebody_gets_to_the_charts(page: Page, site: None) -> None:
    page.set_viewport_size({"width": 390, "height": 300})
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.goto("/", wait_until="networkidle")
    page.locator("[data-theme-toggle]").click()
    assert not any("plotly" in url for url in fetched)

    with page.expect_request(LIBRARY):
        page.locator("[data-charts]").scroll_into_view_if_needed()


def test_a_board_without_charts_fetches_no_library(
    page: Page, site: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "FEWEST_POINTS", 99)
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.set_viewport_size({"width": 1440, "height": 4000})
    page.goto("/b/super/expert/", wait_until="networkidle")

    assert page.locator("[data-charts]").count() == 1
    assert page.locator("[data-plot]").count() == 0
    assert not any("plotly.min" in url for url in fetched)


def test_where_a_chart_can_not_be_drawn_its_table_opens(
    page: Page, site: None, complaints: list[str]
) -> None:
    def refuse(route: Route) -> None:
        route.abort()

    page.route(LIBRARY, refuse)
    page.goto("/")
    page.locator("[data-plot]").first.hover()

    expect(page.locator("[data-plot=scatter]")).to_contain_text("could not be drawn")
    assert page.locator("figure table").first.is_visible()
    assert "ERR_FAILED" in complaints.pop()
