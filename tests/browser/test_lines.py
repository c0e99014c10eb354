"""Lines of a trajectory's texts: their addresses, and how they are copied."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.looks import findings_in_every_look
from tests.browser.places import attempt_path
from tests.browser.runs import LONG_OUTPUT
from tests.browser.test_find import is_in_the_middle


def announced(page: Page) -> Locator:
    return page.locator("[data-announce]")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("step-2-L712", "Step 2, line 712"),
        ("step-2-L2999", "Step 2, line 2999"),
        ("step-2-action-L1", "Step 2, code, line 1"),
    ],
    ids=["folded", "in plain sight", "code"],
)
def test_the_address_of_a_line_opens_and_marks_it(line: str, said: str, page: Page, site: None) -> None:
    page.goto(f"{attempt_path('odd', 'long')}#{line}")

    expect(announced(page)).to_have_text(said)
    assert page.evaluate("document.activeElement.id") == line
    assert page.locator(".ln.current").get_attribute("id") == line
    assert page.locator(".outline [aria-current]").get_attribute("href") == "#step-2"
    if "action" not in line:
        assert is_in_the_middle(page.locator(".ln.current"))
        shown = page.locator(".ln.current").evaluate("each => each.nextSibling.data.split('\\n')[0]")
        assert shown == LONG_OUTPUT.splitlines()[int(line.partition("L")[2]) - 1]


def test_a_line_that_there_is_not_says_so(page: Page, site: None) -> None:
    page.goto(f"{attempt_path('odd', 'long')}#step-2-L3001")

    expect(announced(page)).to_have_text("There is no such line in this step")
    assert page.evaluate("document.activeElement.id") == "step-2"


def test_a_line_of_a_repeated_step_opens_what_it_is_put_away_in(page: Page, site: None) -> None:
    page.goto(f"{attempt_path('odd', 'wide')}#step-9-L1")

    expect(announced(page)).to_have_text("Step 9, line 1")
    assert page.locator("#step-9").is_visible()


def test_the_number_beside_a_line_is_its_address(page: Page, site: None) -> None:
    page.goto(attempt_path("odd", "long"))
    page.locator("#step-2 .output").scroll_into_view_if_needed()
    box = page.locator("#step-2 .output > pre").first.bounding_box()
    assert box is not None

    page.mouse.move(box["x"] + 60, box["y"] + box["height"] * 2.5 / 12)

    expect(page.locator(".line-link")).to_have_attribute("href", "#step-2-L3")


def test_what_opens_in_place_is_accessible_and_fits(page: Page, site: None) -> None:
    page.goto(attempt_path("odd", "wide"))
    page.get_by_label("Find in this trajectory").fill("needle")
    expect(page.locator("#found li")).to_have_count(4)
    page.get_by_role("button", name="Find", exact=True).click()
    expect(page.locator("mark.found.current")).to_be_visible()
    page.get_by_role("button", name="Expand all").click()
    expect(announced(page)).to_have_text("Everything is open")
    assert findings_in_every_look(page) == []

    page.get_by_role("button", name="Keys").click()

    assert findings_in_every_look(page) == []


def test_steps_are_copied_whole_folded_text_included(page: Page, site: None) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{attempt_path('odd', 'long')}#step-2")
    links = page.locator("#step-2 .copy")

    for name, expected in [
        ("Copy the output of step 2", re.escape(LONG_OUTPUT.rstrip("\n"))),
        ("Copy the code of step 2", re.escape("!python train.py")),
        (
            "Copy step 2 as Markdown",
            r"## Step 2: execute\n\nNow the training\.\n\n```python\n!python train\.py\n",
        ),
    ]:
        links.get_by_role("link", name=name).click()
        expect(announced(page)).to_have_text(name.replace("Copy", "Copied"))
        assert re.match(expected, page.evaluate("navigator.clipboard.readText()"))
