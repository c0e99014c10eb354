"""Clean up uploads: remove abandoned ones, and files that are no longer needed."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from leaderboard.core.audit import record_event
from leaderboard.domain.entries import EntryState
from leaderboard.domain.uploads import UploadState
from leaderboard.models import Upload
from leaderboard.uploads.storage import remove_files, remove_tree


def remove_unneeded() -> None:
    """Remove uploads that were never completed, files without an upload, and folders of lost claims.

    Also the files of refused and of published uploads, since attempts keep their own originals. Idempotent;
    several workers may do it at the same time.
    """
    _remove_abandoned()
    # List folders before reading rows, so that the folder of an upload made in between is not removed.
    folders = _folders()
    uploads = {
        key: (state, claim_number, entry_state)
        for key, state, claim_number, entry_state in Upload.objects.filter(pk__in=folders).values_list(
            "pk", "state", "claim_number", "entry__state"
        )
    }
    with_parts = set(Upload.objects.filter(parent__in=folders).values_list("parent", flat=True))
    open_parts = Q(entry=None) | Q(entry__state=EntryState.DRAFT)
    with_open_parts = set(
        Upload.objects.filter(open_parts, parent__in=folders).values_list("parent", flat=True)
    )
    for key, folder in folders.items():
        state, claim_number, entry_state = uploads.get(key, ("", 0, None))
        needed = bool(state) and state != UploadState.REFUSED and entry_state in (None, EntryState.DRAFT)
        if key in with_parts - with_open_parts:
            needed = False
        if not needed:
            remove_tree(folder)
            continue
        current = f"claim-{claim_number}" if state == UploadState.CHECKING else ""
        for scratch in folder.glob("claim-*"):
            if scratch.name != current:
                remove_tree(scratch)


@transaction.atomic
def _remove_abandoned() -> None:
    before = timezone.now() - timedelta(days=settings.SUPERBOARD_ABANDONED_UPLOAD_DAYS)
    abandoned = Upload.objects.filter(state=UploadState.RECEIVING, created__lt=before)
    for upload in abandoned.select_for_update(of=("self",)):
        record_event("remove abandoned upload", upload, received=upload.received, size=upload.size)
        transaction.on_commit(partial(remove_files, upload.pk))
        upload.delete()


def _folders() -> dict[UUID, Path]:
    root: Path = settings.SUPERBOARD_UPLOADS
    found = {}
    for folder in root.glob("*-*-*-*-*"):
        try:
            found[UUID(folder.name)] = folder
        except ValueError:
            continue
    return found
