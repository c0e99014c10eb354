"""An upload is received byte for byte, in any number of chunks; no byte is stored twice or lost."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterator
from contextlib import closing

import pytest

from leaderboard.domain.errors import InputError, UploadBusy, WrongOffset
from leaderboard.domain.uploads import UploadState
from leaderboard.entries.services import publish_entry
from leaderboard.models import Entry, Upload
from leaderboard.uploads.services import append_chunk, discard_upload
from leaderboard.uploads.storage import Content, content_path, upload_folder
from tests.cast import PET, make_set
from tests.uploads.cast import checked, run_zip, send, start, stored

pytestmark = pytest.mark.django_db
DATA = b"0123456789"


def test_the_last_byte_completes_it() -> None:
    upload = start(DATA)
    upload = append_chunk(upload, offset=0, chunks=[b"012", b"34"])
    assert (upload.state, upload.received, upload.digest) == (UploadState.RECEIVING, 5, "")
    upload = append_chunk(upload, offset=5, chunks=[b"56789"])
    assert (upload.state, stored(upload)) == (UploadState.QUEUED, DATA)
    assert upload.digest == hashlib.sha256(DATA).hexdigest()


@pytest.mark.parametrize("offset", [0, 3, 6])
def test_a_chunk_at_a_wrong_offset_is_refused_with_the_right_one(offset: int) -> None:
    upload = append_chunk(start(DATA), offset=0, chunks=[b"01234"])
    with pytest.raises(WrongOffset) as refusal:
        append_chunk(upload, offset=offset, chunks=[b"56789"])
    assert refusal.value.received == 5
    assert stored(upload) == b"01234"


def test_what_arrived_before_the_connection_broke_is_kept() -> None:
    upload = start(DATA)

    def chunks() -> Iterator[bytes]:
        yield b"0123"
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        append_chunk(upload, offset=0, chunks=chunks())
    assert Upload.objects.get().received == 4
    assert append_chunk(upload, offset=4, chunks=[b"456789"]).state == UploadState.QUEUED
    assert stored(upload) == DATA


def test_bytes_that_were_written_but_not_counted_are_written_again() -> None:
    upload = append_chunk(start(DATA), offset=0, chunks=[b"01234"])
    with content_path(upload.pk).open("ab") as content:
        content.write(b"what a killed process left")
    append_chunk(upload, offset=5, chunks=[b"56789"])
    assert stored(upload) == DATA


def test_the_newest_request_wins_and_an_older_one_writes_nothing_more() -> None:
    upload = start(DATA)

    def chunks() -> Iterator[bytes]:
        yield b"012"
        # While this sender waits for its network, it comes again; what was not counted starts again.
        assert append_chunk(Upload.objects.get(), offset=0, chunks=[b"01"]).received == 2
        yield b"XXXX"

    with pytest.raises(UploadBusy, match="a newer request sends it now"):
        append_chunk(upload, offset=0, chunks=chunks())

    assert (Upload.objects.get().received, stored(upload)) == (2, b"01")
    assert append_chunk(Upload.objects.get(), offset=2, chunks=[DATA[2:]]).state == UploadState.QUEUED
    assert stored(upload) == DATA


def test_an_older_request_counts_nothing_that_a_newer_one_began_again() -> None:
    upload = start(DATA)

    def chunks() -> Iterator[bytes]:
        yield b"012"
        append_chunk(Upload.objects.get(), offset=0, chunks=[])

    with pytest.raises(UploadBusy):
        append_chunk(upload, offset=0, chunks=chunks())

    assert (Upload.objects.get().received, stored(upload)) == (0, b"")


def test_a_newer_request_at_a_wrong_offset_ends_none_that_sends() -> None:
    upload = start(DATA)

    def chunks() -> Iterator[bytes]:
        yield b"01234"
        with pytest.raises(WrongOffset):
            append_chunk(Upload.objects.get(), offset=7, chunks=[b"789"])
        yield b"56789"

    assert append_chunk(upload, offset=0, chunks=chunks()).state == UploadState.QUEUED
    assert stored(upload) == DATA


def test_a_process_that_was_stopped_while_it_writes_is_not_waited_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("leaderboard.uploads.storage.LOCK_SECONDS", 0)
    upload = start(DATA)
    other = Content(upload.pk, name=upload.name)
    with closing(other), other.locked(), pytest.raises(UploadBusy):
        append_chunk(upload, offset=0, chunks=[DATA])
    assert append_chunk(upload, offset=0, chunks=[DATA]).state == UploadState.QUEUED


def test_more_bytes_than_announced_are_refused() -> None:
    upload = start(DATA)
    with pytest.raises(InputError, match="more bytes arrive than the 10 that were announced"):
        append_chunk(upload, offset=0, chunks=[DATA, b"x"])
    assert Upload.objects.get().received == 10


def test_an_empty_chunk_completes_an_upload_with_all_its_bytes() -> None:
    upload = start(DATA)
    with pytest.raises(InputError):
        append_chunk(upload, offset=0, chunks=[DATA, b"x"])
    assert append_chunk(upload, offset=10, chunks=[]).state == UploadState.QUEUED


def test_a_complete_upload_takes_no_more_bytes() -> None:
    with pytest.raises(InputError, match="it was received completely"):
        append_chunk(send(DATA), offset=10, chunks=[b"x"])


def test_only_the_site_s_system_user_can_read_it() -> None:
    upload = send(DATA)
    assert stat.S_IMODE(content_path(upload.pk).stat().st_mode) == 0o600
    assert stat.S_IMODE(upload_folder(upload.pk).stat().st_mode) == 0o700


@pytest.mark.django_db(transaction=True)
def test_the_same_bytes_again_are_recognised() -> None:
    first = send(DATA)
    second = start(DATA, name="again.zip")
    assert append_chunk(second, offset=0, chunks=[DATA]) == first
    assert list(Upload.objects.all()) == [first]
    assert not upload_folder(second.pk).exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("state", "known"), [("withdrawn", False), ("hidden", True), ("published", True)])
def test_the_bytes_of_a_withdrawn_entry_may_be_sent_again(state: str, known: bool) -> None:
    make_set(PET)
    data = run_zip("pet")
    first = checked(data)
    Entry.objects.update(state=state)

    assert (send(data) == first) is known


def test_the_same_bytes_of_another_team_are_another_upload() -> None:
    assert send(DATA) != send(DATA, who="bob")


@pytest.mark.django_db(transaction=True)
def test_a_discarded_upload_leaves_nothing() -> None:
    upload = send(DATA)
    key = upload.pk
    discard_upload(upload, user=None)
    assert not Upload.objects.exists()
    assert not upload_folder(key).exists()


def test_discarding_during_sending_ends_it() -> None:
    upload = start(DATA)

    def chunks() -> Iterator[bytes]:
        yield b"0123"
        Upload.objects.all().delete()

    with pytest.raises(InputError, match="it was discarded in the meantime"):
        append_chunk(upload, offset=0, chunks=chunks())


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("a/b/run.zip", "run.zip"),
        (r"C:\runs\run.zip", "run.zip"),
        ("run\0.zip", "run␀.zip"),
        ("a\r\nBcc: x.zip", r"a\r\nBcc: x.zip"),
        ("a\u2028b\u202e\x1b[1m\x85.zip", r"a\u2028b\u202e\x1b[1m\x85.zip"),
    ],
)
def test_a_name_is_the_last_part_of_a_path(name: str, kept: str) -> None:
    assert start(DATA, name=name).name == kept


@pytest.mark.parametrize("name", ["", "  ", "/", "x" * 256])
def test_an_invalid_name_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        start(DATA, name=name)


def test_each_invalid_field_is_named() -> None:
    form = {"agent": 3, "cost": "much", "links": [{"url": "javascript:alert(1)"}], "colour": "red"}
    with pytest.raises(InputError) as refusal:
        start(DATA, form=form)
    assert [problem.place for problem in refusal.value.problems] == [
        "$.agent",
        "$.colour",
        "$.cost",
        "$.links[0].url",
    ]


def test_a_chunk_of_a_discarded_upload_is_refused_and_leaves_nothing() -> None:
    upload = start(DATA)
    again = Upload.objects.get()
    discard_upload(upload, user=None)
    with pytest.raises(InputError, match="it was discarded in the meantime"):
        append_chunk(again, offset=0, chunks=[DATA])
    assert not upload_folder(again.pk).exists()
    discard_upload(again, user=None)


def test_no_files_replace_those_of_a_draft_that_was_published_meanwhile() -> None:
    make_set(PET)
    draft = checked(run_zip("pet")).entry
    assert draft
    publish_entry(Entry.objects.get(), user=None)
    with pytest.raises(InputError, match="is not a draft of"):
        start(DATA, entry=draft)
