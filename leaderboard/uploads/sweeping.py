"""Clean up uploads: queue what was received whole, remove abandoned ones and files that nobody needs."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from leaderboard.core.audit import record_event
from leaderboard.domain.errors import InputError
from leaderboard.domain.uploads import UploadState
from leaderboard.models import Upload
from leaderboard.uploads.selectors import with_kept_files
from leaderboard.uploads.services import complete_upload
from leaderboard.uploads.storage import content_path, remove_files, remove_scratch, remove_tree

ANSWER_SECONDS = 60
"""A request that stored the last byte of an upload has queued it by then, or was killed."""


def complete_received() -> None:
    """Queue the uploads whose web process was killed after it stored their last byte."""
    before = time.time() - ANSWER_SECONDS
    for upload in Upload.objects.filter(state=UploadState.RECEIVING, received=F("size")):
        # Its sender may complete it, or discard it, at the same time.
        with suppress(FileNotFoundError, InputError):
            if content_path(upload.pk).stat().st_mtime < before:
                complete_upload(upload)


def remove_unneeded() -> None:
    """Remove uploads that were never completed, files without an upload, and folders of lost claims.

    Also the files of refused and of published uploads, since attempts keep their own originals. Idempotent;
    several workers may do it at the same time. Files of forms that a killed web process left go after a day.
    """
    _remove_abandoned()
    _remove_left_forms()
    # List folders before reading rows, so that the folder of an upload made in between is not removed.
    folders = _folders()
    uploads = Upload.objects.filter(with_kept_files(), pk__in=folders).exclude(state=UploadState.REFUSED)
    kept = {
        key: claim_number if state == UploadState.CHECKING else 0
        for key, state, claim_number in uploads.values_list("pk", "state", "claim_number")
    }
    for key, folder in folders.items():
        if key in kept:
            remove_scratch(key, current=kept[key])
        else:
            remove_tree(folder)


@transaction.atomic
def _remove_abandoned() -> None:
    before = timezone.now() - timedelta(days=settings.SUPERBOARD_ABANDONED_UPLOAD_DAYS)
    abandoned = Upload.objects.filter(state=UploadState.RECEIVING, created__lt=before)
    for upload in abandoned.select_for_update(of=("self",)):
        record_event("remove abandoned upload", upload, received=upload.received, size=upload.size)
        transaction.on_commit(partial(remove_files, upload.pk))
        upload.delete()


def _remove_left_forms() -> None:
    """Django's temporary files of forms: no request takes a day."""
    root: Path = settings.SUPERBOARD_UPLOADS
    before = (timezone.now() - timedelta(days=1)).timestamp()
    for left in root.glob("*.upload*"):
        # The request that it belongs to may remove it at the same time.
        with suppress(FileNotFoundError):
            if left.stat().st_mtime < before:
                left.unlink()


def _folders() -> dict[UUID, Path]:
    root: Path = settings.SUPERBOARD_UPLOADS
    found = {}
    for folder in root.glob("*-*-*-*-*"):
        with suppress(ValueError):
            found[UUID(folder.name)] = folder
    return found
