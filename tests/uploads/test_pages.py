"""The pages of uploads: files sent by a plain form, progress, reports, and who may see and do what."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.accounts.teams import create_team
from leaderboard.domain.uploads import UploadState
from leaderboard.entries.services import publish_entry
from leaderboard.models import TaskSet, Upload
from leaderboard.runs.claims import note_worker
from tests.cast import CET, MODEL, PET, SOLVER, make_set
from tests.people import client_of, person
from tests.uploads.cast import check, checked, described, run_zip, send, start, stored, team_of

pytestmark = pytest.mark.django_db
SUBMIT = reverse("submit")
DATA = b"0123456789"


@pytest.fixture(autouse=True)
def _tasks(db: None) -> None:
    make_set(PET, CET)


@pytest.fixture
def alice() -> Client:
    return client_of("alice")


def page_of(upload: Upload) -> str:
    return reverse("upload", args=(upload.pk,))


def act(client: Client, upload: Upload, action: str, **fields: Any) -> Any:
    return client.post(reverse("act-on-upload", args=(upload.pk,)), {"action": action, **fields})


def post_files(client: Client, *files: SimpleUploadedFile, **fields: Any) -> Any:
    return client.post(SUBMIT, {"team": team_of().slug, "files": files, **fields})


def test_a_plain_form_sends_a_file_whole(alice: Client) -> None:
    answer = post_files(alice, SimpleUploadedFile("run.zip", DATA), agent=SOLVER, task_set="super/masked")
    upload = Upload.objects.get()
    assert answer["Location"] == page_of(upload)
    assert (upload.state, stored(upload)) == (UploadState.QUEUED, DATA)
    assert upload.form == {"benchmark": "super", "set": "masked", "agent": SOLVER}


def test_a_link_needs_no_label(alice: Client) -> None:
    links = "https://example.org/paper  The paper\n\nhttps://example.org/code"
    post_files(alice, SimpleUploadedFile("run.zip", DATA), links=links)
    paper = {"label": "The paper", "url": "https://example.org/paper"}
    assert Upload.objects.get().form["links"] == [paper, "https://example.org/code"]


def test_what_is_said_of_openness_and_code_is_kept_and_shown_again(alice: Client) -> None:
    said = {"model_openness": "open-weights", "code": "https://example.org/code"}
    post_files(alice, SimpleUploadedFile("run.zip", run_zip("pet")), **said)
    upload = check(Upload.objects.get())

    assert upload.form == said
    assert '<option value="open-weights" selected>' in alice.get(page_of(upload)).content.decode()


def test_the_user_s_own_team_is_selected_first(alice: Client) -> None:
    create_team(name="AAA first by name", user=person("alice"))
    assert f'<option value="{team_of().slug}" selected>' in alice.get(SUBMIT).content.decode()


def test_several_files_become_one_archive(alice: Client) -> None:
    answers = [f'{{"task_id": "{task}", "answer": 1}}' for task in ("pet", "cet")]
    files = [SimpleUploadedFile(f"{n}.json", text.encode()) for n, text in enumerate(answers)]
    post_files(alice, *files, **{"agent": SOLVER, "model": MODEL, "task_set": "super/masked"})
    upload = check(Upload.objects.get())
    assert sorted(upload.files.values_list("name", flat=True)) == ["0.json", "1.json"]


def test_the_same_bytes_again_lead_to_the_earlier_upload_which_says_so(alice: Client) -> None:
    data = run_zip("pet")
    earlier = checked(data)
    answer = post_files(alice, SimpleUploadedFile("again.zip", data), notes="Other notes.")
    assert answer["Location"].partition("?")[0] == page_of(earlier)
    page = alice.get(answer["Location"]).content.decode()
    assert "What you filled in was not used." in page
    assert "use “Change its description” below" in page
    assert "What you filled in was not used." not in alice.get(page_of(earlier)).content.decode()


def test_a_form_for_a_draft_s_files_shows_the_values_that_are_kept(alice: Client) -> None:
    entry = checked(run_zip("pet"), form=described(notes="As <before>.")).entry
    assert entry
    page = alice.get(reverse("submit"), {"replace": entry.slug}).content.decode()
    assert "Values that are kept" in page
    assert "As &lt;before&gt;." in page
    assert "Values that are kept" not in alice.get(reverse("submit")).content.decode()


def test_a_task_set_without_tasks_is_not_offered(alice: Client) -> None:
    empty = TaskSet.objects.filter(tasks=None).get()
    page = alice.get(reverse("submit")).content.decode()
    assert '<option value="super/masked">' in page
    assert f'<option value="{empty.benchmark.slug}/{empty.slug}">' not in page


def test_an_upload_that_no_worker_will_check_says_so(alice: Client) -> None:
    upload = send(b"0123456789")
    words = "No worker of the site is alive, so uploads wait to be checked."
    where = f"/api/v1/uploads/{upload.pk}"

    assert words in alice.get(upload.get_absolute_url()).content.decode()
    assert alice.get(where).json()["waits_for"] == words

    note_worker("worker@host")
    assert words not in alice.get(upload.get_absolute_url()).content.decode()
    assert alice.get(where).json()["waits_for"] == ""


def test_a_published_upload_leads_to_its_entry(alice: Client) -> None:
    upload = checked(run_zip("pet"))
    assert upload.entry
    entry = publish_entry(upload.entry, user=None)
    page = alice.get(page_of(upload)).content.decode()
    assert "Published as" in page
    assert entry.get_absolute_url() in page
    assert "Discard it and its draft" not in page
    assert "Discard this upload; the entry stays" in page


def test_a_form_without_a_file_says_so(alice: Client) -> None:
    answer = alice.post(SUBMIT, {"team": team_of().slug})
    assert answer.status_code == 400
    page = answer.content.decode()
    assert '<a href="#upload-files">Files</a>: no file was picked' in page
    assert 'aria-invalid="true" aria-describedby="upload-files_error"' in page


def test_each_error_is_at_its_field_and_listed_on_top_with_a_link(alice: Client) -> None:
    file = SimpleUploadedFile("run.zip", DATA)
    page = post_files(alice, file, links="ftp://example.org", webhook="nowhere").content.decode()
    assert '<a href="#upload-links">Links</a>: it is not a URL (start it with https' in page
    assert '<a href="#upload-webhook">Webhook</a>' in page
    links = page[page.index('id="upload-links"') - 300 :][:600]
    assert 'aria-invalid="true"' in links
    assert 'aria-describedby="upload-links_helptext upload-links_error"' in links
    assert 'id="upload-links_error"' in page
    assert '<span class="required">(required)</span>' in page
    assert not Upload.objects.exists()

    upload = checked(run_zip("pet"), form={})
    answer = act(alice, upload, "describe", agent="a", links="ftp://example.org")
    assert answer.status_code == 400
    assert 'id="upload-links_error"' in answer.content.decode()
    assert 'value="a"' in answer.content.decode()


@pytest.mark.parametrize("name", ["replace", "after"])
def test_files_for_an_entry_are_its_team_s_and_there_is_none_to_choose(alice: Client, name: str) -> None:
    second = create_team(name="Second", user=person("alice"))
    upload = checked(run_zip("pet"), team=second)
    assert upload.entry
    if name == "after":
        publish_entry(upload.entry, user=None)
        upload.entry.refresh_from_db()
    address = f"{SUBMIT}?{name}={upload.entry.slug}"
    page = alice.get(address).content.decode()
    assert "for its team Second" in page
    assert 'name="team"' not in page

    alice.post(address, {"files": SimpleUploadedFile("other.zip", run_zip("cet"))})
    assert Upload.objects.latest("created").team == second


def test_the_address_of_an_upload_that_was_replaced_leads_to_what_replaced_it(alice: Client) -> None:
    first = checked(run_zip("pet"))
    checked(run_zip("cet"), entry=first.entry)
    third = checked(run_zip("pet", "cet"), entry=first.entry)

    moved = alice.get(page_of(first))
    assert moved["Location"] == f"{page_of(third)}?replaced=1"
    assert "this one has taken its place" in alice.get(moved["Location"]).content.decode()
    polled = alice.get(page_of(first), headers={"HX-Request": "true"})
    assert polled["HX-Redirect"] == moved["Location"]
    api = alice.get(reverse("api:upload", args=(first.pk,)))
    assert (api.status_code, api["Location"]) == (410, reverse("api:upload", args=(third.pk,)))
    assert client_of("bob").get(page_of(first)).status_code == 404


def test_what_is_too_large_for_one_request_is_refused_before_it_is_read(
    alice: Client, settings: Settings
) -> None:
    settings.SUPERBOARD_MAX_REQUEST_MB = 1
    answer = post_files(alice, SimpleUploadedFile("run.zip", bytes(3 << 20)))
    assert answer.status_code == 413
    assert "more than 1 MB (SUPERBOARD_MAX_REQUEST_MB). Turn on JavaScript" in answer.content.decode()
    assert answer.has_header("Content-Security-Policy")


def test_a_form_needs_its_csrf_token() -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(person("alice"))
    assert post_files(client, SimpleUploadedFile("run.zip", DATA)).status_code == 403
    assert not Upload.objects.exists()


def test_the_page_polls_until_checking_has_ended(alice: Client) -> None:
    upload = send(run_zip("pet"), form=described())
    assert 'hx-trigger="every 1s"' in alice.get(page_of(upload)).content.decode()
    check(upload)
    assert 'hx-trigger="every 1s"' not in alice.get(page_of(upload)).content.decode()
    assert alice.get(page_of(upload), headers={"hx-request": "true"})["HX-Refresh"] == "true"


def test_the_report_says_what_was_found_and_where(alice: Client) -> None:
    upload = checked(run_zip("pet", **{"cet/history.json": b"{", "notes.md": "x"}))
    shown = alice.get(page_of(upload)).content.decode()
    assert "cet/history.json" in shown
    assert "notes.md" in shown
    assert upload.entry
    assert upload.entry.get_absolute_url() in shown


@pytest.mark.parametrize(
    ("query", "listed"),
    [("show=errors", "cet/history.json"), ("show=passed", "notes.md"), ("q=pet", "pet/history.json")],
)
def test_the_report_can_be_filtered(alice: Client, query: str, listed: str) -> None:
    upload = checked(run_zip("pet", **{"cet/history.json": b"{", "notes.md": "x"}))
    answer = alice.get(f"{page_of(upload)}?{query}")
    assert [line.name for line in answer.context["report"].items] == [listed]


def test_the_report_can_be_downloaded(alice: Client) -> None:
    upload = checked(run_zip("pet", **{"cet/history.json": b"{"}))
    answer = alice.get(reverse("upload-report", args=(upload.pk,)))
    report = json.loads(answer.content)
    assert report["totals"]["attempts"] == 1
    assert [file["verdict"] for file in report["files"]] == ["refused", "used"]


def test_a_form_asks_for_missing_fields(alice: Client) -> None:
    upload = checked(run_zip("pet"), form={})
    shown = alice.get(page_of(upload)).content.decode()
    assert "Fill in what is missing" in shown
    assert "are filled in: Agent, Model</p>" in shown
    act(alice, upload, "describe", agent=SOLVER, model=MODEL, task_set="super/masked")
    assert check(upload).state == UploadState.CHECKED


def test_it_is_checked_again_and_discarded(alice: Client) -> None:
    upload = checked(run_zip("pet"))
    act(alice, upload, "recheck")
    assert check(upload).state == UploadState.CHECKED
    assert act(alice, upload, "discard")["Location"] == SUBMIT
    assert not Upload.objects.exists()


def test_files_that_replace_a_draft_s_go_to_that_draft(alice: Client) -> None:
    first = checked(run_zip("pet"))
    assert first.entry
    files = {"team": team_of().slug, "files": SimpleUploadedFile("run.zip", run_zip("cet"))}
    alice.post(f"{SUBMIT}?replace={first.entry.slug}", files)
    assert Upload.objects.latest("created").entry == first.entry


@pytest.mark.parametrize("name", ["replace", "after"])
def test_files_for_another_team_s_entry_are_refused(alice: Client, name: str) -> None:
    entry = checked(run_zip("pet"), who="bob").entry
    assert entry
    entry = publish_entry(entry, user=None)
    assert alice.get(f"{SUBMIT}?{name}={entry.slug}").status_code == 403


@pytest.mark.parametrize(("who", "status"), [("alice", 200), ("olga", 200), ("bob", 404), ("nobody", 302)])
@pytest.mark.parametrize("name", ["upload", "upload-report"])
def test_only_its_team_and_operators_see_an_upload(name: str, who: str, status: int) -> None:
    upload = checked(run_zip("pet"))
    assert client_of(who).get(reverse(name, args=(upload.pk,))).status_code == status


@pytest.mark.parametrize("action", ["recheck", "discard", "describe"])
def test_nobody_else_acts_on_it(action: str) -> None:
    upload = checked(run_zip("pet"))
    assert act(client_of("bob"), upload, action).status_code == 404


def test_nobody_sends_for_a_team_without_being_a_member() -> None:
    client_of("alice")
    answer = client_of("bob").post(
        SUBMIT, {"team": team_of().slug, "files": SimpleUploadedFile("run.zip", DATA)}
    )
    assert answer.status_code == 400
    assert not Upload.objects.exists()


def test_the_list_has_only_uploads_of_the_user_s_teams(alice: Client) -> None:
    start(DATA, name="mine.zip")
    start(DATA, name="theirs.zip", who="bob")
    shown = alice.get(SUBMIT).content.decode()
    assert "mine.zip" in shown
    assert "theirs.zip" not in shown
