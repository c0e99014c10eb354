"""The looks in which each page is tried.

def test_the_board_is_accessible_and_fits(page: Page) -> None:
    page.goto("/")
    assert findings_in_every_look(page) == []
"""

from __future__ import annotations

from itertools import product
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, ViewportSize

PHONE = ViewportSize(width=390, height=844)
DESKTOP = ViewportSize(width=1440, height=900)

in_both_themes = pytest.mark.parametrize("theme", ["light", "dark"])
on_phone_and_desktop = pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
EVERY_LOOK = tuple(product([DESKTOP, PHONE], THEMES))
VIOLATIONS_ONLY = {"resultTypes": ["violations"]}
"""What passes is the most of a report, and nobody reads it."""

NARROWEST = 320
"""CSS pixels: a page has to fit without a scroll to the right (WCAG 2.1, 1.4.10)."""
LETTERS = {"own letters": "", "wide letters": "* { letter-spacing: .12em !important }"}
"""Fonts differ in their widths by a fifth and more, and which one a reader has is not ours to say."""
DRESS = """css => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [sheet];
}"""
"""Adds a style sheet in a way that the Content-Security-Policy of our pages lets through."""
TOO_WIDE = "document.documentElement.scrollWidth - innerWidth"

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


def too_wide(page: Page) -> dict[str, int]:
    """Return by how many pixels a page is wider than its window; nothing where it fits.

    Tried with narrow and wide letters, in the window as it is and, for a phone, in the narrowest there is.
    """
    size = page.viewport_size
    assert size is not None
    found = {}
    for width in {size["width"], NARROWEST} if size == PHONE else {size["width"]}:
        page.set_viewport_size({"width": width, "height": size["height"]})
        for letters, css in LETTERS.items():
            page.evaluate(DRESS, css)
            found[f"{width} px, {letters}"] = page.evaluate(TOO_WIDE)
    page.evaluate(DRESS, "")
    page.set_viewport_size(size)
    return {where: pixels for where, pixels in found.items() if pixels > 0}


def accessibility_findings(page: Page) -> list[str]:
    """Return what axe-core finds wrong with a page (JavaScript must be on), a line for each element."""
    return [
        f"{violation['id']} ({violation['impact']}): {', '.join(node['target'])}: {violation['help']}"
        for violation in Axe().run(page, options=VIOLATIONS_ONLY).response["violations"]
        for node in violation["nodes"]
    ]


def findings_in_every_look(page: Page) -> list[str]:
    """Return what axe-core finds wrong with a loaded page, and where it is wider than its window.

    It is loaded once: theme and window then change under it, as they do for a reader.
    """
    found = []
    for viewport, theme in EVERY_LOOK:
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=theme)
        look = f"{theme}, {viewport['width']} px"
        found += [f"{look}: {finding}" for finding in accessibility_findings(page)]
        found += [f"{look}: {pixels} px too wide ({where})" for where, pixels in too_wide(page).items()]
    return found
