"""Quotas limit what a team may have and send; uploads that were not accepted do not count."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from leaderboard.domain.entries import EntryState
from leaderboard.domain.errors import InputError, QuotaExceeded
from leaderboard.domain.uploads import UploadState
from leaderboard.entries.services import publish_entry
from leaderboard.models import Entry, Upload
from leaderboard.uploads.services import append_chunk, discard_upload
from leaderboard.uploads.storage import content_path, make_private, upload_folder
from leaderboard.uploads.sweeping import ANSWER_SECONDS, complete_received, remove_unneeded
from tests.cast import PET, make_set
from tests.uploads.cast import checked, described, run_zip, send, start

pytestmark = pytest.mark.django_db
MEGABYTE = 1 << 20


def test_the_number_of_open_uploads_is_limited(settings: Settings) -> None:
    settings.SUPERBOARD_OPEN_UPLOADS_PER_TEAM = 1
    first = start()
    with pytest.raises(QuotaExceeded, match=r"SUPERBOARD_OPEN_UPLOADS_PER_TEAM.*published or discarded"):
        start()
    start(who="bob")
    discard_upload(first, user=None)
    start()


@pytest.mark.parametrize("state", [UploadState.REFUSED, UploadState.FAILED])
def test_uploads_that_were_not_accepted_do_not_count(settings: Settings, state: UploadState) -> None:
    settings.SUPERBOARD_OPEN_UPLOADS_PER_TEAM = settings.SUPERBOARD_UPLOAD_MB_PER_DAY = 1
    start(bytes(MEGABYTE))
    Upload.objects.update(state=state)
    start(bytes(MEGABYTE))


def test_the_bytes_sent_within_a_day_are_limited(settings: Settings) -> None:
    settings.SUPERBOARD_UPLOAD_MB_PER_DAY = 1
    start(bytes(MEGABYTE))
    room = Upload.objects.get().created + timedelta(days=1)
    with pytest.raises(QuotaExceeded, match=f"SUPERBOARD_UPLOAD_MB_PER_DAY.*{room:%Y-%m-%d %H:%M} UTC"):
        start()
    Upload.objects.update(created=timezone.now() - timedelta(hours=25))
    start()


def test_a_discarded_upload_that_was_accepted_still_counts(settings: Settings) -> None:
    make_set(PET)
    upload = checked(run_zip("pet"))
    settings.SUPERBOARD_UPLOAD_MB_PER_DAY = 1
    Upload.objects.update(size=MEGABYTE, received=MEGABYTE)
    discard_upload(upload, user=None)
    with pytest.raises(QuotaExceeded):
        start()


def test_the_publications_within_a_day_are_limited(settings: Settings) -> None:
    settings.SUPERBOARD_PUBLICATIONS_PER_DAY = 1
    make_set(PET)
    first, second = (
        checked(run_zip("pet", **{"notes.md": agent}), form=described(agent=agent)).entry for agent in "ab"
    )
    assert first
    assert second
    publish_entry(first, user=None)
    with pytest.raises(QuotaExceeded, match="SUPERBOARD_PUBLICATIONS_PER_DAY"):
        publish_entry(second, user=None)


@pytest.mark.parametrize(("size", "reason"), [(0, "empty"), (2 * MEGABYTE, "SUPERBOARD_MAX_UPLOAD_MB")])
def test_an_invalid_size_is_refused(settings: Settings, size: int, reason: str) -> None:
    settings.SUPERBOARD_MAX_UPLOAD_MB = 1
    with pytest.raises(InputError, match=reason):
        start(bytes(size))


def test_some_of_the_disk_stays_free(settings: Settings) -> None:
    settings.SUPERBOARD_MIN_FREE_DISK_MB = 1 << 40
    with pytest.raises(InputError, match="SUPERBOARD_MIN_FREE_DISK_MB"):
        start()


@pytest.fixture
def small_disk(tmp_path: Path, settings: Settings) -> Iterator[None]:
    """A real disk of one megabyte; if mounting is not permitted, a file size limit of the kernel."""
    settings.SUPERBOARD_UPLOADS = tmp_path
    if os.geteuid():
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (MEGABYTE, before[1]))
        yield
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        return
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(tmp_path)], check=True)
    yield
    subprocess.run(["umount", str(tmp_path)], check=True)


@pytest.mark.usefixtures("small_disk")
def test_a_full_disk_says_so_and_keeps_what_arrived_before() -> None:
    upload = start(b"x")
    Upload.objects.update(size=2 * MEGABYTE)
    upload = append_chunk(upload, offset=0, chunks=[bytes(MEGABYTE // 2)])
    with pytest.raises(InputError, match="the disk is full"):
        append_chunk(upload, offset=MEGABYTE // 2, chunks=[bytes(MEGABYTE)])
    assert Upload.objects.get().received == MEGABYTE // 2


@pytest.mark.django_db(transaction=True)
def test_an_upload_that_was_never_completed_is_removed_after_some_days(settings: Settings) -> None:
    upload = append_chunk(start(b"0123"), offset=0, chunks=[b"01"])
    remove_unneeded()
    assert upload_folder(upload.pk).exists()
    days = settings.SUPERBOARD_ABANDONED_UPLOAD_DAYS
    Upload.objects.update(created=timezone.now() - timedelta(days=days, hours=1))
    remove_unneeded()
    assert not Upload.objects.exists()
    assert not upload_folder(upload.pk).exists()


def test_what_was_received_whole_is_queued_although_its_web_process_was_killed() -> None:
    upload = append_chunk(start(b"0123"), offset=0, chunks=[b"01"])
    content_path(upload.pk).write_bytes(b"0123")
    Upload.objects.update(received=4)

    complete_received()
    assert Upload.objects.get().state == UploadState.RECEIVING

    past = (timezone.now() - timedelta(seconds=ANSWER_SECONDS + 1)).timestamp()
    os.utime(content_path(upload.pk), (past, past))
    complete_received()
    assert Upload.objects.get().state == UploadState.QUEUED


def test_what_a_killed_web_process_left_of_a_form_is_removed_after_a_day(settings: Settings) -> None:
    old, new = (make_private(settings.SUPERBOARD_UPLOADS) / f"{name}.upload.zip" for name in ("old", "new"))
    for each in (old, new):
        each.touch()
    yesterday = (timezone.now() - timedelta(hours=25)).timestamp()
    os.utime(old, (yesterday, yesterday))

    remove_unneeded()

    assert (old.exists(), new.exists()) == (False, True)


def test_unneeded_files_are_removed() -> None:
    make_set(PET)
    draft, published = checked(run_zip("pet")), checked(run_zip("pet", x="x"), form=described(agent="b"))
    refused, orphan = checked(b"none"), send(b"orphan")
    Upload.objects.filter(pk=orphan.pk).delete()
    assert published.entry
    Entry.objects.filter(pk=published.entry.pk).update(state=EntryState.PUBLISHED)
    (upload_folder(draft.pk) / "claim-1").mkdir()
    remove_unneeded()
    assert content_path(draft.pk).exists()
    assert not (upload_folder(draft.pk) / "claim-1").exists()
    assert not [each for each in (refused, orphan, published) if upload_folder(each.pk).exists()]
