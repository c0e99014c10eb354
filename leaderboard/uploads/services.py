"""Submitters' changes to uploads: start, receive chunks, describe, check again, discard."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, Final

from celery import current_app
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from leaderboard.core.audit import record_event
from leaderboard.core.leases import MAX_CLAIMS
from leaderboard.domain.entries import EntryState
from leaderboard.domain.errors import InputError, Problem, WrongOffset
from leaderboard.domain.uploads import CHARGED, ENDED, RECHECKABLE, UPLOAD_MACHINE, UploadState
from leaderboard.entries.services import discard_draft, lock_entry
from leaderboard.models import Entry, FormerUpload, Team, Upload
from leaderboard.uploads.descriptions import checked_form, checked_name
from leaderboard.uploads.quotas import DISCARD, check_room
from leaderboard.uploads.selectors import UNPUBLISHED, uploads_with_bytes, with_kept_files
from leaderboard.uploads.storage import Content, digest_of, remove_files

CHECK_TASK: Final = "runner.worker.tasks.check_uploads"
"""Name of the Celery task that claims an upload and checks it; this package must not import the runner."""


def start_upload(
    *,
    team: Team,
    user: User | None,
    name: str,
    size: int,
    form: Mapping[str, Any],
    entry: Entry | None = None,
    previous: Entry | None = None,
) -> Upload:
    """Start the upload of a file of ``size`` bytes; send them with `append_chunk`.

    The caller has checked that ``user`` is a member of ``team``, which will own the draft. Of a path as
    ``name`` the last part is kept. ``form`` is what `descriptions.checked_form` takes. The upload replaces
    the files of the team's draft ``entry``, or becomes a new version of its published entry ``previous``.

    Raises:
        InputError: the name, the size, a field of the form, or an entry is invalid; says which.
        QuotaExceeded: the team may not send it now; says when it may again.
    """
    name = checked_name(name)
    given = checked_form(form)
    with transaction.atomic():
        # Concurrent uploads of a team wait here, or two could both take the last place.
        team = Team.objects.select_for_update().get(pk=team.pk)
        # Publishing the draft waits for this lock too, and then sees the upload that replaces its files.
        entry = lock_entry(entry) if entry else None
        _check_entries(team, name, entry, previous)
        check_room(team, name=name, size=size, entry=entry)
        upload = Upload.objects.create(
            team=team,
            created_by=user,
            entry=entry,
            previous=previous,
            name=name,
            size=size,
            form=given,
        )
        record_event("start upload", upload, actor=user, team=team.pk, size=size)
    return upload


def append_chunk(upload: Upload, *, offset: int, chunks: Iterable[bytes]) -> Upload:
    """Write the next bytes of an upload; with its last byte it is queued to be checked.

    The newest call wins: one that still waits for the bytes of its ``chunks`` writes nothing from then on.
    If ``chunks`` raises an error, the bytes before it are kept and counted, and the error is re-raised.
    If all bytes were received but completing the upload failed, an empty chunk completes it.

    Returns:
        The upload as it is now. If the team has uploaded the same bytes before, the earlier upload; this one
        is deleted.

    Raises:
        WrongOffset: ``offset`` is not the number of bytes received; nothing was written.
        UploadBusy: a newer request sends the same upload.
        InputError: it is complete already, becomes longer than announced, or the disk is full.
    """
    with closing(Content(upload.pk, name=upload.name)) as content:
        with content.locked():
            _check_next(upload, offset)
            content.take_over(upload.received)
        _write_chunks(upload, content, chunks)
    return complete_upload(upload) if upload.received == upload.size else upload


def describe_upload(upload: Upload, *, form: Mapping[str, Any], user: User | None) -> Upload:
    """Change the given fields of the form; an upload that was checked is checked again.

    Raises:
        InputError: fields are invalid (it says which); or the upload is being checked, was refused, or its
            entry is published.
    """
    given = checked_form({**upload.form, **form})
    with transaction.atomic():
        _change(upload, Q(state__in=(UploadState.RECEIVING, UploadState.QUEUED)) | _recheckable(), form=given)
        record_event("describe upload", upload, actor=user)
        if upload.state in ENDED:
            recheck_upload(upload, user=user)
    return upload


@transaction.atomic
def recheck_upload(upload: Upload, *, user: User | None) -> Upload:
    """Queue an upload again; when checking ends, the new report and draft replace the old ones.

    Raises:
        InputError: checking has not ended, the upload was refused, or its entry is published.
    """
    _change(
        upload,
        _recheckable(),
        state=UploadState.QUEUED,
        claims_left=MAX_CLAIMS,
        queued=timezone.now(),
        ended=None,
        resume=None,
        progress={},
    )
    if upload.entry and not lock_entry(upload.entry).is_draft:
        # It was published after the condition was evaluated.
        raise _state_changed_error(upload)
    record_event("recheck upload", upload, actor=user)
    wake_checkers()
    return upload


@transaction.atomic
def discard_upload(upload: Upload, *, user: User | None) -> None:
    """Delete an upload, its files, and the draft made from it, but not a published entry.

    Of an archive with several entries, the unpublished parts are discarded too. A worker that is checking it
    loses its claim. An upload that was accepted still counts towards the daily quota. Idempotent.
    """
    held = Upload.objects.select_for_update(of=("self",)).select_related("entry").filter(pk=upload.pk).first()
    if held is None:
        return
    kept = (UploadState.CHECKED, UploadState.INCOMPLETE, UploadState.WAITING)
    accepted = held.state in kept and not held.part
    for part in held.parts.filter(UNPUBLISHED):
        discard_upload(part, user=user)
    record_event(
        DISCARD,
        held,
        actor=user,
        team=held.team_id,
        created=held.created.isoformat(),
        charged=held.size if accepted else 0,
    )
    others = Upload.objects.filter(entry=held.entry).exclude(pk=held.pk)
    if held.entry and held.entry.is_draft and not others.exists():
        discard_draft(held.entry, user=user)
    held.delete()
    transaction.on_commit(partial(remove_files, upload.pk))


def lead_to(upload: Upload, *, former: Upload) -> None:
    """Let the address of ``former``, which the caller is about to delete, lead to ``upload``."""
    FormerUpload.objects.filter(upload=former).update(upload=upload)
    FormerUpload.objects.create(id=former.pk, upload=upload)


def wake_checkers() -> None:
    """Send the check task after the transaction; if it is lost, the next sweep sends it again."""
    # A broker that is down must not undo the transaction: the upload stays queued.
    transaction.on_commit(partial(current_app.send_task, CHECK_TASK), robust=True)


def _check_entries(team: Team, name: str, entry: Entry | None, previous: Entry | None) -> None:
    if entry is not None and (entry.team_id != team.pk or entry.state != EntryState.DRAFT):
        reason = f"“{entry}” is not a draft of {team}"
        raise InputError(Problem(name, "entry", reason, "make a new version of a published entry instead"))
    if previous is not None and (previous.team_id != team.pk or not previous.is_published):
        reason = f"“{previous}” is not a published entry of {team}"
        raise InputError(Problem(name, "previous", reason, "replace the files of a draft instead"))


def complete_upload(upload: Upload) -> Upload:
    """Queue an upload of which all bytes are stored; returns what `append_chunk` does.

    Raises:
        InputError: it is queued already.
    """
    digest = digest_of(upload.pk)
    with transaction.atomic():
        # Of two uploads of a team with the same bytes, the second waits here and then finds the first.
        Team.objects.select_for_update().get(pk=upload.team_id)
        same = uploads_with_bytes(Upload.objects.filter(team=upload.team_id, state__in=CHARGED), digest)
        if earlier := same.exclude(pk=upload.pk).order_by("created").first():
            record_event("recognise upload", earlier, actor=upload.created_by)
            lead_to(earlier, former=upload)
            Upload.objects.filter(pk=upload.pk).delete()
            transaction.on_commit(partial(remove_files, upload.pk))
            return earlier
        UPLOAD_MACHINE.check(UploadState(upload.state), UploadState.QUEUED)
        _change(
            upload,
            Q(state=UploadState.RECEIVING),
            state=UploadState.QUEUED,
            digest=digest,
            queued=timezone.now(),
            claims_left=MAX_CLAIMS,
        )
        record_event("receive upload", upload, actor=upload.created_by, digest=digest)
        wake_checkers()
    return upload


def _recheckable() -> Q:
    return Q(state__in=RECHECKABLE) & with_kept_files()


def _change(upload: Upload, condition: Q, **changes: Any) -> None:
    """Change an upload if it still meets ``condition``, or raise `InputError`."""
    # A queryset with joins can't be updated, so a subquery finds the row by its key.
    allowed = Upload.objects.filter(condition, pk=upload.pk).values("pk")
    if not Upload.objects.filter(pk__in=allowed).update(**changes):
        raise _state_changed_error(upload)
    upload.refresh_from_db()


def _state_changed_error(upload: Upload) -> InputError:
    reason = "its current state does not allow this"
    return InputError(Problem(upload.name, "", reason, "reload its page: it has changed in the meantime"))


COUNTED_BYTES: Final = 16 << 20
"""Received bytes are synced to disk and counted this often: a crash of the machine loses no more."""
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def _check_next(upload: Upload, offset: int) -> None:
    """Read the upload's row again, and raise `InputError` unless the next byte to receive is ``offset``."""
    try:
        upload.refresh_from_db()
    except Upload.DoesNotExist:
        remove_files(upload.pk)
        raise _discarded_error(upload) from None
    if upload.state != UploadState.RECEIVING:
        reason = "it was received completely"
        raise InputError(Problem(upload.name, "", reason, "read its report"))
    if offset != upload.received:
        raise WrongOffset(upload.name, offset=offset, received=upload.received)


def _write_chunks(upload: Upload, content: Content, chunks: Iterable[bytes]) -> None:
    """Write chunks as they come; ``upload.received`` counts the bytes synced to disk, also after an error."""
    written = upload.received
    try:
        for chunk in chunks:
            if written + len(chunk) > upload.size:
                reason = f"more bytes arrive than the {upload.size:,} that were announced"
                raise InputError(Problem(upload.name, "", reason, "start the upload again"))
            with _writing(upload, content):
                content.write(chunk, at=written)
            written += len(chunk)
            if written - upload.received >= COUNTED_BYTES:
                _count(upload, content, written)
    finally:
        if written != upload.received:
            _count(upload, content, written)


@contextmanager
def _writing(upload: Upload, content: Content) -> Iterator[None]:
    """The lock on the content, while this request is its sender; errors of the disk become `InputError`."""
    with content.locked():
        content.check_is_sender()
        try:
            yield
        except OSError as error:
            raise _disk_error(upload, error) from error


def _discarded_error(upload: Upload) -> InputError:
    reason = "it was discarded in the meantime"
    return InputError(Problem(upload.name, "", reason, "start the upload again"))


def _count(upload: Upload, content: Content, written: int) -> None:
    """Sync what was written to disk, and only then count it."""
    with _writing(upload, content):
        content.sync()
        counted = Upload.objects.filter(
            pk=upload.pk, state=UploadState.RECEIVING, received=upload.received
        ).update(received=written)
    if not counted:
        raise _discarded_error(upload)
    upload.received = written


def _disk_error(upload: Upload, error: OSError) -> InputError:
    reason = f"writing to the disk failed: {os.strerror(error.errno or 0)}"
    if error.errno in NO_ROOM:
        reason = "the disk is full"
    remedy = "what was received is kept: try again later, or tell the operators"
    return InputError(Problem(upload.name, "", reason, remedy))
