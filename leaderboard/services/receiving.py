"""The bytes of an upload onto disk: written, made safe, and counted, in that order."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.uploads import UploadState
from leaderboard.models import Upload

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
