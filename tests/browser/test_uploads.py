"""Files sent from a browser: whole, in chunks, over a connection that breaks, and after a reload."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from leaderboard.accounts.teams import create_team
from leaderboard.domain.uploads import UploadState
from leaderboard.models import Upload
from leaderboard.uploads.services import discard_upload
from tests.browser.looks import findings_in_every_look, without_javascript
from tests.browser.test_accounts import come_in
from tests.cast import CET, MODEL, PET, SOLVER, make_set
from tests.people import person
from tests.uploads.cast import check, checked, described, run_zip, send, stored

CHUNKS = bytes(range(256)) * (9 << 12)
"""Nine megabytes: three chunks."""
UPLOADS = "**/api/v1/uploads/*"


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


def test_a_file_is_sent_in_chunks_and_its_page_shows_the_report(page: Page, tmp_path: Path) -> None:
    page.get_by_label("Task set").select_option("super/masked")
    page.get_by_label("Agent", exact=True).fill(SOLVER)
    page.get_by_label("Model", exact=True).fill(MODEL)
    pick(page, written(tmp_path, run_zip("pet", **{"cet/history.json": b"{"})))
    expect(page.get_by_text("waiting to be checked")).to_be_visible()
    check(Upload.objects.get())
    expect(page.get_by_role("heading", name="Report")).to_be_visible()
    expect(page.get_by_role("link", name="The draft")).to_be_visible()


def test_sending_resumes_after_a_broken_connection(page: Page, tmp_path: Path, complaints: list[str]) -> None:
    broken: list[str] = []

    def break_once(route: Route) -> None:
        if route.request.headers.get("upload-offset", "0") != "0" and not broken:
            broken.append(route.request.url)
            route.abort("connectionreset")
        else:
            route.continue_()

    page.route(UPLOADS, break_once)
    pick(page, written(tmp_path, CHUNKS))
    expect(page.get_by_text("waiting to be checked")).to_be_visible()
    assert broken
    assert stored(Upload.objects.get()) == CHUNKS
    complaints.clear()


def test_the_same_file_resumes_after_a_reload(page: Page, tmp_path: Path, complaints: list[str]) -> None:
    def let_one_through(route: Route) -> None:
        if route.request.headers.get("upload-offset", "0") == "0":
            route.continue_()

    file = written(tmp_path, CHUNKS)
    page.get_by_label("Model", exact=True).fill(MODEL)
    page.route(UPLOADS, let_one_through)
    pick(page, file)
    expect(page.get_by_text("44 % sent")).to_be_visible()
    # In this order: leaving the page drops the waiting chunk, so that it never reaches the server.
    page.goto("/submit/")
    page.unroute_all(behavior="ignoreErrors")
    page.get_by_label("Agent", exact=True).fill(SOLVER)
    offsets: list[str] = []
    page.on("request", lambda request: offsets.append(request.headers.get("upload-offset", "")))
    pick(page, file)
    expect(page.get_by_text("waiting to be checked")).to_be_visible()
    assert "0" not in offsets
    upload = Upload.objects.get()
    assert stored(upload) == CHUNKS
    assert upload.form == {"agent": SOLVER, "model": MODEL}
    complaints.clear()


def test_the_files_of_a_discarded_upload_are_sent_again(
    page: Page, tmp_path: Path, complaints: list[str]
) -> None:
    page.route(UPLOADS, lambda _route: None)
    file = written(tmp_path, CHUNKS)
    pick(page, file)
    expect(page.get_by_text("0 % sent")).to_be_visible()
    page.goto("/submit/")
    page.unroute_all(behavior="ignoreErrors")
    first = Upload.objects.get()
    discard_upload(first, user=None)
    pick(page, file)
    expect(page.get_by_text("waiting to be checked")).to_be_visible()
    assert Upload.objects.get().pk != first.pk
    assert stored(Upload.objects.get()) == CHUNKS
    complaints.clear()


def test_sending_ends_well_if_the_answer_to_the_last_chunk_is_lost(
    page: Page, tmp_path: Path, complaints: list[str]
) -> None:
    def lose_answer(route: Route) -> None:
        if route.request.method == "PATCH":
            route.fetch()
            route.abort("connectionreset")
        else:
            route.continue_()

    page.route(UPLOADS, lose_answer)
    pick(page, written(tmp_path, run_zip("pet")))
    expect(page.get_by_text("waiting to be checked")).to_be_visible()
    complaints.clear()


@pytest.mark.parametrize(("status", "seconds"), [(429, "1"), (409, "1"), (503, "")])
def test_it_tries_again_after_temporary_refusals(
    status: int, seconds: str, page: Page, tmp_path: Path, complaints: list[str]
) -> None:
    refused: list[str] = []

    def refuse_once(route: Route) -> None:
        if route.request.method == "PATCH" and not refused:
            refused.append(route.request.url)
            headers = {"Retry-After": seconds} if seconds else {}
            route.fulfill(status=status, headers=headers, json={"detail": "Come back later."})
        else:
            route.continue_()

    page.route(UPLOADS, refuse_once)
    pick(page, written(tmp_path, run_zip("pet")))
    expect(page.get_by_text("Come back later. Trying again.")).to_be_visible()
    expect(page.get_by_text("waiting to be checked")).to_be_visible()
    complaints.clear()


def test_the_fields_are_sent_with_the_files(page: Page, tmp_path: Path) -> None:
    team = create_team(name="Alice and others", user=person("alice"))
    page.reload()
    page.get_by_label("Team").select_option(team.slug)
    page.get_by_label("Task set").select_option("super/masked")
    page.get_by_label("Cost in US dollars").fill("1.5")
    page.get_by_label("Links").fill("https://example.org/paper  The paper\n\nhttps://example.org/code")
    page.get_by_label("Tell me by e-mail").check()
    pick(page, written(tmp_path, run_zip("pet")))
    expect(page.get_by_text("waiting to be checked")).to_be_visible()
    upload = Upload.objects.get()
    assert upload.team == team
    assert upload.form == {
        "benchmark": "super",
        "set": "masked",
        "cost": 1.5,
        "links": [
            {"label": "The paper", "url": "https://example.org/paper"},
            "https://example.org/code",
        ],
        "email": True,
    }


def test_files_for_a_draft_replace_its_files(page: Page, tmp_path: Path) -> None:
    entry = checked(run_zip("pet"), form=described()).entry
    assert entry
    page.goto(f"/submit/?replace={entry.slug}")
    pick(page, written(tmp_path, run_zip("cet")))
    expect(page.get_by_text("waiting to be checked")).to_be_visible()
    assert Upload.objects.latest("created").entry == entry


def test_the_same_bytes_again_lead_to_the_earlier_upload_which_says_so(page: Page, tmp_path: Path) -> None:
    data = run_zip("pet")
    earlier = checked(data, form=described())
    pick(page, written(tmp_path, data, "again.zip"))
    expect(page.get_by_text("What you filled in was not used.")).to_be_visible()
    expect(page.get_by_role("heading", name=earlier.name)).to_be_visible()


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


def test_problems_are_shown_at_their_fields_and_others_below_the_form(
    page: Page, tmp_path: Path, complaints: list[str]
) -> None:
    page.get_by_role("button", name="Send and check").click()
    expect(page.get_by_text("Pick an archive, files or a folder first.")).to_be_visible()
    page.get_by_label("Links").fill("ftp://example.org")
    pick(page, written(tmp_path, b"x"))
    listed = page.locator("[data-field-errors]")
    expect(listed).to_be_focused()
    expect(listed.get_by_role("link", name="Links")).to_be_visible()
    described = page.get_by_label("Links").get_attribute("aria-describedby") or ""
    expect(page.locator(f"#{described.split()[-1]}")).to_contain_text("it is not a URL")

    page.get_by_label("Links").fill("")
    pick(page, written(tmp_path, b""))
    expect(listed).to_have_count(1)
    expect(page.locator("#upload-files_error")).to_have_text("the file is empty (pick another)")
    complaints.clear()


def two_entries(folder: str) -> bytes:
    """An archive of two entries, one of them in a folder of this name."""
    descriptions = {f"{path}/entry.json": {"agent": path[:9]} for path in (folder, "another")}
    return run_zip(f"{folder}/pet", "another/cet", **descriptions)


def test_the_pages_are_accessible_and_fit(page: Page) -> None:
    shown = checked(run_zip("pet", **{"cet/history.json": b"{", f"{'x' * 90}.md": b"x"}))
    long, lacking = checked(run_zip("cet"), form=described(agent="a" * 100)), checked(run_zip("pet"), form={})
    several = checked(two_entries(f"{'long-' * 30}folder"))
    check(several.parts.order_by("queued", "pk")[0])
    waiting = send(b"x")
    assert (shown.state, waiting.state) == (UploadState.CHECKED, UploadState.QUEUED)
    public = ("/submit/sample-report/", "/docs/submitting/", "/docs/formats/")
    for path in (
        "/submit/",
        *public,
        *(each.get_absolute_url() for each in (shown, long, lacking, several, waiting)),
    ):
        page.goto(path)
        assert findings_in_every_look(page) == []
