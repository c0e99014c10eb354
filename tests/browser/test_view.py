"""`superboard view` in a browser: its list, a trajectory, and a copy that opens from disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

from tests.viewing.cast import Served, history, put, run, serve

LONG = "\n".join(f"line {n}" for n in range(2_000))


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return put(
        tmp_path / "runs",
        {"cake/history.json": history("<b>bold</b>", LONG), "pie/history.json": history("needle")},
    )


@pytest.fixture
def served(runs: Path, tmp_path: Path) -> Iterator[Served]:
    with serve(runs, temporary=tmp_path / "temporary") as found:
        yield found


@pytest.fixture
def quiet_page(browser: Browser, complaints: list[str]) -> Iterator[Page]:
    """A page that may complain of nothing, and ask nobody but this machine and its disk."""

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error":
            complaints.append(message.text)

    def watch(request: Request) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "file:", "data:")):
            complaints.append(f"another host: {request.url}")

    page = browser.new_page()
    page.on("console", hear)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", watch)
    yield page
    page.close()
    assert not complaints, "\n".join(complaints)


def test_a_folder_is_read_and_followed_without_a_site(runs: Path, served: Served, quiet_page: Page) -> None:
    quiet_page.goto(served.address)
    put(runs, {"tart/history.json": history("new")})

    quiet_page.get_by_role("link", name="tart").click()
    expect(quiet_page.locator("#step-1")).to_contain_text("new")
    quiet_page.get_by_role("link", name="All attempts").click()
    quiet_page.get_by_role("link", name="cake").click()
    expect(quiet_page.locator("#step-1 .output")).to_have_text("<b>bold</b>")
    quiet_page.locator("#step-2 a.fold").first.click()
    expect(quiet_page.locator("#step-2")).to_contain_text("line 300")
    quiet_page.get_by_label("Find in this trajectory").fill("line 1234")
    quiet_page.keyboard.press("Enter")
    expect(quiet_page.locator("mark.found").first).to_have_text("line 1234")


def test_a_copy_opens_from_disk(runs: Path, tmp_path: Path, quiet_page: Page) -> None:
    done = run(runs, "--export", tmp_path / "copy", temporary=tmp_path / "temporary")
    assert done.returncode == 0, done.stderr

    quiet_page.goto((tmp_path / "copy" / "index.html").as_uri())
    quiet_page.get_by_role("link", name="cake").click()
    expect(quiet_page.locator("#step-1 .output")).to_have_text("<b>bold</b>")
    # The keys are heard once the scripts have run, which is before the page has loaded.
    quiet_page.wait_for_load_state()
    quiet_page.keyboard.press("j")
    expect(quiet_page.locator("#step-1")).to_be_focused()
    quiet_page.locator("#step-2 a.fold").first.click()
    expect(quiet_page.get_by_role("heading", level=1)).to_contain_text("Step 2")
    expect(quiet_page.locator("body")).to_contain_text("line 99")
