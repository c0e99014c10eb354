"""Files sent from a browser: whole, in pieces, over a connection that breaks, and after a reload."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from leaderboard.domain.uploads import UploadState
from leaderboard.models import Upload
from tests.browser.looks import (
    accessibility_findings,
    in_both_themes,
    on_phone_and_desktop,
    too_wide,
    without_javascript,
)
from tests.browser.test_accounts import come_in
from tests.cast import CET, MODEL, PET, SOLVER, make_set
from tests.uploads.cast import check, checked, described, run_zip, send, stored

PIECES = bytes(range(256)) * (9 << 12)
"""Nine megabytes: three pieces."""


@pytest.fixture(autouse=True)
def _alice_is_signed_in(
    transactional_db: None, page: Page, live_server: LiveServer, settings: Settings, tmp_path: Path
) -> None:
    settings.SUPERBOARD_UPLOADS = tmp_path / "uploads"
    settings.SUPERBOARD_MIN_FREE_DISK_MB = 0
    make_set(PET, CET)
    come_in(page, live_server, "alice")
    page.goto("/submit/")


def pick(page: Page, *files: Path) -> None:
    page.get_by_label("An archive").set_input_files(files)
    page.get_by_role("button", name="Send and check").click()


def written(folder: Path, data: bytes, name: str = "run.zip") -> Path:
    (folder / name).write_bytes(data)
    return folder / name


@without_javascript
def test_a_form_alone_sends_files(page: Page, tmp_path: Path) -> None:
    page.get_by_label("Agent", exact=True).fill(SOLVER)
    pick(page, written(tmp_path, run_zip("pet")))
    expect(page.get_by_role("heading", name="run.zip")).to_be_visible()
    assert check(Upload.objects.get()).form["agent"] == SOLVER


def test_a_file_goes_in_pieces_and_its_page_shows_the_report(page: Page, tmp_path: Path) -> None:
    page.get_by_label("Task set").select_option("super/masked")
    page.get_by_label("Agent", exact=True).fill(SOLVER)
    page.get_by_label("Model", exact=True).fill(MODEL)
    pick(page, written(tmp_path, run_zip("pet", **{"cet/history.json": b"{"})))
    expect(page.get_by_text("waiting to be checked")).to_be_visible()
    check(Upload.objects.get())
    expect(page.get_by_role("heading", name="Report")).to_be_visible()
    expect(page.get_by_role("link", name="The draft")).to_be_visible()


def test_a_broken_connection_is_made_up_for(page: Page, tmp_path: Path, complaints: list[str]) -> None:
    broken: list[str] = []

    def break_once(route: Route) -> None:
        if route.request.headers.get("upload-offset", "0") != "0" and not broken:
            broken.append(route.request.url)
            route.abort("connectionreset")
        else:
            route.continue_()

    page.route("**/bytes/", break_once)
    pick(page, written(tmp_path, PIECES))
    expect(page.get_by_text("waiting to be checked")).to_be_visible()
    assert broken
    assert stored(Upload.objects.get()) == PIECES
    complaints.clear()


def test_the_same_file_goes_on_after_a_reload(page: Page, tmp_path: Path, complaints: list[str]) -> None:
    def let_one_through(route: Route) -> None:
        if route.request.headers.get("upload-offset", "0") == "0":
            route.continue_()

    file = written(tmp_path, PIECES)
    page.route("**/bytes/", let_one_through)
    pick(page, file)
    expect(page.get_by_text("44 % sent")).to_be_visible()
    # In this order: a piece that waits goes with its page, and not to the server after all.
    page.goto("/submit/")
    page.unroute_all(behavior="ignoreErrors")
    offsets: list[str] = []
    page.on("request", lambda request: offsets.append(request.headers.get("upload-offset", "")))
    pick(page, file)
    expect(page.get_by_text("waiting to be checked")).to_be_visible()
    assert "0" not in offsets
    assert stored(Upload.objects.get()) == PIECES
    complaints.clear()


def test_several_files_become_one_archive(page: Page, tmp_path: Path) -> None:
    long = f"{'long-' * 30}ünïcode.json"
    files = [
        written(tmp_path, f'{{"task_id": "{task}", "answer": 1}}'.encode(), name)
        for task, name in (("pet", long), ("cet", "cet.json"))
    ]
    page.get_by_label("Task set").select_option("super/masked")
    pick(page, *files)
    expect(page.get_by_role("heading", name="files.tar")).to_be_visible()
    upload = check(Upload.objects.get())
    assert sorted(upload.files.values_list("name", flat=True)) == ["cet.json", long]


def test_what_is_wrong_is_said_where_the_files_are_picked(
    page: Page, tmp_path: Path, complaints: list[str]
) -> None:
    page.get_by_role("button", name="Send and check").click()
    expect(page.get_by_text("Pick an archive, files or a folder first.")).to_be_visible()
    pick(page, written(tmp_path, b""))
    expect(page.get_by_text("the file is empty")).to_be_visible()
    complaints.clear()


def two_entries(folder: str) -> bytes:
    """An archive of two entries, one of them in a folder of this name."""
    said = {f"{path}/entry.json": {"agent": path[:9]} for path in (folder, "another")}
    return run_zip(f"{folder}/pet", "another/cet", **said)


@in_both_themes
@on_phone_and_desktop
def test_the_pages_are_accessible_and_fit(page: Page) -> None:
    shown = checked(run_zip("pet", **{"cet/history.json": b"{", f"{'x' * 90}.md": b"x"}))
    long, lacking = checked(run_zip("cet"), form=described(agent="a" * 100)), checked(run_zip("pet"), form={})
    several = checked(two_entries(f"{'long-' * 30}folder"))
    check(several.parts.order_by("queued", "pk")[0])
    waiting = send(b"x")
    assert (shown.state, waiting.state) == (UploadState.CHECKED, UploadState.QUEUED)
    for path in ("/submit/", *(each.get_absolute_url() for each in (shown, long, lacking, several, waiting))):
        page.goto(path)
        assert accessibility_findings(page) == []
        assert too_wide(page) == {}
