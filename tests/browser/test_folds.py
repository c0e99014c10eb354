"""Long outputs: folded at first view, whole on demand, and never a hit folded away."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.looks import text_without_flags, without_javascript
from tests.browser.places import attempt_path
from tests.browser.runs import LONG_OUTPUT


@pytest.fixture
def output(page: Page, site: None) -> Locator:
    """The long output at first view."""
    page.goto(attempt_path("odd", "long"))
    return page.locator("#step-2 .output")


def test_a_fold_says_how_much_it_hides_and_the_text_how_much_it_is(output: Locator) -> None:
    assert "1,486 lines hidden" in output.locator("a.fold").first.inner_text()
    assert f"3,000 lines, {len(LONG_OUTPUT) - 1:,} characters" in output.inner_text()


def test_head_tail_and_hits_are_not_folded(output: Locator) -> None:
    shown = output.inner_text()

    assert "line 1 says little" in shown
    assert "line 3000 says little" in shown
    assert "line 700 says little" not in shown
    assert output.locator("#hit-1-1").is_visible()


@without_javascript
def test_without_javascript_a_fold_leads_to_the_page_of_its_text(page: Page, output: Locator) -> None:
    output.locator("a.fold").last.click()

    assert "line 1502 says little" in page.locator(".sheet pre").inner_text()
    page.get_by_role("link", name="Next page").click()
    assert "a needle in line 2100" in page.locator(".sheet pre").inner_text()


def test_a_fold_opens_in_place_page_by_page_and_closes(page: Page, output: Locator) -> None:
    address = page.url
    fold = output.locator("a.fold").first
    expect(fold).to_have_attribute("aria-expanded", "false")

    fold.click()
    sheet = output.locator(".opened")
    expect(sheet).to_contain_text("line 300 says little")
    expect(fold).to_have_attribute("aria-expanded", "true")
    expect(page.locator("[data-announce]")).to_have_text("Lines 1 to 500")
    sheet.get_by_role("link", name="Next page").click()
    expect(sheet).to_contain_text("line 700 says little")
    assert page.evaluate("document.activeElement.matches('.opened')")
    fold.click()

    assert output.locator(".opened").count() == 0
    expect(fold).to_have_attribute("aria-expanded", "false")
    assert page.url == address


def test_the_pages_of_a_text_are_the_whole_of_it(page: Page, output: Locator) -> None:
    page.goto(output.locator("a.fold").first.get_attribute("href") or "")
    whole = text_without_flags(page.locator(".sheet pre")).splitlines()
    while page.get_by_role("link", name="Next page").count():
        page.get_by_role("link", name="Next page").click()
        whole += text_without_flags(page.locator(".sheet pre")).splitlines()

    assert whole == LONG_OUTPUT.splitlines()


def test_a_page_of_an_output_leads_back_to_its_step(page: Page, output: Locator) -> None:
    page.goto(output.locator("a.fold").first.get_attribute("href") or "")

    page.locator(".crumbs a").click()

    expect(page.locator("[data-announce]")).to_have_text("Step 2 of 4")
