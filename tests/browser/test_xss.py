"""The corpus of tests/browser/xss_corpus.py through every text that an upload can carry, in a real browser.

On no page does a payload run, ask another host for anything or breach the policy, and each is there as text.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from django.test import override_settings
from playwright.sync_api import Browser, Page, Route, expect
from pytest_django import DjangoDbBlocker, Settings
from pytest_django.live_server_helper import LiveServer

from leaderboard.domain.text import storable
from leaderboard.models import Attempt, Entry, Task, TaskSet, Upload
from leaderboard.rendering.lines import visible
from tests.browser import xss_site
from tests.browser.canary import Canary
from tests.browser.conftest import Snapshot, take_snapshot
from tests.browser.test_publishing import sign_in
from tests.browser.xss_corpus import PAYLOADS, TEXTS, letters

NO_LIMITS = dict.fromkeys(
    (
        "SUPERBOARD_MAX_TEAMS",
        "SUPERBOARD_MAX_TOKENS",
        "SUPERBOARD_OPEN_UPLOADS_PER_TEAM",
        "SUPERBOARD_PUBLICATIONS_PER_DAY",
        "SUPERBOARD_INVITATIONS_A_DAY",
    ),
    10_000,
)
UNDRAWN = [payload.text for payload in PAYLOADS if payload.family not in ("terminal", "unicode")]
"""What a terminal leaves as it is."""
TEXTS_OF = """(selector) => [...document.querySelectorAll(selector)].map(each => {
    const copy = each.cloneNode(true);
    copy.querySelectorAll(".flag, .vh").forEach(flag => flag.remove());
    return copy.textContent;
})"""
"""What elements say, without the flags of landmarks in it."""


@pytest.fixture(scope="module")
def hostile(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Snapshot, dict[str, list[str]]]:
    """The hostile site, and which payloads it took as names."""
    folder = tmp_path_factory.mktemp("xss")
    taken: dict[str, list[str]] = {}
    with override_settings(SUPERBOARD_UPLOADS=folder / "uploads", SUPERBOARD_MIN_FREE_DISK_MB=0, **NO_LIMITS):
        snapshot = take_snapshot(django_db_blocker, folder, lambda: taken.update(xss_site.build()))
    return snapshot, taken


@pytest.fixture
def names(
    transactional_db: None, hostile: tuple[Snapshot, dict[str, list[str]]], settings: Settings
) -> dict[str, list[str]]:
    """The hostile site is in place; which payloads are names on it, by what they name."""
    snapshot, taken = hostile
    snapshot.restore(settings)
    return taken


@pytest.fixture
def canary(page: Page, live_server: LiveServer) -> Iterator[Canary]:
    """What listens to the page; a test that provokes it empties ``heard``."""
    canary = Canary(page, home=live_server.url)
    yield canary
    assert not canary.heard, "\n".join(canary.heard)


@pytest.fixture
def alice(page: Page, names: dict[str, list[str]]) -> None:
    """She owns everything on the site, operates it, and is signed in."""
    sign_in(page, "alice")


def said(page: Page, selector: str) -> list[str]:
    texts: list[str] = page.evaluate(TEXTS_OF, selector)
    return texts


def seen(text: str) -> str:
    """A text as a page shows it: what can't be stored or seen has its sign."""
    return visible(storable(text))



def missing(texts: Iterable[str], shown: str) -> list[str]:
    """Those of ``texts`` that are not shown; browsers and forms take runs of spaces for one."""
    flat = " ".join(shown.split())
    return [text for text in texts if " ".join(text.split()) not in flat]


def missing_from_steps(page: Page, selector: str, texts: Iterable[str] = TEXTS) -> list[str]:
    """The payloads of ``texts`` that no step shows in that part of it."""
    steps = "\n".join(said(page, f".step {selector}"))
    return [text for text in texts if seen(text) not in steps]


def attempt_at(task_id: str) -> Attempt:
    return Attempt.objects.get(task__task_id=task_id, task__task_set__benchmark__slug="hostile")


def draft() -> Entry:
    """What the archive became."""
    return Entry.objects.get(task_set__benchmark__slug="hostile")


def test_the_corpus_has_more_than_three_hundred_payloads() -> None:
    assert len(set(TEXTS)) == len(TEXTS) > 400


@pytest.mark.parametrize(
    ("body", "heard"),
    [
        ("<script>canary(1)</script>", "canary 1 sang"),
        ("<img src=x onerror=canary(2)>", "canary 2 sang"),
        ("<iframe srcdoc='<script>parent.canary(3)</script>'></iframe>", "canary 3 sang"),
        ("<script>setTimeout('canary(4)')</script>", "canary 4 sang"),
        ("<script>alert(5)</script>", "alert was called"),
        ("<img src=//evil.invalid/6>", "asked for http://evil.invalid/6"),
        ("<meta http-equiv=refresh content='0;url=//evil.invalid/7'>", "asked for http://evil.invalid/7"),
        ("<a href='javascript:canary(8)'>x</a>", "A href=javascript:canary(8)"),
        ("<b onmouseover=canary(9)>x</b>", "B onmouseover=canary(9)"),
        ("<div hx-get=//evil.invalid/10>x</div>", "DIV hx-get=//evil.invalid/10"),
        ("<meta http-equiv=Content-Security-Policy content='img-src none'><img src=/x>", "policy: img-src"),
    ],
)
def test_the_canary_notices(page: Page, canary: Canary, complaints: list[str], body: str, heard: str) -> None:
    def serve(route: Route) -> None:
        route.fulfill(body=f"<!doctype html><title>Vulnerable</title>{body}", content_type="text/html")

    page.route("**/vulnerable", serve)
    page.route("**/evil.invalid/**", lambda route: route.fulfill(body="elsewhere"))
    canary.visit("/vulnerable")
    page.wait_for_load_state("networkidle")

    assert any(heard in each for each in canary.heard), canary.heard
    canary.heard.clear()
    complaints.clear()


def test_the_pages_of_an_upload_and_its_draft(page: Page, canary: Canary, alice: None) -> None:
    upload = Upload.objects.get(state="checked")
    address = upload.get_absolute_url()
    report = ""
    for number in range(1, upload.files.count() // 100 + 2):
        canary.visit(f"{address}?page={number}")
        report += "\n".join(said(page, "main"))
    for path in (f"{address}?show=errors&q=script", f"{address}report.json", f"/submit/?replace={draft().slug}"):
        canary.visit(path)
    for part in ("", "versions/", "edit/"):
        canary.visit(f"{draft().get_absolute_url()}{part}")

    assert missing(xss_site.file_names(), report) == []
    assert missing([f"“{storable(text)[:60]}" for text in TEXTS], report) == []
    assert upload.name in report


def test_the_pages_of_what_is_published(page: Page, canary: Canary, alice: None) -> None:
    entry = draft()
    canary.visit(entry.get_absolute_url())
    page.get_by_label("that were refused").check()
    page.locator("#do-publish").click()
    expect(page.locator("#do-publish")).to_have_count(0)
    canary.look()
    shown = page.locator("main").inner_text()
    board = entry.task_set.get_absolute_url()
    for path in (board, f"{board}t/", f"{board}t/history/", f"{board}data.json", f"/api/v1/entries/{entry.slug}"):
        canary.visit(path)

    assert entry.agent.name in shown
    assert missing((link["label"] for link in entry.links), shown) == []
    assert missing([entry.notes], shown) == []
    canary.visit(f"{board}t/history/")
    assert missing([xss_site.STORED], page.locator(".query").inner_text()) == []


def test_the_steps_of_an_attempt(page: Page, canary: Canary, alice: None) -> None:
    canary.visit(attempt_at("history").get_absolute_url())

    assert missing_from_steps(page, ".action pre") == []
    assert missing_from_steps(page, ".output pre", UNDRAWN) == []
    assert missing([seen(xss_site.EVERYTHING)], said(page, ".asked .query")[0]) == []
    assert missing([json.dumps(text, ensure_ascii=False)[1:-1] for text in UNDRAWN], said(page, ".answer")[0]) == []


def test_thoughts_keep_their_letters_where_markdown_takes_signs(page: Page, canary: Canary, alice: None) -> None:
    canary.visit(attempt_at("history").get_absolute_url())
    thoughts = said(page, ".step .thought")

    changed = [
        payload
        for payload, thought in zip(PAYLOADS, thoughts, strict=False)
        if letters(seen(payload.text)) not in letters(thought)
    ]

    # Of a Markdown link to another host the label is shown; a bracketed word before a parenthesis is one too.
    assert {payload.family for payload in changed} <= {"links", "encodings"}
    assert all("](" in text or "][1]" in text or "&amp;" in text for text, _ in changed)
    assert page.locator(".thought a").evaluate_all(
        "all => all.every(each => !each.hasAttribute('href') || /^https?:$/.test(each.protocol))"
    )


@pytest.mark.parametrize("task_id", ["atif", "mini", "notebook", "inspect", "openhands-zero", "openhands-one"])
def test_the_same_in_other_formats(page: Page, canary: Canary, alice: None, task_id: str) -> None:
    canary.visit(attempt_at(task_id).get_absolute_url())

    assert missing_from_steps(page, ".action pre") == []
    assert missing_from_steps(page, ".output pre", UNDRAWN) == []


def test_edits_types_and_answers_alone(page: Page, canary: Canary, alice: None) -> None:
    canary.visit(attempt_at("edits").get_absolute_url())
    one_line = [text for text in TEXTS if "\n" not in text]
    assert missing_from_steps(page, ".action pre", one_line) == []
    assert missing((seen(text) for text in one_line[::2]), "\n".join(said(page, ".step .file"))) == []

    canary.visit(attempt_at("types").get_absolute_url())
    words = [text for text in UNDRAWN if len(text.split()) == 1 and len(text) < 60]
    assert missing((seen(text) for text in words), "\n".join(said(page, ".step .action-type"))) == []

    canary.visit(attempt_at("answer-alone").get_absolute_url())
    assert missing([json.dumps(text, ensure_ascii=False)[1:-1] for text in UNDRAWN], said(page, ".answer")[0]) == []
