"""The looks in which each page is tried.

@in_both_themes
@on_phone_and_desktop
def test_the_board_is_accessible(page: Page) -> None:
    page.goto("/")
    assert accessibility_findings(page) == []
"""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, ViewportSize

PHONE = ViewportSize(width=390, height=844)
DESKTOP = ViewportSize(width=1440, height=900)

in_both_themes = pytest.mark.parametrize("theme", ["light", "dark"])
on_phone_and_desktop = pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
VIOLATIONS_ONLY = {"resultTypes": ["violations"]}
"""What passes is the most of a report, and nobody reads it."""

without_javascript = pytest.mark.parametrize("javascript", [False], ids=["no-javascript"])


def text_without_flags(element: Locator) -> str:
    """The text of an element, line ends as they are, without the numbers that flag landmarks in it."""
    text: str = element.evaluate(
        """each => {
            const copy = each.cloneNode(true);
            copy.querySelectorAll(".flag").forEach(flag => flag.remove());
            return copy.textContent;
        }"""
    )
    return text


def accessibility_findings(page: Page) -> list[str]:
    """Return what axe-core finds wrong with a page (JavaScript must be on), a line for each element."""
    return [
        f"{violation['id']} ({violation['impact']}): {', '.join(node['target'])}: {violation['help']}"
        for violation in Axe().run(page, options=VIOLATIONS_ONLY).response["violations"]
        for node in violation["nodes"]
    ]
