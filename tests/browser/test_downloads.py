"""Three downloads: the notebook, a page that stands alone, and the original byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import nbformat
import pytest
from playwright.sync_api import Browser, Page

from tests.browser.hostile import PAYLOADS
from tests.browser.places import attempt_path
from tests.browser.runs import GOLD, HISTORIES


def download(page: Page, name: str, folder: Path) -> Path:
    """Click the link of that name; the file under the name it comes with."""
    with page.expect_download() as started:
        page.locator(".files").get_by_role("link", name=name).click()
    path = folder / started.value.suggested_filename
    started.value.save_as(path)
    return path


@pytest.fixture
def saved_page(browser: Browser, complaints: list[str]) -> Iterator[Page]:
    """A page for files on disk: any request but the file's own, and any error, is a complaint."""
    context = browser.new_context()
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("request", lambda request: complaints.append(request.url) if page.url != "about:blank" else None)
    yield page
    context.close()


def test_the_original_is_the_bytes_that_came(page: Page, site: None, tmp_path: Path) -> None:
    page.goto(attempt_path("odd", "long"))

    path = download(page, "original", tmp_path)

    assert path.name == "long-Odd-one.json"
    assert path.read_bytes() == json.dumps(HISTORIES["long"]).encode()


def test_the_notebook_is_valid_and_holds_the_hits(page: Page, site: None, tmp_path: Path) -> None:
    page.goto(attempt_path("odd", "long"))

    path = download(page, "notebook", tmp_path)

    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    nbformat.validate(notebook)
    cell = next(cell for cell in notebook.cells if "landmark-1" in cell.metadata.get("tags", []))
    (landmark,) = cell.metadata.superboard.landmarks
    ((start, end),) = landmark.spans
    assert cell.outputs[0].text[start:end] == "checkpoint 1500 written"
    assert GOLD not in path.read_text(encoding="utf-8")


def test_the_web_page_opens_from_disk_with_its_marks_and_asks_for_nothing(
    page: Page, saved_page: Page, site: None, tmp_path: Path
) -> None:
    page.goto(attempt_path("odd", "long"))
    path = download(page, "web page", tmp_path)

    saved_page.goto(path.as_uri())

    assert path.name == "long-Odd-one.html"
    assert saved_page.locator("mark.hit").inner_text().endswith("checkpoint 1500 written")
    assert saved_page.locator("mark.hit").is_visible()
    assert GOLD not in saved_page.content()


def test_the_web_page_from_disk_has_its_outline_its_keys_and_where_it_is_from(
    page: Page, saved_page: Page, site: None, tmp_path: Path
) -> None:
    page.goto(attempt_path("odd", "long"))
    path = download(page, "web page", tmp_path)
    saved_page.goto(path.as_uri())

    went = []
    for key in "jjjknp":
        saved_page.keyboard.press(key)
        went.append(urlsplit(saved_page.url).fragment)
    assert went == ["step-1", "step-2", "step-3", "step-2", "hit-1-1", "hit-1-1"]
    saved_page.evaluate("scrollTo(0, 0)")
    saved_page.keyboard.press("j")
    assert urlsplit(saved_page.url).fragment == "step-1"

    saved_page.locator('.outline a[href="#step-4"]').click()
    assert saved_page.locator("#step-4").is_visible()
    assert saved_page.locator(".from a").get_attribute("href") == page.url
    assert not saved_page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_a_hostile_page_from_disk_runs_nothing(
    page: Page, saved_page: Page, site: None, tmp_path: Path
) -> None:
    page.goto(attempt_path("hostile", "hostile"))
    path = download(page, "web page", tmp_path)

    saved_page.goto(path.as_uri())

    assert saved_page.evaluate("typeof window.hacked") == "undefined"
    strange = "script:not(body > script:last-child), img, svg, [href^='javascript']"
    assert saved_page.locator(strange).count() == 0
    assert PAYLOADS[0] in saved_page.locator("body").inner_text()
