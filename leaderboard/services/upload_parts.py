"""The entries in an archive of several: an upload for each, which shares the archive's bytes."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from django.utils import timezone

from leaderboard.checking.names import shown
from leaderboard.domain.errors import InputError
from leaderboard.domain.uploads import RECHECKABLE, UploadState
from leaderboard.models import Team, Upload
from leaderboard.services.audit import record_event
from leaderboard.services.leases import TAKES
from leaderboard.services.quotas import check_places
from leaderboard.services.uploads import discard_upload, recheck_upload, wake_checkers

INHERITED = ("email", "webhook")
"""What of an archive's form its parts have themselves: the rest holds where their own words are silent."""


def write_parts(upload: Upload, paths: Collection[str]) -> None:
    """Have the entries in an archive checked, each as an upload; those that it has no more are discarded.

    Call it in the transaction that holds ``upload``. What is published is left as it is.

    Raises:
        QuotaExceeded: the team has no room for so many.
    """
    there = {part.part: part for part in upload.parts.select_related("entry")}
    if paths:
        # Two archives of one team wait for each other here, or both would take the last places.
        team = Team.objects.select_for_update().get(pk=upload.team_id)
        check_places(team, upload, len(paths))
    for path in paths:
        part = there.pop(path, None)
        if part and part.state == UploadState.REFUSED:
            discard_upload(part, user=None)
            part = None
        if part is None:
            _add_part(upload, path)
        elif part.is_open and part.state in RECHECKABLE:
            # It may be published meanwhile.
            with suppress(InputError):
                recheck_upload(part, user=None)
    for part in there.values():
        if part.is_open:
            discard_upload(part, user=None)


def _add_part(upload: Upload, path: str) -> None:
    part = Upload.objects.create(
        parent=upload,
        part=path,
        team=upload.team,
        created_by=upload.created_by,
        name=shown(path),
        size=upload.size,
        received=upload.size,
        state=UploadState.QUEUED,
        queued=timezone.now(),
        takes_left=TAKES,
        form={key: upload.form[key] for key in INHERITED if key in upload.form},
    )
    record_event("add part", part, actor=upload.created_by, parent=str(upload.pk))
    wake_checkers()
