"""An archive with several entries: each is an upload of its own and shares the archive's bytes."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import Settings

from leaderboard.domain.errors import InputError, QuotaExceeded
from leaderboard.domain.uploads import UploadState
from leaderboard.entries.services import publish_entry
from leaderboard.models import Attempt, AuditEvent, Entry, Upload
from leaderboard.uploads.quotas import DISCARD
from leaderboard.uploads.services import describe_upload, discard_upload, recheck_upload
from leaderboard.uploads.storage import upload_folder
from leaderboard.uploads.sweeping import remove_unneeded
from tests.cast import CET, DPT, MODEL, PET, history, make_set
from tests.people import client_of
from tests.uploads.cast import check, packed, send

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _tasks(db: None) -> None:
    make_set(PET, CET, DPT)


def archive(**files: Any) -> bytes:
    """Two entries, of the agents A and B, that share a description at the top of the archive."""
    shared = {"model": MODEL, "benchmark": "super", "set": "masked", "notes": "Both."}
    descriptions = {"entry.json": shared, "a/entry.json": {"agent": "A"}, "b/entry.json": {"agent": "B"}}
    tried = {f"{folder}/history.json": history({"loss": 0.5}, prompt=folder) for folder in ("a/pet", "b/cet")}
    return packed(**{**descriptions, **tried, **files})


def check_all(upload: Upload) -> list[Upload]:
    """Check an archive, then its queued parts."""
    check(upload)
    return check_parts(upload)


def check_parts(upload: Upload) -> list[Upload]:
    return [check(part) if part.state == "queued" else part for part in upload.parts.order_by("queued", "pk")]


def parts_of(data: bytes, **fields: Any) -> tuple[Upload, list[Upload]]:
    upload = send(data, **fields)
    check_all(upload)
    return upload, list(upload.parts.order_by("part"))


def publish(part: Upload) -> Entry:
    assert part.entry
    return publish_entry(part.entry, user=None)


def test_each_entry_is_an_upload_with_a_draft_of_its_own() -> None:
    upload, parts = parts_of(archive())

    assert (upload.state, upload.entry) == (UploadState.CHECKED, None)
    found = [
        (part.part, part.state, str(part.entry and part.entry.agent.name), part.description["notes"])
        for part in parts
    ]
    assert found == [("a", "checked", "A", "Both."), ("b", "checked", "B", "Both.")]
    assert [part.files.exclude(task_id="").get().name for part in parts] == [
        "a/pet/history.json",
        "b/cet/history.json",
    ]
    assert Attempt.objects.count() == 2


def test_the_archive_s_report_has_the_files_that_belong_to_no_entry() -> None:
    upload, _parts = parts_of(archive(**{"c/dpt/history.json": history()}))

    lines = {line.name: (line.verdict, line.warnings) for line in upload.files.all()}
    assert lines == {"c/dpt/history.json": ("passed over", 1), "entry.json": ("used", 0)}
    assert upload.summary["warnings"] == 1


def test_a_description_of_the_archive_fills_in_what_all_parts_lack() -> None:
    data = archive(**{"entry.json": {"benchmark": "super", "set": "masked"}})
    upload, parts = parts_of(data)
    assert [part.state for part in parts] == ["incomplete", "incomplete"]

    describe_upload(upload, form={"model": MODEL}, user=None)

    assert [part.state for part in check_all(upload)] == ["checked", "checked"]


def test_an_entry_s_own_description_overrides_the_archive_s_form() -> None:
    _upload, parts = parts_of(archive(), form={"agent": "Ours", "notes": "Said beside it."})

    assert [(part.description["agent"], part.description["notes"]) for part in parts] == [
        ("A", "Said beside it."),
        ("B", "Said beside it."),
    ]


def test_an_unusable_part_is_refused_alone_and_checked_again_with_the_archive() -> None:
    upload, parts = parts_of(archive(**{"b/cet/history.json": b"{"}))
    assert [part.state for part in parts] == ["checked", "refused"]

    recheck_upload(upload, user=None)

    assert [part.state for part in check_all(upload)] == ["checked", "refused"]
    assert Upload.objects.count() == 3


def test_a_part_is_described_and_checked_again_by_itself() -> None:
    _upload, (a, _b) = parts_of(archive())

    describe_upload(a, form={"agent": "Another"}, user=None)

    checked = check(a)
    assert checked.entry
    assert checked.entry.agent.name == "Another"
    assert Entry.objects.count() == 2


def test_published_parts_stay_unchanged_when_the_archive_is_checked_again() -> None:
    upload, (a, b) = parts_of(archive())
    publish(a)

    recheck_upload(upload, user=None)
    check(upload)

    a.refresh_from_db()
    b.refresh_from_db()
    assert (a.state, b.state) == ("checked", "queued")


def test_once_all_parts_are_published_none_can_be_checked_again_and_the_bytes_are_deleted() -> None:
    upload, (a, b) = parts_of(archive())
    publish(a)
    remove_unneeded()
    assert upload_folder(upload.pk).exists()
    publish(b)

    remove_unneeded()

    assert not upload_folder(upload.pk).exists()
    with pytest.raises(InputError, match="its current state does not allow this"):
        recheck_upload(upload, user=None)


def test_discarding_the_archive_discards_unpublished_parts(
    django_capture_on_commit_callbacks: Any,
) -> None:
    upload, (a, _b) = parts_of(archive())
    publish(a)

    with django_capture_on_commit_callbacks(execute=True):
        discard_upload(upload, user=None)

    assert [each.part for each in Upload.objects.all()] == ["a"]
    assert Entry.objects.get().state == "published"
    assert not upload_folder(upload.pk).exists()


def test_the_bytes_are_charged_once(settings: Settings) -> None:
    settings.SUPERBOARD_UPLOAD_MB_PER_DAY = 1
    data = archive(**{"a/notes.txt": bytes(600_000)})
    upload, _parts = parts_of(data)

    send(b"x" * 300_000)
    discard_upload(upload, user=None)

    charged = [event.detail["charged"] for event in AuditEvent.objects.filter(action=DISCARD)]
    assert sorted(charged) == [0, 0, len(data)]


def test_each_entry_takes_a_place_and_the_archive_none(settings: Settings) -> None:
    settings.SUPERBOARD_OPEN_UPLOADS_PER_TEAM = 2
    upload, _parts = parts_of(archive())

    with pytest.raises(QuotaExceeded):
        send(b"others")

    recheck_upload(upload, user=None)
    assert [part.state for part in check_all(upload)] == ["checked", "checked"]


def test_more_entries_than_there_are_places_for_are_refused(settings: Settings) -> None:
    settings.SUPERBOARD_OPEN_UPLOADS_PER_TEAM = 1

    upload = check(send(archive()))

    assert (upload.state, upload.parts.count()) == (UploadState.REFUSED, 0)
    assert "SUPERBOARD_OPEN_UPLOADS_PER_TEAM" in str(upload.problems)


def test_one_entry_can_not_be_replaced_by_several() -> None:
    _upload, (a, _b) = parts_of(archive())

    upload = check(send(archive(**{"x.md": "other bytes"}), entry=a.entry))

    assert upload.state == UploadState.REFUSED
    assert "but can only replace one" in str(upload.problems)
    assert Entry.objects.count() == 2


def test_the_same_archive_again_is_recognised_and_not_one_of_its_parts() -> None:
    upload, _parts = parts_of(archive())

    assert send(archive()) == upload


def test_the_page_lists_the_entries_and_polls_until_all_are_checked() -> None:
    upload = check(send(archive()))
    client = client_of("alice")
    page = client.get(upload.get_absolute_url()).content.decode()
    assert "2 entries in it" in page
    assert 'hx-trigger="every 1s"' in page
    check(upload.parts.order_by("queued", "pk")[0])
    assert "50 %" in client.get(upload.get_absolute_url()).content.decode()

    a, _b = check_parts(upload)

    page = client.get(upload.get_absolute_url()).content.decode()
    assert 'hx-trigger="every 1s"' not in page
    assert a.get_absolute_url() in page
    assert upload.get_absolute_url() in client.get(a.get_absolute_url()).content.decode()
    assert "in run.zip" in client.get("/submit/").content.decode()


def test_nobody_else_sees_them() -> None:
    _upload, (a, _b) = parts_of(archive())

    assert client_of("bob").get(a.get_absolute_url()).status_code == 404


def test_the_downloaded_report_names_the_parts() -> None:
    upload, parts = parts_of(archive())

    report = client_of("alice").get(f"{upload.get_absolute_url()}report.json").json()

    assert [part["upload"] for part in report["parts"]] == [str(part.pk) for part in parts]


@pytest.mark.django_db(transaction=True)
def test_the_bytes_may_be_sent_again_when_all_its_entries_are_withdrawn() -> None:
    data = archive()
    first = send(data)
    check_all(first)

    Entry.objects.filter(agent__name="A").update(state="withdrawn")
    assert send(data) == first
    Entry.objects.update(state="withdrawn")
    assert send(data) != first
