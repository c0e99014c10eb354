"""The theme: the system's until the reader chooses one, then the reader's."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import in_both_themes

PAPER = {"light": "rgb(253, 253, 251)", "dark": "rgb(21, 23, 26)"}


def paper(page: Page) -> str:
    found: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return found


@in_both_themes
def test_without_a_choice_the_page_follows_the_system(page: Page, theme: str) -> None:
    page.goto("/about/")

    assert paper(page) == PAPER[theme]


def test_a_choice_outlasts_a_reload_and_announces_itself(page: Page) -> None:
    page.goto("/about/")
    button = page.locator("[data-theme-toggle]")
    expect(button).to_have_accessible_name("Theme of the system")

    button.click()
    button.click()

    expect(button).to_have_accessible_name("Dark theme")
    assert page.get_by_role("status").inner_text() == "Dark theme"
    page.reload()
    assert paper(page) == PAPER["dark"]
    expect(button).to_have_accessible_name("Dark theme")


def test_a_third_click_gives_the_theme_back_to_the_system(page: Page) -> None:
    page.goto("/about/")
    for _ in range(3):
        page.locator("[data-theme-toggle]").click()

    page.emulate_media(color_scheme="dark")

    assert paper(page) == PAPER["dark"]


@pytest.mark.parametrize("javascript", [False])
def test_without_javascript_there_is_no_button_that_does_nothing(page: Page) -> None:
    page.goto("/about/")

    assert page.locator("[data-theme-toggle]").is_hidden()


def test_a_page_works_where_storage_is_forbidden(page: Page) -> None:
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no') }})"
    )
    page.goto("/about/")

    page.locator("[data-theme-toggle]").click()

    expect(page.locator("html")).to_have_attribute("data-theme", "light")
