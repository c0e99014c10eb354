"""Search: results change in place, and the address always says what is shown."""

from __future__ import annotations

from playwright.sync_api import Page, expect


def test_a_search_and_its_filters_change_the_results_and_the_address(page: Page, site: None) -> None:
    page.goto("/search/")
    page.get_by_label("Text").fill("epoch*")
    page.get_by_role("button", name="Search").click()
    expect(page).to_have_url("/search/?q=epoch*")
    everything = page.locator("#results .matches h2").count()

    page.locator("#narrow a").first.click()
    expect(page.get_by_role("list", name="Filters that are set")).to_be_visible()
    assert "q=epoch" in page.url
    assert 0 < page.locator("#results .matches h2").count() <= everything
    filtered = page.url

    # Another search keeps the filter; going back brings back what was found before.
    page.get_by_label("Text").fill("nothingofthekind")
    page.get_by_label("Text").press("Enter")
    expect(page.get_by_role("heading", name="No step has this")).to_be_visible()
    expect(page.get_by_role("list", name="Filters that are set")).to_be_visible()
    page.go_back()
    expect(page).to_have_url(filtered)
    page.locator("#results .matches ol a").first.click()
    page.wait_for_url("**/a/*/#step-*")
