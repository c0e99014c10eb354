"""Long outputs: folded at first view, whole on demand, and never a hit folded away."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.looks import text_without_flags, without_javascript
from tests.browser.places import attempt_path
from tests.browser.runs import LONG_OUTPUT, WIDE_OUTPUT


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
def test_without_javascript_a_fold_leads_to_where_its_text_begins(page: Page, output: Locator) -> None:
    output.locator("a.fold").last.click()

    assert page.url.endswith("/2/output/4/#step-2-L1502")
    assert page.locator(":target").evaluate("each => each.getBoundingClientRect().top < innerHeight")

    assert "line 1502 says little" in page.locator(".sheet pre").inner_text()
    page.get_by_role("link", name="Next page").click()
    assert "a needle in line 2100" in page.locator(".sheet pre").inner_text()


def whole_text(output: Locator) -> list[str]:
    """The lines of an output as they stand on the page, without what is not text."""
    text: str = output.evaluate(
        """each => {
            const copy = each.cloneNode(true);
            copy.querySelectorAll(".flag, .fold, .size").forEach(other => other.remove());
            return copy.textContent;
        }"""
    )
    return [line for line in text.splitlines() if line.strip()]


def test_a_fold_opens_in_place_to_what_it_hides_and_closes(page: Page, output: Locator) -> None:
    address = page.url
    fold = output.locator("a.fold").first
    expect(fold).to_have_attribute("aria-expanded", "false")
    before = output.inner_text()

    fold.click()
    opened = output.locator(".opened")
    expect(fold).to_have_attribute("aria-expanded", "true")
    expect(page.locator("[data-announce]")).to_have_text("Lines 13 to 500")
    assert whole_text(output)[:500] == LONG_OUTPUT.splitlines()[:500]
    more = opened.locator("a.fold")
    assert more.inner_text() == "998 lines hidden"
    more.click()
    expect(page.locator("[data-announce]")).to_have_text("Lines 501 to 1,000")
    fold.click()

    expect(fold).to_have_attribute("aria-expanded", "false")
    assert output.inner_text() == before
    assert page.url == address


def test_all_that_is_folded_opens_at_once_and_nothing_is_shown_twice(page: Page, output: Locator) -> None:
    before = output.inner_text()

    page.get_by_role("button", name="Expand all").click()

    expect(page.locator("[data-announce]")).to_have_text("Everything is open")
    assert whole_text(output) == LONG_OUTPUT.splitlines()
    page.get_by_role("button", name="Collapse all").click()
    assert output.inner_text() == before


def test_expanding_all_stops_before_a_page_gets_too_long(page: Page, output: Locator) -> None:
    lines = "".join(f"line {n}\n" for n in range(1, 1500))
    body = f'<pre data-from="1:0" data-to="1500:0">\n{lines}</pre>'
    page.route("**/2/output/**", lambda route: route.fulfill(body=body, content_type="text/html"))
    output.evaluate(
        """each => {
            const [fold, ...others] = each.querySelectorAll("a.fold");
            others.forEach(other => other.remove());
            for (let made = 0; made < 19; made += 1) fold.after(fold.cloneNode(true));
        }"""
    )

    page.get_by_role("button", name="Expand all").click()

    expect(page.locator("[data-announce]")).to_contain_text("20,804 lines are open, 6 folds are not")


def test_what_cannot_be_loaded_says_where_it_is(page: Page, output: Locator, complaints: list[str]) -> None:
    page.route("**/2/output/**", lambda route: route.abort())

    output.locator("a.fold").first.click()

    expect(page.locator("[data-announce]")).to_contain_text("could not be opened here")
    assert output.locator(".opened").count() == 0
    complaints.clear()


def test_characters_cut_from_a_line_open_within_it(page: Page, site: None) -> None:
    page.goto(attempt_path("odd", "wide"))
    output = page.locator("#step-1 .output")

    output.locator("a.cut").first.click()
    expect(output.locator(".opened")).to_have_count(1)
    while output.locator("a.cut[aria-expanded=false]").count():
        opened = output.locator(".opened").count()
        output.locator("a.cut[aria-expanded=false]").first.click()
        expect(output.locator(".opened")).to_have_count(opened + 1)

    assert whole_text(output) == WIDE_OUTPUT.splitlines()


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
