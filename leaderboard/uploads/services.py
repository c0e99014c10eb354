"""What submitters write about uploads: begun, received, described, checked again, discarded."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from celery import current_app
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from leaderboard.core.audit import record_event
from leaderboard.core.leases import MAX_CLAIMS
from leaderboard.domain.entries import EntryState
from leaderboard.domain.errors import InputError, Problem, WrongOffset
from leaderboard.domain.uploads import CHARGED, ENDED, RECHECKABLE, UPLOAD_MACHINE, UploadState
from leaderboard.entries.services import discard_draft, lock_entry
from leaderboard.models import Entry, Team, Upload
from leaderboard.uploads.descriptions import checked_form, checked_name
from leaderboard.uploads.quotas import DISCARD, check_room
from leaderboard.uploads.selectors import uploads_of_bytes
from leaderboard.uploads.storage import digest_of, held_content, remove_files

if TYPE_CHECKING:
    from django.contrib.auth.models import User


CHECK_TASK: Final = "runner.worker.tasks.check_uploads"
"""The Celery task that claims an upload and checks it: known by name, since we must not import the runner."""


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
    """Announce a file; its bytes come by `append_chunk`.

    Args:
        team: who will own the draft; the caller has checked that ``user`` is in it.
        user: who sends it.
        name: the file's name as its owner knows it; of a path, the last part counts.
        size: its bytes in all.
        form: what is said beside the file; see `descriptions.checked_form`.
        entry: a draft of the team's whose files it replaces.
        previous: a published entry of the team's that it is to be a new version of.

    Raises:
        InputError: the name, the size, a field of the form, or an entry can't be; names it.
        QuotaExceeded: the team may not send it now; says when it may.
    """
    name = checked_name(name)
    given = checked_form(form)
    with transaction.atomic():
        # Two of one team wait for each other here, or both would take the last place.
        team = Team.objects.select_for_update().get(pk=team.pk)
        # Whoever publishes the draft waits too, and then finds that files for it are on their way.
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
    """Write what comes next of an upload; with its last byte it is queued to be checked.

    What has arrived is kept and counted, also where ``chunks`` breaks off with an error, which is raised on.
    An empty chunk at the end completes an upload whose sender heard nothing of its last one.

    Returns:
        The upload as it is now; or, where the same bytes are here already, the team's earlier upload of them,
        and this one is gone.

    Raises:
        WrongOffset: the chunk does not begin where what is here ends; nothing was written.
        UploadBusy: another sender is at it.
        InputError: it is complete already, gets longer than announced, or the disk is full.
    """
    with held_content(upload.pk, name=upload.name) as descriptor:
        try:
            upload.refresh_from_db()
        except Upload.DoesNotExist:
            remove_files(upload.pk)
            raise discarded(upload) from None
        if upload.state != UploadState.RECEIVING:
            reason = "all of it is here already"
            raise InputError(Problem(upload.name, "", reason, "look at its report"))
        if offset != upload.received:
            raise WrongOffset(upload.name, offset=offset, received=upload.received)
        # What a killed process wrote and did not count is written again.
        os.ftruncate(descriptor, upload.received)
        os.lseek(descriptor, 0, os.SEEK_END)
        receive(upload, descriptor, chunks)
        return _complete(upload) if upload.received == upload.size else upload


def describe_upload(upload: Upload, *, form: Mapping[str, Any], user: User | None) -> Upload:
    """Fill in or change what is said beside the files, and have them checked with it if they were.

    Raises:
        InputError: a field can't be; names it. Or the upload was refused, or its entry is published.
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
    """Queue an upload once more; the report and the draft it made are replaced when checking ends.

    Raises:
        InputError: it is not at an end, was refused, or its entry is published.
    """
    _change(
        upload,
        _recheckable(),
        state=UploadState.QUEUED,
        claims_left=MAX_CLAIMS,
        queued=timezone.now(),
        ended=None,
        progress={},
    )
    if upload.entry and not lock_entry(upload.entry).is_draft:
        # Somebody has published it since the condition was looked at.
        raise _changed_meanwhile(upload)
    record_event("recheck upload", upload, actor=user)
    wake_checkers()
    return upload


@transaction.atomic
def discard_upload(upload: Upload, *, user: User | None) -> None:
    """Remove an upload, its files, and the draft made of it; an entry that was published stays.

    Of an archive of several entries, all that are not published go with it.

    A worker that checks it writes nothing more. What was accepted stays charged to its day. Idempotent.
    """
    held = Upload.objects.select_for_update(of=("self",)).select_related("entry").filter(pk=upload.pk).first()
    if held is None:
        return
    accepted = held.state in (UploadState.CHECKED, UploadState.INCOMPLETE) and not held.part
    for part in held.parts.filter(_unpublished()):
        discard_upload(part, user=user)
    record_event(
        DISCARD,
        held,
        actor=user,
        team=held.team_id,
        created=held.created.isoformat(),
        charged=held.size if accepted else 0,
    )
    if held.entry and held.entry.state == EntryState.DRAFT and _only_upload(held):
        discard_draft(held.entry, user=user)
    held.delete()
    transaction.on_commit(partial(remove_files, upload.pk))


def wake_checkers() -> None:
    """Send a wake-up call when the transaction is through. Losing it costs the time to a sweep."""
    # A broker that is down must not undo what the database has: the sweeper makes up for it.
    transaction.on_commit(partial(current_app.send_task, CHECK_TASK), robust=True)


def _check_entries(team: Team, name: str, entry: Entry | None, previous: Entry | None) -> None:
    if entry is not None and (entry.team_id != team.pk or entry.state != EntryState.DRAFT):
        reason = f"“{entry}” is no draft of {team}"
        raise InputError(Problem(name, "entry", reason, "make a new version of a published entry instead"))
    if previous is not None and (previous.team_id != team.pk or not previous.is_published):
        reason = f"“{previous}” is no published entry of {team}"
        raise InputError(Problem(name, "previous", reason, "replace the files of a draft instead"))


def _complete(upload: Upload) -> Upload:
    digest = digest_of(upload.pk)
    with transaction.atomic():
        # Two of one team with the same bytes: the second waits, and then finds the first.
        Team.objects.select_for_update().get(pk=upload.team_id)
        same = uploads_of_bytes(Upload.objects.filter(team=upload.team_id, state__in=CHARGED), digest)
        if earlier := same.exclude(pk=upload.pk).order_by("created").first():
            record_event("recognise upload", earlier, actor=upload.created_by)
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


def _unpublished() -> Q:
    return Q(entry=None) | Q(entry__state=EntryState.DRAFT)


def _recheckable() -> Q:
    # Of an archive whose entries are all published the bytes are gone.
    has_open_part = Q(pk__in=Upload.objects.filter(_unpublished()).exclude(parent=None).values("parent"))
    return Q(state__in=RECHECKABLE) & _unpublished() & (Q(parts=None) | has_open_part)


def _change(upload: Upload, condition: Q, **changes: Any) -> None:
    """Change an upload where ``condition`` still holds of it, or raise `InputError`."""
    # Joined conditions can't be updated: the row is found by its key in a subquery.
    allowed = Upload.objects.filter(condition, pk=upload.pk).values("pk")
    if not Upload.objects.filter(pk__in=allowed).update(**changes):
        raise _changed_meanwhile(upload)
    upload.refresh_from_db()


def _changed_meanwhile(upload: Upload) -> InputError:
    reason = "this can't be done with it as it is now"
    return InputError(Problem(upload.name, "", reason, "look at its page: it has changed meanwhile"))


def _only_upload(upload: Upload) -> bool:
    """Whether a draft has no other upload that made it, or replaces its files."""
    return not Upload.objects.filter(entry=upload.entry).exclude(pk=upload.pk).exists()


COUNTED_BYTES: Final = 16 << 20
"""So often, in bytes, what has arrived is made safe and counted: it is lost at most if the machine dies."""
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def receive(upload: Upload, descriptor: int, chunks: Iterable[bytes]) -> None:
    """Write chunks as they come; ``upload.received`` counts what is safe on disk, whatever ends it."""
    written = upload.received
    try:
        for chunk in chunks:
            if written + len(chunk) > upload.size:
                reason = f"more bytes arrive than the {upload.size:,} that were announced"
                raise InputError(Problem(upload.name, "", reason, "start the upload again"))
            _write(upload, descriptor, chunk)
            written += len(chunk)
            if written - upload.received >= COUNTED_BYTES:
                _count(upload, descriptor, written)
    finally:
        _count(upload, descriptor, written)


def discarded(upload: Upload) -> InputError:
    """What to say to whoever sends more of an upload that is gone."""
    reason = "it was discarded meanwhile"
    return InputError(Problem(upload.name, "", reason, "start the upload again"))


def _write(upload: Upload, descriptor: int, chunk: bytes) -> None:
    rest = memoryview(chunk)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except OSError as error:
        raise _disk_error(upload, error) from error


def _count(upload: Upload, descriptor: int, written: int) -> None:
    """Make what is written safe, then count it: never the other way round."""
    if written == upload.received:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        raise _disk_error(upload, error) from error
    counted = Upload.objects.filter(pk=upload.pk, state=UploadState.RECEIVING, received=upload.received)
    if not counted.update(received=written):
        raise discarded(upload)
    upload.received = written


def _disk_error(upload: Upload, error: OSError) -> InputError:
    reason = f"the disk does not take it: {os.strerror(error.errno or 0)}"
    if error.errno in NO_ROOM:
        reason = "the disk is full"
    remedy = "what has arrived is kept: try again later, or tell the operators"
    return InputError(Problem(upload.name, "", reason, remedy))
