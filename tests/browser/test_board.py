"""The board: sorted, filtered and paged in place, all of it in the address, and without JavaScript too."""

from __future__ import annotations

import csv
import io
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect
from pytest_django import Settings

from leaderboard.boards import selectors
from tests.browser.looks import without_javascript

with_and_without_javascript = pytest.mark.parametrize("javascript", [True, False], ids=["js", "no-js"])


@pytest.fixture
def viewport() -> ViewportSize:
    """Low: charts, below the table, mostly stay out of reach. Drawing them costs more than all the rest."""
    return ViewportSize(width=1440, height=200)


def heading(page: Page, name: str) -> Locator:
    """The first column heading of that name."""
    return page.locator(".board thead a", has_text=re.compile(f"^{name}$")).first


def column_head(page: Page, name: str) -> Locator:
    return heading(page, name).locator("xpath=ancestor::th")


def open_filters(page: Page) -> None:
    """They are closed until they are used: a board begins with its entries."""
    page.get_by_text("Filter entries, choose columns").click()


def agents(page: Page) -> list[str]:
    """The agents' names as listed."""
    return page.locator(".board tbody th > a").all_inner_texts()


def asked(page: Page) -> dict[str, list[str]]:
    """What the page's address asks for."""
    return parse_qs(urlsplit(page.url).query)


def test_a_heading_swaps_the_table_alone_and_pushes_the_address(page: Page, site: None) -> None:
    page.goto("/b/odd/all/")
    page.evaluate("window.stayed = true")

    heading(page, "Agent").click()

    expect(column_head(page, "Agent")).to_have_attribute("aria-sort", "ascending")
    assert asked(page) == {"sort": ["agent"]}
    assert agents(page) == ["Odd", "Silent"]
    assert page.evaluate("window.stayed")
    assert page.locator("header.masthead, #board").count() == 2


def test_the_back_button_restores_the_table(page: Page, site: None) -> None:
    page.goto("/b/odd/all/")
    before = agents(page)
    heading(page, "Agent").click()
    expect(column_head(page, "Agent")).to_have_attribute("aria-sort", "ascending")

    page.go_back()

    expect(column_head(page, "Accuracy")).to_have_attribute("aria-sort", "descending")
    assert agents(page) == before
    assert urlsplit(page.url).query == ""
    assert page.locator("header.masthead").count() == 1


def test_the_keyboard_stays_on_a_heading_that_it_sorted_by(page: Page, site: None) -> None:
    page.goto("/")

    heading(page, "Landmarks").press("Enter")

    expect(column_head(page, "Landmarks")).to_have_attribute("aria-sort", "descending")
    expect(heading(page, "Landmarks")).to_be_focused()


def test_what_a_click_did_is_said(page: Page, site: None, settings: Settings) -> None:
    settings.SUPERBOARD_PAGE_SIZE = 1
    page.goto("/")
    said = page.locator("#board-said")
    assert said.inner_text() == ""
    said.evaluate("each => { window.said = each }")

    page.get_by_label("Columns by category").check()
    heading(page, "CPU").click()
    expect(said).to_have_text("2 entries, sorted by Accuracy, CPU, descending, page 1 of 2")
    open_filters(page)
    page.get_by_label("Agent", exact=True).fill("react")
    page.get_by_label("Agent", exact=True).press("Enter")
    expect(said).to_have_text("1 entry, sorted by Accuracy, CPU, descending")
    page.get_by_label("Agent", exact=True).fill("nobody")
    page.get_by_label("Agent", exact=True).press("Enter")
    expect(said).to_have_text("0 entries")

    assert page.evaluate("said.isConnected"), "only what is put into a region that stays is read out"


def test_the_keyboard_stays_on_a_link_between_pages_at_the_last_one_too(
    page: Page, site: None, settings: Settings
) -> None:
    settings.SUPERBOARD_PAGE_SIZE = 1
    page.goto("/")

    page.get_by_role("link", name="Next").press("Enter")

    expect(page.locator("#page-next")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("#page-next")).to_be_focused()


@pytest.mark.parametrize(("sorted_by", "other"), [("Agent", "Model"), ("Model", "Agent")])
def test_agent_and_model_are_heads_of_their_own(page: Page, site: None, sorted_by: str, other: str) -> None:
    page.goto(f"/?sort={sorted_by.lower()}")

    expect(column_head(page, sorted_by)).to_have_attribute("aria-sort", "ascending")
    assert column_head(page, other).get_attribute("aria-sort") is None


@with_and_without_javascript
def test_a_second_click_on_a_heading_turns_the_order_round(page: Page, site: None) -> None:
    page.goto("/")
    heading(page, "Landmarks").click()
    expect(column_head(page, "Landmarks")).to_have_attribute("aria-sort", "descending")
    first = agents(page)

    heading(page, "Landmarks").click()

    expect(column_head(page, "Landmarks")).to_have_attribute("aria-sort", "ascending")
    assert agents(page) == first[::-1]
    assert page.locator("[aria-sort]").count() == 1


@pytest.mark.parametrize("sort", ["landmarks", "-landmarks"])
def test_an_entry_without_the_figure_comes_last_in_both_directions(page: Page, site: None, sort: str) -> None:
    page.goto(f"/b/odd/all/?sort={sort}")

    assert agents(page) == ["Odd", "Silent"]
    landmarks = page.locator(".board tbody tr:last-child td.num").nth(1)
    assert landmarks.inner_text() == "\N{EN DASH}"


@with_and_without_javascript
def test_a_filter_leaves_the_entries_that_fit(page: Page, site: None) -> None:
    page.goto("/")
    open_filters(page)

    page.get_by_label("Agent", exact=True).fill("react")
    page.get_by_label("Agent", exact=True).press("Enter")

    expect(page.locator(".board tbody tr")).to_have_count(1)
    assert agents(page) == ["ReAct-SUPER"]
    assert asked(page)["agent"] == ["react"]


@with_and_without_javascript
def test_a_filter_keeps_the_order(page: Page, site: None) -> None:
    page.goto("/")
    heading(page, "Landmarks").click()
    expect(column_head(page, "Landmarks")).to_have_attribute("aria-sort", "descending")

    open_filters(page)
    page.get_by_label("Model").fill("gpt")
    page.get_by_role("button", name="Filter").click()

    page.wait_for_url("**/*model=gpt*")
    assert asked(page)["sort"] == ["-landmarks"]
    expect(column_head(page, "Landmarks")).to_have_attribute("aria-sort", "descending")


@with_and_without_javascript
def test_a_column_is_chosen_and_stays_in_the_address(page: Page, site: None, javascript: bool) -> None:
    page.goto("/")
    open_filters(page)
    page.get_by_text("Columns", exact=True).press("Enter")
    page.get_by_label("Steps", exact=True).check()
    if not javascript:
        page.get_by_role("button", name="Filter").click()

    expect(heading(page, "Steps")).to_have_attribute("title", "Steps of an attempt.")
    heading(page, "Steps").click()

    # Less is better: ascending first.
    expect(column_head(page, "Steps")).to_have_attribute("aria-sort", "ascending")
    assert (asked(page)["columns"], asked(page)["sort"]) == (["steps"], ["steps"])
    expect(page.get_by_label("Steps", exact=True)).to_be_checked()


@with_and_without_javascript
def test_columns_by_category_are_shown_when_asked_for(page: Page, site: None, javascript: bool) -> None:
    page.goto("/b/super/masked/")
    expect(heading(page, "CPU")).to_be_hidden()

    page.get_by_label("Columns by category").check()
    expect(heading(page, "CPU")).to_be_visible()

    if javascript:
        # And stay for the next board.
        page.goto("/")
        expect(page.get_by_label("Columns by category")).to_be_checked()
        page.get_by_label("Columns by category").uncheck()
    page.goto("/b/super/masked/?sort=-accuracy:cpu")
    expect(heading(page, "CPU")).to_be_visible()


@with_and_without_javascript
def test_the_axes_are_chosen_beside_the_chart(
    page: Page, site: None, javascript: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "FEWEST_POINTS", 2)
    page.goto("/?sort=agent")
    page.get_by_label("Across").select_option("submitted")
    if not javascript:
        page.get_by_role("button", name="Show").click()

    expect(page.get_by_role("heading", name="Accuracy against submitted")).to_be_visible()
    assert (asked(page)["x"], asked(page)["sort"]) == (["submitted"], ["agent"])


@with_and_without_javascript
def test_another_scorer_shows_at_once(page: Page, site: None) -> None:
    page.goto("/b/odd/all/")

    page.get_by_role("link", name="As reported").click()

    page.wait_for_url("**/*scorer=reported*")
    leading = page.locator(".board tbody td.lead-figure").first
    expect(leading).to_contain_text("50.0")
    expect(leading.get_by_title("reported")).to_have_text("r")
    assert agents(page) == ["Silent", "Odd"]
    expect(page).to_have_title(re.compile("As reported"))


def test_a_filter_that_nothing_fits_leads_back_to_all(page: Page, site: None) -> None:
    page.goto("/?agent=nobody")

    page.get_by_role("link", name="Show all entries").click()

    expect(page.locator(".board tbody tr")).to_have_count(2)


@with_and_without_javascript
def test_a_long_board_comes_in_pages(page: Page, site: None, settings: Settings) -> None:
    settings.SUPERBOARD_PAGE_SIZE = 1
    page.goto("/?sort=agent")
    assert agents(page) == ["ReAct-SUPER"]

    page.get_by_role("link", name="Next").click()

    page.wait_for_url("**/?sort=agent&page=2")
    expect(page.locator(".board tbody th > a")).to_have_text("SWE-Agent")


@without_javascript
def test_an_address_opens_in_its_order_and_with_its_filters(page: Page, site: None) -> None:
    page.goto("/?agent=super&scorer=reported&sort=-accuracy%3Acpu")

    assert agents(page) == ["ReAct-SUPER"]
    assert page.get_by_label("Agent", exact=True).input_value() == "super"
    expect(page.get_by_role("link", name="As reported")).to_have_attribute("aria-current", "page")
    expect(column_head(page, "CPU")).to_have_attribute("aria-sort", "descending")


def test_the_data_links_follow_the_query(page: Page, site: None) -> None:
    page.goto("/")
    open_filters(page)
    page.get_by_label("Agent", exact=True).fill("swe")
    page.get_by_label("Agent", exact=True).press("Enter")
    expect(page.locator(".board tbody tr")).to_have_count(1)

    with page.expect_download() as started:
        page.get_by_role("link", name="CSV").click()
    rows = list(csv.DictReader(io.StringIO(started.value.path().read_text(encoding="utf-8"))))
    data = page.request.get(page.get_by_role("link", name="JSON").get_attribute("href") or "").json()

    assert [row["agent"] for row in rows] == ["SWE-Agent"]
    assert [entry["agent"] for entry in data["entries"]] == ["SWE-Agent"]
