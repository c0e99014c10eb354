"""An archive in which every text is a payload, from its report to what is published of it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from leaderboard.models import Upload
from tests.browser.xss import archive
from tests.browser.xss.canary import Canary
from tests.browser.xss.corpus import PAYLOADS, TEXTS, letters
from tests.browser.xss.looking import (
    UNDRAWN,
    attempt_at,
    draft,
    missing,
    missing_from_answer,
    missing_from_steps,
    said,
    seen,
)


def test_the_pages_of_an_upload_and_its_draft(page: Page, canary: Canary, alice: None) -> None:
    upload = Upload.objects.get(state="checked")
    address = upload.get_absolute_url()
    report = ""
    for number in range(1, upload.files.count() // 100 + 2):
        canary.visit(f"{address}?page={number}")
        report += "\n".join(said(page, "main"))
    for path in (f"{address}?show=errors&q=script", f"/submit/?replace={draft().slug}"):
        canary.visit(path)
    for part in ("", "versions/", "edit/"):
        canary.visit(f"{draft().get_absolute_url()}{part}")

    assert missing(archive.file_names(), report) == []
    assert (
        missing(
            [
                f"“{text.strip()}” is not a task of"
                for text in UNDRAWN
                if text.isprintable() and len(text) <= 100
            ],
            report,
        )
        == []
    )
    assert upload.name in report


def test_the_pages_of_what_is_published(
    page: Page, canary: Canary, alice: None, complaints: list[str]
) -> None:
    entry = draft()
    canary.visit(entry.get_absolute_url())
    page.get_by_label("that were refused").check()
    page.locator("#do-publish").click()
    expect(page.locator("#do-publish")).to_have_count(0)
    canary.look()
    shown = page.locator("main").inner_text()
    board = entry.task_set.get_absolute_url()
    for path in (
        board,
        f"{board}t/",
        f"{board}t/history/",
        f"{board}data.json",
        reverse("api:entry", args=(entry.slug,)),
    ):
        canary.visit(path)

    assert entry.agent.name in shown
    assert missing((link["label"] for link in entry.links), shown) == []
    assert missing([entry.notes], shown) == []
    # Chromium looks for an icon beside JSON.
    complaints[:] = [each for each in complaints if "status of 404" not in each]
    canary.visit(f"{board}t/history/")
    # A long query is folded.
    page.locator("details:has(.query)").evaluate("each => { each.open = true }")
    assert missing([seen(archive.STORED)], page.locator(".query").inner_text()) == []


def test_the_steps_of_an_attempt(page: Page, canary: Canary, alice: None) -> None:
    canary.visit(attempt_at("history").get_absolute_url())

    assert missing_from_steps(page, ".action pre") == []
    assert missing_from_steps(page, ".output pre", UNDRAWN) == []
    assert missing([seen(archive.EVERYTHING)], said(page, ".asked .query")[0]) == []
    assert missing_from_answer(page, TEXTS[::2]) == []


def test_thoughts_keep_their_letters_where_markdown_takes_signs(
    page: Page, canary: Canary, alice: None
) -> None:
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


@pytest.mark.parametrize("task_id", ["atif", "openhands-zero", "openhands-one"])
def test_the_same_in_other_formats(page: Page, canary: Canary, alice: None, task_id: str) -> None:
    canary.visit(attempt_at(task_id).get_absolute_url())

    assert missing_from_steps(page, ".action pre") == []
    assert missing_from_steps(page, ".output pre", UNDRAWN) == []


@pytest.mark.parametrize("task_id", ["mini", "notebook", "inspect", "astabench"])
def test_some_of_it_in_further_formats(page: Page, canary: Canary, alice: None, task_id: str) -> None:
    canary.visit(attempt_at(task_id).get_absolute_url())

    assert missing_from_steps(page, ".action pre", archive.SOME) == []


def test_edits_types_and_answers_alone(page: Page, canary: Canary, alice: None) -> None:
    canary.visit(attempt_at("edits").get_absolute_url())
    one_line = [text for text in TEXTS if "\n" not in text]
    assert missing_from_steps(page, ".action pre", one_line) == []
    heads = [seen(text) for text in TEXTS[::2] if "\n" not in text]
    assert missing(heads, "\n".join(said(page, ".step .file"))) == []

    canary.visit(attempt_at("types").get_absolute_url())
    words = [text for text in UNDRAWN if len(text.split()) == 1 and len(text) < 60]
    assert missing((seen(text) for text in words), "\n".join(said(page, ".step .action-type"))) == []

    canary.visit(attempt_at("answer-alone").get_absolute_url())
    assert missing_from_answer(page, TEXTS[1::2]) == []


def test_find_and_the_pages_of_long_outputs(page: Page, canary: Canary, alice: None) -> None:
    attempt = attempt_at("history")
    for text in ("canary", "<script>", "]]>", "\"'>"):
        canary.visit(f"{attempt.get_absolute_url()}find/?{urlencode({'q': text})}")
        found = page.locator(".matches mark").all_inner_texts()
        assert {each.casefold() for each in found} == {text}
    for output in attempt.pages.all():
        canary.visit(f"{attempt.get_absolute_url()}{output.step}/{output.part}/{output.number}/")
        assert "canary(" in page.locator(".sheet").inner_text()

    canary.visit(attempt.get_absolute_url())
    page.get_by_label("Find in this trajectory").fill("<img src=x")
    expect(page.locator("#found mark").first).to_have_text("<img src=x")
    page.locator("a.fold").first.click()
    expect(page.locator(".opened pre").first).to_contain_text("canary(")
    canary.look()


@pytest.mark.parametrize("task_id", ["history", "edits", "types", "atif"])
def test_a_page_that_was_downloaded_runs_nothing_from_disk(
    page: Page, browser: Browser, alice: None, tmp_path: Path, task_id: str
) -> None:
    saved = tmp_path / "page.html"
    saved.write_bytes(page.request.get(f"{attempt_at(task_id).get_absolute_url()}download/html/").body())
    context = browser.new_context()
    disk = context.new_page()
    canary = Canary(disk, home=tmp_path.as_uri())
    disk.goto(saved.as_uri())

    # The one script of ours is the body's last element: test_standalone.py has it.
    strange = (
        "script:not(body > script:last-child), img, svg, iframe, [onerror], [onload], [href^=javascript]"
    )
    assert disk.locator(strange).count() == 0
    assert missing_from_steps(disk, ".action pre", [text for text in TEXTS if "\n" not in text]) == []
    assert canary.heard == []
    context.close()


def test_downloads_are_never_taken_for_pages(page: Page, alice: None) -> None:
    attempt = attempt_at("history").get_absolute_url()
    report = f"{Upload.objects.get(state='checked').get_absolute_url()}report.json"
    for path in (report, *(f"{attempt}download/{kind}/" for kind in ("original", "notebook", "html"))):
        headers = page.request.get(path).headers
        assert headers["content-disposition"].startswith("attachment")
        assert headers["x-content-type-options"] == "nosniff"
