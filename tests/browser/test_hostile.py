"""Hostile texts are texts: on no page do they run, load, or become part of the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from leaderboard.boards import selectors
from leaderboard.models import Agent, Attempt
from tests.browser.hostile import PAYLOADS
from tests.browser.looks import text_without_flags
from tests.browser.places import attempt_path

OURS = (
    "link[rel=icon], link[rel=stylesheet], head > link[rel=canonical],"
    " link[rel=alternate][href^='/'], img[src$='/badge.svg'],"
    " script[src^='/static/'], img[src^='/static/'], svg.bar,"
    " nav.strip > svg, .timelines svg, #js-plotly-tester"
)
FOREIGN = """ours => [...document.querySelectorAll('script, img, svg, iframe, object, link, base')]
    .filter(each => !each.matches(ours) && !each.closest('.plot')).map(each => each.outerHTML)"""
BAD_ATTRIBUTES = """() => [...document.querySelectorAll('*')].flatMap(each => [...each.attributes]
    .filter(a => a.name.startsWith('on') || /^\\s*javascript:/i.test(a.value)).map(a => a.name + a.value))"""
VISIBLE = str.maketrans({"\0": "\u2400", "\u202e": "\N{MATHEMATICAL LEFT ANGLE BRACKET}RLO\u27e9"})
MARKDOWN = PAYLOADS[4]
"""In a thought this one is a link whose address is dropped."""


def pages() -> dict[str, str]:
    attempt = attempt_path("hostile", "hostile")
    entry = Attempt.objects.get(pk=int(attempt.strip("/").split("/")[-1])).entry
    return {
        "board": "/b/hostile/all/",
        "board filtered": "/b/hostile/all/?agent=%3Cscript%3Ewindow.hacked%3D9%3C%2Fscript%3E&sort=%3Cb%3E",
        "tasks": "/b/hostile/all/t/",
        "task": "/b/hostile/all/t/hostile/",
        "entry": entry.get_absolute_url(),
        "attempt": attempt,
        "find": f"{attempt}find/?q=%22%3E%3Cscript%3Ewindow.hacked%3D9%3C%2Fscript%3E",
        "matches": f"{attempt}find/?q=hacked",
        "output": f"{attempt}{len(PAYLOADS) + 1}/output/1/",
    }


def harm(page: Page) -> list[str]:
    """What ran, and which elements and attributes are not ours."""
    ran: list[str] = page.evaluate("'hacked' in window ? [`${window.hacked} ran`] : []")
    foreign: list[str] = page.evaluate(FOREIGN, OURS)
    attributes: list[str] = page.evaluate(BAD_ATTRIBUTES)
    return ran + foreign + attributes


def test_nothing_hostile_becomes_part_of_a_page(page: Page, site: None) -> None:
    found = []
    for name, path in pages().items():
        page.goto(path)
        found += [f"{name}: {each}" for each in harm(page)]

    assert not found, "\n".join(found)


def test_the_texts_of_a_trajectory_are_shown_as_they_are(page: Page, site: None) -> None:
    page.goto(attempt_path("hostile", "hostile"))

    for number, payload in enumerate(PAYLOADS, start=1):
        step = page.locator(f"#step-{number}")
        for part in (".thought", ".action pre", ".output pre"):
            if (payload, part) != (MARKDOWN, ".thought") and "&lt;" not in payload:
                assert payload.translate(VISIBLE) in text_without_flags(step.locator(part))


def test_a_link_in_a_thought_that_would_run_loses_its_address(page: Page, site: None) -> None:
    page.goto(attempt_path("hostile", "hostile"))

    thought = page.locator(f"#step-{PAYLOADS.index(MARKDOWN) + 1} .thought")

    assert "click" in thought.inner_text()
    assert thought.locator("[href*=hacked], [onerror]").count() == 0


def test_names_and_titles_are_shown_as_they_are(page: Page, site: None) -> None:
    page.goto("/b/hostile/all/")
    board = page.locator(".board").inner_text()
    page.goto("/b/hostile/all/t/hostile/")

    assert all(
        agent.name in board and agent.model in board
        for agent in Agent.objects.filter(entries__task_set__benchmark__slug="hostile")
    )
    assert page.locator(".lead").inner_text() == PAYLOADS[0]
    assert PAYLOADS[1] in page.locator(".query").inner_text()


def test_the_answer_is_shown_as_it_is(page: Page, site: None) -> None:
    page.goto(attempt_path("hostile", "hostile"))

    assert PAYLOADS[0] in page.locator(".answer").inner_text()


def test_names_in_a_chart_are_text(page: Page, site: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "FEWEST_POINTS", 1)
    page.goto("/b/hostile/all/?agent=script")
    assert any(PAYLOADS[0] in name for name in page.locator("[data-plot=scatter] .name").all_text_contents())
    page.locator("[data-plot=scatter]").hover()
    expect(page.locator("[data-plot=scatter]")).to_have_attribute("data-drawn", "")

    labels = page.locator("[data-plot=scatter] .textpoint").all_text_contents()
    assert any(PAYLOADS[0] in label for label in labels)
    assert page.locator("[data-plot] :is(a, image[href^=x], script, foreignObject)").count() == 0
    assert harm(page) == []


def test_matches_and_pages_in_place_are_harmless_too(page: Page, site: None) -> None:
    page.goto(attempt_path("hostile", "hostile"))

    page.get_by_label("Find in this trajectory").fill("<script>")
    expect(page.locator("#found mark").first).to_have_text("<script>")
    page.locator("a.fold").first.click()
    expect(page.locator(".opened pre").first).to_contain_text(PAYLOADS[0])

    assert harm(page) == []
