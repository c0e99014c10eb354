"""Find in this trajectory: across all steps, folded text too, each match where its text can be seen."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, expect

from tests.browser.looks import without_javascript
from tests.browser.places import attempt_path


def look_for(page: Page, text: str) -> None:
    page.goto(attempt_path("odd", "long"))
    page.get_by_label("Find in this trajectory").fill(text)


def test_matches_are_listed_while_typing(page: Page, site: None) -> None:
    look_for(page, "TRAINING")

    expect(page.locator("#found-count")).to_have_text("1 match")
    expect(page.locator("#found .where")).to_have_text("Step 2, thought, line 1")
    expect(page.locator("#found mark")).to_have_text("training")


def test_many_matches_are_counted_and_the_first_listed(page: Page, site: None) -> None:
    look_for(page, "says little")

    expect(page.locator("#found-count")).to_contain_text("2,998 matches, 20 are listed")
    assert page.locator("#found li").count() == 20


def test_nothing_found_says_so(page: Page, site: None) -> None:
    look_for(page, "no such text")

    expect(page.locator("#found-count")).to_contain_text("Nothing found")


def test_an_emptied_search_takes_its_matches_away(page: Page, site: None) -> None:
    look_for(page, "training")
    expect(page.locator("#found li")).to_have_count(1)

    page.get_by_label("Find in this trajectory").fill("")

    expect(page.locator("#found li")).to_have_count(0)
    expect(page.locator("#found-count")).to_be_empty()


def test_the_count_alone_is_read_out(page: Page, site: None) -> None:
    look_for(page, "says little")
    expect(page.locator("#found li")).to_have_count(20)

    assert page.locator("[role=status], [aria-live]").locator("li").count() == 0
    assert page.locator(":is([role=status], [aria-live]) #found").count() == 0
    expect(page.get_by_role("status").filter(has_text="matches")).to_have_count(1)


def marked(page: Page) -> Locator:
    return page.locator("mark.found.current")


def is_in_the_middle(element: Locator) -> bool:
    found: bool = element.evaluate(
        """each => {
            const top = each.getBoundingClientRect().top;
            return top > innerHeight / 4 && top < innerHeight * 3 / 4;
        }"""
    )
    return found


def test_a_match_in_folded_text_is_opened_marked_and_in_the_middle_of_the_window(
    page: Page, site: None
) -> None:
    look_for(page, "a needle")
    expect(page.locator("#found li")).to_have_count(1)

    page.keyboard.press("Enter")

    expect(marked(page)).to_have_text("a needle")
    assert is_in_the_middle(marked(page))
    assert page.url.endswith("#step-2-L2100")
    # What is around the page that was opened stays folded.
    folds = page.locator("#step-2 .opened a.fold").all_inner_texts()
    assert folds == ["499 lines hidden", "488 lines hidden"]


@without_javascript
def test_without_javascript_a_match_leads_to_its_line(page: Page, site: None) -> None:
    look_for(page, "a needle")
    page.get_by_role("button", name="Find").click()

    page.get_by_text("Step 2, line 2100").click()

    assert page.url.endswith("/2/output/5/#step-2-L2100")
    assert is_in_the_middle(page.locator(":target"))


def test_enter_goes_from_match_to_match_and_escape_gives_the_focus_back(page: Page, site: None) -> None:
    page.goto(f"{attempt_path('odd', 'wide')}#step-1")
    expect(page.locator("[data-announce]")).to_have_text("Step 1 of 12")
    page.keyboard.press("/")
    page.keyboard.type("needle")
    expect(page.locator("#found-count")).to_have_text("4 matches")

    seen = []
    for n, key in enumerate(["Enter", "Enter", "Enter", "Enter", "Shift+Enter"]):
        page.keyboard.press(key)
        expect(page.locator("[data-announce]")).to_have_text(f"Match {[1, 2, 3, 4, 3][n]} of 4")
        assert is_in_the_middle(marked(page))
        seen.append(urlsplit(page.url).fragment)
    page.keyboard.press("Escape")

    assert seen == ["step-1-L2", "step-1-L2", *["step-2-thought-L1"] * 3]
    assert page.evaluate("document.activeElement.matches('mark.found.current')")
    assert page.get_by_label("Find in this trajectory").input_value() == "needle"
    page.keyboard.press(".")
    expect(page.locator("[data-announce]")).to_have_text("Match 4 of 4")


def test_escape_without_a_match_goes_back_to_the_step(page: Page, site: None) -> None:
    page.goto(f"{attempt_path('odd', 'long')}#step-3")
    expect(page.locator("[data-announce]")).to_have_text("Step 3 of 4")

    page.keyboard.press("/")
    page.keyboard.press("Escape")

    assert page.evaluate("document.activeElement.id") == "step-3"


def test_matches_can_be_of_thoughts_code_or_outputs_alone(page: Page, site: None) -> None:
    look_for(page, "train")
    expect(page.locator("#found-count")).to_have_text("2 matches")

    page.get_by_label("Where to find it").select_option("Code")

    expect(page.locator("#found .where")).to_have_text(["Step 2, code, line 1"])
    page.locator("#found a").click()
    expect(marked(page)).to_have_text("train")
    assert page.url.endswith("#step-2-action-L1")


def test_a_match_in_a_repeated_step_opens_its_line(page: Page, site: None) -> None:
    page.goto(attempt_path("odd", "wide"))
    expect(page.locator("#step-9")).to_be_hidden()
    page.get_by_label("Find in this trajectory").fill("fatal")
    expect(page.locator("#found li")).to_have_count(10)

    page.locator("#found a").nth(7).click()

    expect(page.locator("#step-9 mark.found.current")).to_be_visible()


@without_javascript
def test_without_javascript_there_is_a_page_of_matches(page: Page, site: None) -> None:
    look_for(page, "look around")
    page.get_by_role("button", name="Find").click()

    assert page.get_by_role("heading", name="Find in this trajectory").is_visible()
    assert page.get_by_label("Text").input_value() == "look around"
    page.locator(".matches a").click()
    assert page.url.endswith("/1/thought/1/#step-1-thought-L1")
