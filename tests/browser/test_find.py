"""Find in this trajectory: across all steps, folded text too, each match where its text can be seen."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import without_javascript
from tests.browser.places import attempt_path


def look_for(page: Page, text: str) -> None:
    page.goto(attempt_path("odd", "long"))
    page.get_by_label("Find in this trajectory").fill(text)


def test_matches_are_listed_while_typing(page: Page, site: None) -> None:
    look_for(page, "TRAINING")

    expect(page.locator("#found-count")).to_have_text("1 match")
    expect(page.locator("#found .where")).to_have_text("Step 2, line 1")
    expect(page.locator("#found mark")).to_have_text("training")


def test_many_matches_are_counted_and_the_first_listed(page: Page, site: None) -> None:
    look_for(page, "says little")

    expect(page.locator("#found-count")).to_contain_text("2,998 matches, 20 are listed")
    assert page.locator("#found li").count() == 20


def test_nothing_found_says_so(page: Page, site: None) -> None:
    look_for(page, "no such text")

    expect(page.locator("#found-count")).to_contain_text("Nothing found")


def test_an_emptied_search_takes_its_matches_away(page: Page, site: None) -> None:
    look_for(page, "training")
    expect(page.locator("#found li")).to_have_count(1)

    page.get_by_label("Find in this trajectory").fill("")

    expect(page.locator("#found li")).to_have_count(0)
    expect(page.locator("#found-count")).to_be_empty()


def test_the_count_alone_is_read_out(page: Page, site: None) -> None:
    look_for(page, "says little")
    expect(page.locator("#found li")).to_have_count(20)

    assert page.locator("[role=status], [aria-live]").locator("li").count() == 0
    assert page.locator(":is([role=status], [aria-live]) #found").count() == 0
    expect(page.get_by_role("status").filter(has_text="matches")).to_have_count(1)


@pytest.mark.parametrize("javascript", [True, False], ids=["js", "no-js"])
def test_a_match_in_folded_text_leads_to_the_page_that_has_it(page: Page, site: None) -> None:
    look_for(page, "a needle")
    page.get_by_role("button", name="Find").click()

    page.get_by_text("Step 2, line 2100").click()

    assert "a needle in line 2100" in page.locator(".sheet pre").inner_text()


def test_a_match_in_plain_sight_leads_to_its_step(page: Page, site: None) -> None:
    look_for(page, "No such file")
    expect(page.locator("#found li")).to_have_count(1)

    page.locator("#found a").click()

    expect(page.locator("[data-announce]")).to_have_text("Step 3 of 4")


@without_javascript
def test_without_javascript_there_is_a_page_of_matches(page: Page, site: None) -> None:
    look_for(page, "look around")
    page.get_by_role("button", name="Find").click()

    assert page.get_by_role("heading", name="Find in this trajectory").is_visible()
    assert page.get_by_label("Text").input_value() == "look around"
    page.locator(".matches a").click()
    assert page.url.endswith("#step-1")
