"""The looks in which each page is tried.

def test_the_board_is_accessible_and_fits(page: Page) -> None:
    page.goto("/")
    assert findings_in_every_look(page) == []
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Locator, Page, ViewportSize

PHONE = ViewportSize(width=390, height=844)
DESKTOP = ViewportSize(width=1440, height=900)

in_both_themes = pytest.mark.parametrize("theme", ["light", "dark"])
on_phone_and_desktop = pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
VIOLATIONS_ONLY = {"resultTypes": ["violations"]}
"""What passes is the most of a report, and nobody reads it."""
RULES_OF_COLOUR: Final = ("color-contrast", "link-in-text-block")
THEMES: Final[tuple[tuple[Literal["light", "dark"], tuple[str, ...]], ...]] = (
    ("light", ()),
    ("dark", RULES_OF_COLOUR),
)
"""The rules that are tried in each theme; none named are all."""

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


def accessibility_findings(page: Page, rules: Sequence[str] = ()) -> list[str]:
    """Return what axe-core finds wrong with a page (JavaScript must be on), a line for each element.

    With ``rules``, only these are tried.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options = {**VIOLATIONS_ONLY, "runOnly": rules} if rules else VIOLATIONS_ONLY
    violations = page.evaluate("options => axe.run(options).then(report => report.violations)", options)
    return [
        f"{violation['id']} ({violation['impact']}): {', '.join(node['target'])}: {violation['help']}"
        for violation in violations
        for node in violation["nodes"]
    ]


def findings_in_every_look(page: Page) -> list[str]:
    """Return what axe-core finds wrong with a loaded page, and where it is wider than its window.

    It is loaded once: theme and window then change under it, as they do for a reader. A theme changes colours
    alone, so that in the second only the rules about colours are tried again.
    """
    found = []
    for viewport in (DESKTOP, PHONE):
        page.set_viewport_size(viewport)
        width = f"{viewport['width']} px"
        found += [f"{width}: {pixels} px too wide ({where})" for where, pixels in too_wide(page).items()]
        for theme, rules in THEMES:
            page.emulate_media(color_scheme=theme)
            found += [f"{theme}, {width}: {finding}" for finding in accessibility_findings(page, rules)]
    return found
