"""Where the files of uploads lie, and who may write to them.

An upload has a folder of its own under `SUPERBOARD_UPLOADS`, which its owner on the machine alone can read:
``content`` holds the bytes, ``claim-3`` what its third checking unpacked.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

from django.conf import settings

from leaderboard.domain.errors import Problem, UploadBusy

PATIENCE_SECONDS = 5.0
"""How long a sender waits for another one that sends the same upload, before it is told to come back."""


def upload_folder(upload_id: UUID) -> Path:
    """The folder of an upload's own; it may not be there."""
    root: Path = settings.SUPERBOARD_UPLOADS
    return root / str(upload_id)


def content_path(upload_id: UUID) -> Path:
    """Where an upload's bytes lie."""
    return upload_folder(upload_id) / "content"


def scratch_path(upload_id: UUID, claim_number: int) -> Path:
    """Where a claim of checking unpacks; it may not be there."""
    return upload_folder(upload_id) / f"claim-{claim_number}"


def make_private(folder: Path) -> Path:
    """Make a folder that only this machine's user of ours can read, with those above it."""
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.mkdir(exist_ok=True, mode=0o700)
    return folder


@contextmanager
def held_content(upload_id: UUID, *, name: str) -> Iterator[int]:
    """An upload's content as a descriptor, open for reading and writing by nobody else meanwhile.

    The lock is the file's own, so it ends with the process that has it, however that ends.

    Raises:
        UploadBusy: another sender has it, and did not let go in time.
    """
    make_private(upload_folder(upload_id))
    descriptor = os.open(content_path(upload_id), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(descriptor, name)
        yield descriptor
    finally:
        os.close(descriptor)


def digest_of(upload_id: UUID) -> str:
    """The SHA-256 of an upload's bytes."""
    with content_path(upload_id).open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def remove_files(upload_id: UUID) -> None:
    """Remove all that an upload has on disk."""
    remove_tree(upload_folder(upload_id))


def remove_tree(folder: Path) -> None:
    """Remove a folder with all in it; one that is gone, or goes at the same time, is no error."""
    shutil.rmtree(folder, ignore_errors=True)


def remove_scratch(upload_id: UUID) -> None:
    """Remove what takes of checking left that did not come to their end."""
    for scratch in upload_folder(upload_id).glob("claim-*"):
        remove_tree(scratch)


def free_disk() -> int:
    """Bytes free where uploads lie."""
    root: Path = settings.SUPERBOARD_UPLOADS
    make_private(root)
    return shutil.disk_usage(root).free


def _lock(descriptor: int, name: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                reason, remedy = "somebody else is sending it just now", "try again in a moment"
                raise UploadBusy(Problem(name, "", reason, remedy)) from None
            time.sleep(0.05)
        else:
            return
