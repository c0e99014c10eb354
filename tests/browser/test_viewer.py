"""The viewer: addresses, keys, hits marked at their exact text, the rail, the outline."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from leaderboard import formats
from leaderboard.core import blobs
from leaderboard.models import Attempt, AttemptFile
from tests.browser.looks import PHONE, without_javascript
from tests.browser.places import attempt_path
from tests.browser.runs import GOLD

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
MARKED = """number => {
    const hits = [];
    for (const mark of document.querySelectorAll(`mark.hit[data-landmark~="${number}"]`)) {
        const text = mark.cloneNode(true);
        text.querySelectorAll(".flag").forEach(flag => flag.remove());
        const begins = mark.matches(`[id^=hit-${number}-]`) || mark.querySelector(`[id^=hit-${number}-]`);
        if (begins) hits.push(text.textContent);
        else hits[hits.length - 1] += text.textContent;
    }
    return hits;
}"""
"""The text of each hit of a landmark: a hit that shares a part with another is in several marks."""


def announced(page: Page) -> Locator:
    return page.locator("[data-announce]")


def focused_id(page: Page) -> str:
    found: str = page.evaluate("document.activeElement.id")
    return found


def in_window(page: Page, selector: str) -> bool:
    found: bool = page.locator(selector).evaluate(
        "each => { const r = each.getBoundingClientRect(); return r.top >= -1 && r.top < innerHeight - 50 }"
    )
    return found


@pytest.fixture
def recorded(page: Page, site: None) -> Page:
    """A Warm-up attempt of 11 steps."""
    page.goto(attempt_path("warm-up", "keygrain", "hasty"))
    return page


def test_the_address_of_a_step_opens_there_and_is_announced(page: Page, site: None) -> None:
    page.goto(f"{attempt_path('warm-up', 'keygrain', 'hasty')}#step-7")

    expect(announced(page)).to_have_text("Step 7 of 11")
    assert focused_id(page) == "step-7"
    assert in_window(page, "#step-7")
    assert page.locator(".outline [aria-current]").get_attribute("href") == "#step-7"


def test_following_an_address_in_the_page_is_announced_too(recorded: Page) -> None:
    recorded.locator('.outline a[href="#step-9"]').click()

    expect(announced(recorded)).to_have_text("Step 9 of 11")
    assert focused_id(recorded) == "step-9"


@without_javascript
def test_without_javascript_the_address_of_a_step_opens_there(page: Page, site: None) -> None:
    page.goto(f"{attempt_path('warm-up', 'keygrain', 'hasty')}#step-7")

    assert in_window(page, "#step-7")
    assert page.locator("[data-toolbar]").is_hidden()


def test_j_and_k_go_from_step_to_step(recorded: Page) -> None:
    seen = []
    for key in "jjjk":
        recorded.keyboard.press(key)
        seen.append(focused_id(recorded))

    assert seen == ["step-1", "step-2", "step-3", "step-2"]
    assert recorded.url.endswith("#step-2")


def test_keys_can_be_turned_off_and_stay_so(recorded: Page) -> None:
    recorded.keyboard.press("?")
    recorded.get_by_role("switch", name="Single keys").click()
    expect(announced(recorded)).to_have_text("Keys are off")

    recorded.reload()
    for key in "jnpk/?":
        recorded.keyboard.press(key)

    assert focused_id(recorded) == ""
    assert urlsplit(recorded.url).fragment == ""
    assert recorded.locator("[aria-keyshortcuts]").count() == 0

    recorded.get_by_role("button", name="Keys").click()
    recorded.get_by_role("switch", name="Single keys").click()
    expect(announced(recorded)).to_have_text("Keys are on")
    recorded.keyboard.press("Escape")
    recorded.keyboard.press("j")
    assert focused_id(recorded) == "step-1"
    assert recorded.locator("[aria-keyshortcuts]").count() == 9


def test_a_question_mark_shows_every_key(recorded: Page) -> None:
    recorded.keyboard.press("?")

    dialog = recorded.get_by_role("dialog", name="Keys")
    keys = dialog.locator("kbd").all_inner_texts()
    assert set(keys) == {"j", "k", "n", "p", "/", "Enter", "Shift", ".", ",", "Esc", "e", "c", "?"}
    recorded.keyboard.press("j")
    recorded.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert "#" not in recorded.url


def test_keys_go_on_from_what_is_in_the_window(recorded: Page) -> None:
    recorded.evaluate("scrollTo(0, document.body.scrollHeight)")
    recorded.keyboard.press("k")
    assert focused_id(recorded) not in ("", "step-1")

    recorded.evaluate("scrollTo(0, 0)")
    recorded.keyboard.press("j")

    assert focused_id(recorded) == "step-1"


def test_n_and_p_go_from_hit_to_hit_in_the_order_of_the_text(page: Page, site: None) -> None:
    page.goto(attempt_path("warm-up", "keygrain", "expert"))
    hits = page.locator("[id^=hit-]").evaluate_all("all => all.map(each => each.id)")
    assert len(hits) > 3

    seen = []
    for _ in hits:
        page.keyboard.press("n")
        seen.append(page.evaluate("location.hash.slice(1)"))
        assert in_window(page, "mark.current")
    page.keyboard.press("n")
    page.keyboard.press("p")

    assert seen == hits
    assert page.url.endswith(f"#{hits[-2]}")
    landmark = hits[-2].split("-")[1]
    expect(announced(page)).to_have_text(f"Landmark {landmark}, hit {len(hits) - 1} of {len(hits)}")


def test_n_goes_on_from_the_step_that_was_gone_to(page: Page, site: None) -> None:
    page.goto(f"{attempt_path('warm-up', 'keygrain', 'expert')}#step-5")
    expect(announced(page)).to_have_text("Step 5 of 6")

    page.keyboard.press("n")

    assert page.locator("#step-5 mark.current").count() == 1


def test_the_buttons_do_what_the_keys_do(recorded: Page) -> None:
    recorded.get_by_role("button", name="Next step").click()
    recorded.get_by_role("button", name="Next step").click()
    recorded.get_by_role("button", name="Previous step").click()

    expect(announced(recorded)).to_have_text("Step 1 of 11")


def test_where_nothing_was_hit_n_says_so(page: Page, site: None) -> None:
    page.goto(attempt_path("odd", "given"))
    page.evaluate("document.querySelectorAll('[id^=hit-]').forEach(hit => hit.removeAttribute('id'))")

    page.keyboard.press("n")

    expect(announced(page)).to_have_text("No landmark is hit in this trajectory")


def test_a_slash_goes_to_the_search_where_keys_are_letters(recorded: Page) -> None:
    recorded.keyboard.press("/")
    recorded.keyboard.type("njkp/")

    assert recorded.get_by_label("Find in this trajectory").input_value() == "njkp/"
    assert focused_id(recorded) == "find-text"
    assert "#" not in recorded.url


def test_keys_with_a_modifier_are_the_browsers(recorded: Page) -> None:
    recorded.keyboard.press("Control+j")

    assert "#" not in recorded.url


def test_the_rail_leads_to_the_exact_words(page: Page, site: None) -> None:
    page.goto(attempt_path("odd", "long"))

    page.locator('.landmarks [data-status="hit"] a').click()

    assert focused_id(page) == "hit-1-1"
    assert in_window(page, "#hit-1-1")
    assert page.evaluate(MARKED, 1) == ["checkpoint 1500 written"]


def test_a_missed_landmark_says_so(page: Page, site: None) -> None:
    page.goto(attempt_path("odd", "long"))

    missed = page.locator('.landmarks [data-status="missed"]')

    assert "missed" in missed.inner_text()
    assert missed.locator("a").count() == 0


def test_colour_codes_in_a_hit_do_not_break_its_mark(page: Page, site: None) -> None:
    page.goto(attempt_path("odd", "terminal"))

    assert page.evaluate(MARKED, 1) == ["epoch 1 of 1: loss 0.25"]
    assert page.locator("#hit-1-1 .bold").inner_text() == "loss"


def test_a_hit_that_was_overwritten_is_shown_and_marked(page: Page, site: None) -> None:
    page.goto(attempt_path("odd", "terminal"))

    assert page.evaluate(MARKED, 2) == ["progress 55%"]
    assert page.locator("#hit-2-1").is_visible()
    assert "overwritten" in page.locator(".overwritten", has=page.locator("#hit-2-1")).inner_text()
    assert "all of it is done now" in page.locator("#step-2").inner_text()


def test_every_hit_in_the_recordings_is_marked_at_its_exact_text(page: Page, site: None) -> None:
    attempts = Attempt.objects.filter(entry__task_set__benchmark__slug="warm-up", has_trajectory=True)
    for attempt in attempts:
        file = attempt.files.get(kind=AttemptFile.Kind.ORIGINAL)
        trajectory = formats.read(blobs.read(file.blob), name=file.name)
        observations = {step.number: step.observation or "" for step in trajectory.steps}
        page.goto(attempt.get_absolute_url())
        for outcome in attempt.landmark_outcomes.all():
            expected = [
                COLOURS.sub("", observations[number][start:end])
                for number, spans, _more in outcome.hits
                for start, end in spans
            ]
            marked = page.evaluate(MARKED, outcome.number)
            assert (attempt, outcome.number, marked) == (attempt, outcome.number, expected)


def test_a_landmark_hit_only_before_the_agent_took_over_is_told_apart_in_words(
    page: Page, site: None
) -> None:
    page.goto(attempt_path("odd", "given"))

    given, hit = page.locator(".landmarks li").all()

    assert "given by a pre-executed cell" in given.inner_text()
    assert "given" not in hit.inner_text()
    assert "pre-executed" in page.locator("#step-1 > header").inner_text()


def test_the_outline_lists_every_step(page: Page, site: None) -> None:
    page.goto(attempt_path("odd", "long"))

    lines = [" ".join(line.split()) for line in page.locator(".outline li").all_inner_texts()]

    assert len(lines) == 4
    assert "execute" in lines[1]
    assert page.locator(".outline li").nth(1).locator(".flag").inner_text() == "1"
    assert "error" in lines[2]
    assert "submit" in lines[3]


def test_the_outline_shows_how_long_a_step_took(page: Page, site: None) -> None:
    page.goto(attempt_path("warm-up", "keygrain", "expert"))

    assert re.search(r"\d+ s", page.locator(".outline li").nth(4).inner_text())


@pytest.mark.parametrize("viewport", [PHONE])
def test_on_a_phone_the_toolbar_takes_one_row_and_the_outline_waits(page: Page, site: None) -> None:
    page.goto(f"{attempt_path('warm-up', 'keygrain', 'expert')}#hit-1-1")
    expect(announced(page)).to_contain_text("Landmark 1, hit")

    tops = page.locator(".toolbar button:visible").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect().top)"
    )

    assert len(set(tops)) == 1
    assert page.locator(".outline ol").is_hidden()


def test_query_and_answer_stand_at_the_top_and_gold_nowhere(page: Page, site: None) -> None:
    page.goto(attempt_path("odd", "long"))

    headings = page.locator(".notebook h2").all_inner_texts()

    assert headings == ["What the agent was asked", "What it answered", "What it did"]
    assert page.locator(".query").inner_text() == "Go on."
    assert '"pi": 3' in page.locator(".answer").inner_text()
    assert GOLD not in page.content()


def test_a_reload_keeps_the_place(page: Page, site: None) -> None:
    page.goto(attempt_path("odd", "long"))
    page.keyboard.press("n")

    page.reload()

    expect(announced(page)).to_have_text("Landmark 1, hit 1 of 1")
    assert focused_id(page) == "hit-1-1"


def test_an_attempt_without_a_trajectory_leads_to_others(page: Page, site: None) -> None:
    attempt = Attempt.objects.filter(has_trajectory=False, entry__task_set__slug="masked").earliest("pk")
    page.goto(attempt.get_absolute_url())

    assert page.get_by_role("heading", name="Only the scores of this attempt are available").is_visible()
    page.locator(".empty a").click()
    assert page.url != attempt.get_absolute_url()
    assert attempt.task.task_id in page.locator("h1").inner_text()
