"""A copy of the site, opened from disk: charts, trajectories and links work without a server."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

from leaderboard.exporting import places
from leaderboard.models import Attempt


@pytest.fixture
def copy(site: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a copy of a benchmark that ships with the project, without the variants of pages."""
    names = places.PAGES.keys() - {"guide"}
    monkeypatch.setattr(places, "PAGES", dict.fromkeys(names, frozenset()))
    options = ("--benchmark", "warm-up")
    call_command("export_site", str(tmp_path / "copy"), *options, stdout=io.StringIO(), stderr=io.StringIO())
    return (tmp_path / "copy").as_uri()


def long_attempt() -> Attempt:
    """An attempt with a text that has pages of its own."""
    warmup = Attempt.objects.filter(entry__task_set__benchmark__slug="warm-up")
    return warmup.filter(pages__part="output").order_by("pk")[0]


def test_a_copy_opens_from_disk_with_its_charts_and_trajectories(copy: str, browser: Browser) -> None:
    complaints: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error":
            complaints.append(message.text)

    def watch(request: Request) -> None:
        if not request.url.startswith((f"{copy}/", "data:")):
            complaints.append(f"asked: {request.url}")

    context = browser.new_context()
    page = context.new_page()
    page.on("console", hear)
    page.on("request", watch)
    page.on("pageerror", lambda error: complaints.append(f"uncaught: {error}"))
    page.on("requestfailed", lambda request: complaints.append(f"failed: {request.url}"))

    page.goto(f"{copy}/index.html")
    page.get_by_role("navigation", name="Boards").get_by_role("link", name="Warm-up").click()
    look_at_a_board(page)
    look_at_a_trajectory(page, f"{copy}/a/{long_attempt().pk}/index.html")

    context.close()
    assert not complaints, "\n".join(complaints)


def look_at_a_board(page: Page) -> None:
    expect(page.get_by_role("link", name="Sign in")).to_have_count(0)
    page.locator("[data-plot]").first.hover()
    expect(page.locator("[data-plot]").first).to_have_attribute("data-drawn", "")
    page.locator("table.board tbody th.who a").first.click()
    expect(page.get_by_role("heading", name="Attempts", exact=True)).to_be_visible()


def look_at_a_trajectory(page: Page, address: str) -> None:
    page.goto(f"{address}#step-2")
    expect(page.locator("[data-announce]")).to_contain_text("Step 2 of")
    page.keyboard.press("j")
    expect(page).to_have_url(f"{address}#step-3")
    for key in ("/", "e"):
        page.keyboard.press(key)
    page.locator("a.fold").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("lines")
    page.locator(".crumbs a").first.click()
    expect(page.locator(".trajectory")).to_be_visible()
