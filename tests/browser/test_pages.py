"""Every page: accessible, no wider than its window, without a complaint, in both themes and two widths."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from playwright.sync_api import Page

from leaderboard.catalogue import views as about
from tests.browser.looks import findings_in_every_look, on_phone_and_desktop, too_wide
from tests.browser.places import long_places, places


def open_pages(page: Page, paths: dict[str, str]) -> Iterator[str]:
    """Go to every page in turn; charts are drawn, details open."""
    for name, path in paths.items():
        page.goto(path)
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        if page.locator("[data-plot]").count():
            page.locator("[data-plot]").first.hover()
            page.wait_for_selector("[data-plot][data-drawn]:last-of-type")
        yield name


def test_every_page_is_accessible_and_fits(page: Page, site: None) -> None:
    found = [
        f"{name}: {finding}"
        for name in open_pages(page, places())
        for finding in findings_in_every_look(page)
    ]

    assert not found, "\n".join(found)


@on_phone_and_desktop
def test_long_pages_fit(page: Page, site: None) -> None:
    found = {name: wider for name in open_pages(page, long_places()) if (wider := too_wide(page))}

    assert found == {}


def test_a_site_without_a_benchmark_says_what_to_do(page: Page) -> None:
    page.goto("/")

    assert page.get_by_text("load_fixtures").is_visible()
    assert findings_in_every_look(page) == []


@pytest.mark.parametrize(
    ("error", "status"),
    [(PermissionDenied, 403), (SuspiciousOperation, 400), (ZeroDivisionError, 500), (None, 404)],
)
def test_an_error_has_a_page(
    page: Page,
    complaints: list[str],
    monkeypatch: pytest.MonkeyPatch,
    error: type[Exception] | None,
    status: int,
) -> None:
    def fail() -> None:
        assert error is not None
        raise error

    if error:
        monkeypatch.setattr(about, "all_task_sets", fail)

    response = page.goto("/about/" if error else "/no/such/page/")

    assert response is not None
    assert response.status == status
    assert page.locator(".code").inner_text() == str(status)
    assert page.get_by_role("link", name="To the board").is_visible()
    assert findings_in_every_look(page) == []
    # Chromium reports the status of the page itself as an error, and nothing else is wrong.
    assert f"status of {status}" in complaints.pop()
