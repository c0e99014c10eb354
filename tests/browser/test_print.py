"""What a printer and somebody who wants less motion get."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.places import attempt_path


def test_paper_has_the_trajectory_and_no_controls(page: Page, site: None) -> None:
    page.goto(attempt_path("odd", "long"))

    page.emulate_media(media="print")

    assert page.locator("#step-2").is_visible()
    for control in (
        ".masthead nav",
        ".masthead-end",
        ".headline",
        ".strip",
        ".rail",
        ".toolbar",
        ".colophon",
    ):
        assert page.locator(control).is_hidden()


def test_paper_has_repeated_steps_too(page: Page, site: None) -> None:
    page.goto(attempt_path("odd", "wide"))
    expect(page.locator("#step-9")).to_be_hidden()

    page.emulate_media(media="print")

    expect(page.locator("#step-9 .output")).to_be_visible()


def test_whoever_wants_less_motion_gets_none(page: Page, site: None) -> None:
    page.goto("/")
    board = page.locator("#board")
    expect(board).to_have_css("transition-duration", "0.15s")

    page.emulate_media(reduced_motion="reduce")

    expect(board).to_have_css("transition-duration", "0s")
