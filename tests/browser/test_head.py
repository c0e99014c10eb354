"""The head of an attempt's page: the line that stays while the page is scrolled, and the time strip."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import DESKTOP, NARROWEST, PHONE, on_phone_and_desktop, without_javascript
from tests.browser.places import attempt_path

IN_FRONT = """selector => {
    const each = document.querySelector(selector);
    const { left, top, width, height } = each.getBoundingClientRect();
    return each.contains(document.elementFromPoint(left + Math.min(width, innerWidth) / 2, top + height / 2));
}"""
"""Whether the middle of an element is in the window with nothing over it."""


@on_phone_and_desktop
@without_javascript
def test_task_agent_scores_and_ending_stay_in_sight(page: Page, site: None) -> None:
    page.goto(attempt_path("warm-up", "keygrain", "hasty"))
    assert page.evaluate(IN_FRONT, ".opening h1")
    assert not page.evaluate(IN_FRONT, ".headline .what")

    page.goto(f"{attempt_path('warm-up', 'keygrain', 'hasty')}#step-7")

    for part, words in ((".what", "keygrain scripted · hasty"), (".end", "Ran out of context")):
        assert page.evaluate(IN_FRONT, f".headline {part}")
        assert " ".join(page.locator(f".headline {part}").inner_text().split()) == words
    assert "Accuracy 0.0" in page.locator(".headline .how").inner_text()


@on_phone_and_desktop
def test_what_an_address_leads_to_is_not_behind_the_head(page: Page, site: None) -> None:
    page.goto(f"{attempt_path('warm-up', 'keygrain', 'hasty')}#step-7")
    expect(page.locator("[data-announce]")).to_have_text("Step 7 of 11")

    assert page.evaluate(IN_FRONT, "#step-7 > header")
    page.keyboard.press("j")
    assert page.evaluate(IN_FRONT, "#step-8 > header")


@pytest.mark.parametrize("viewport", [{**PHONE, "width": NARROWEST}])
def test_all_scores_are_in_sight_on_the_narrowest_phone(page: Page, site: None) -> None:
    page.goto(attempt_path("warm-up", "keygrain", "hasty"))

    assert page.locator(".verdict .scroll").evaluate("each => each.scrollWidth <= each.clientWidth")


def test_a_bar_of_the_strip_leads_to_its_step_and_is_marked(page: Page, site: None) -> None:
    page.goto(attempt_path("warm-up", "keygrain", "hasty"))
    bars = page.locator(".strip a")
    assert bars.count() == 11

    bars.nth(8).click()
    expect(page.locator("[data-announce]")).to_have_text("Step 9 of 11")

    assert page.evaluate("document.activeElement.id") == "step-9"
    expect(page.locator(".strip [aria-current]")).to_have_attribute("href", "#step-9")
    page.keyboard.press("k")
    expect(page.locator(".strip [aria-current]")).to_have_attribute("href", "#step-8")


def test_the_strip_is_one_stop_of_the_tab_key_and_arrows_go_along_it(page: Page, site: None) -> None:
    page.goto(attempt_path("warm-up", "keygrain", "hasty"))
    assert page.locator('.strip a[tabindex="0"]').count() == 1
    page.locator('.strip a[tabindex="0"]').focus()

    went = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home"):
        page.keyboard.press(key)
        went.append(page.evaluate("document.activeElement.getAttribute('href')"))
    assert went == [f"#step-{number}" for number in (2, 3, 2, 11, 11, 1)]

    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("[data-announce]")).to_have_text("Step 2 of 11")
    assert page.locator('.strip a[tabindex="0"]').count() == 1


@pytest.mark.parametrize("viewport", [DESKTOP])
@without_javascript
def test_without_javascript_the_strip_is_links_and_says_in_words_what_it_shows(
    page: Page, site: None
) -> None:
    page.goto(attempt_path("odd", "long"))

    assert "Step 2, execute" in (page.locator(".strip a title").nth(1).text_content() or "")
    assert "landmark 1" in (page.locator(".strip a title").nth(1).text_content() or "")
    assert "4 steps" in page.locator(".strip-text").inner_text()
    page.locator(".strip a").nth(2).click()
    assert page.url.endswith("#step-3")
    assert page.evaluate(IN_FRONT, "#step-3 > header")
