"""The files of uploads: their folders, and the lock on their content.

Each upload has a folder under `SUPERBOARD_UPLOADS` that only the site's system user can read: ``content`` is
the file that was sent, ``claim-3`` what claim 3 unpacked from it.
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

LOCK_SECONDS = 5.0
"""How long a request waits for another one that sends the same upload, before it raises `UploadBusy`."""


def upload_folder(upload_id: UUID) -> Path:
    """The folder of an upload; it may not exist."""
    root: Path = settings.SUPERBOARD_UPLOADS
    return root / str(upload_id)


def content_path(upload_id: UUID) -> Path:
    """The file with the bytes that were sent."""
    return upload_folder(upload_id) / "content"


def scratch_path(upload_id: UUID, claim_number: int) -> Path:
    """The folder that a claim unpacks to; it may not exist."""
    return upload_folder(upload_id) / f"claim-{claim_number}"


def make_private(folder: Path) -> Path:
    """Create a folder that only the site's system user can read, and its missing parents."""
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.mkdir(exist_ok=True, mode=0o700)
    return folder


@contextmanager
def locked_content(upload_id: UUID, *, name: str) -> Iterator[int]:
    """A descriptor of an upload's content, open for reading and writing, with an exclusive lock on it.

    The lock belongs to the open file, so it ends with the process, however that ends.

    Raises:
        UploadBusy: another request kept the lock for `LOCK_SECONDS`.
    """
    make_private(upload_folder(upload_id))
    descriptor = os.open(content_path(upload_id), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(descriptor, name)
        yield descriptor
    finally:
        os.close(descriptor)


def digest_of(upload_id: UUID) -> str:
    with content_path(upload_id).open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def remove_files(upload_id: UUID) -> None:
    remove_tree(upload_folder(upload_id))


def remove_tree(folder: Path) -> None:
    """Remove a folder and its content; no error if it does not exist or is removed at the same time."""
    shutil.rmtree(folder, ignore_errors=True)


def remove_scratch(upload_id: UUID, *, current: int = 0) -> None:
    """Remove what claims of an upload other than ``current`` unpacked and left behind."""
    for scratch in upload_folder(upload_id).glob("claim-*"):
        if scratch != scratch_path(upload_id, current):
            remove_tree(scratch)


def free_disk() -> int:
    """Free bytes on the disk of uploads."""
    return shutil.disk_usage(make_private(settings.SUPERBOARD_UPLOADS)).free


def _lock(descriptor: int, name: str) -> None:
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                reason, remedy = "another request is sending it now", "try again in a moment"
                raise UploadBusy(Problem(name, "", reason, remedy)) from None
            time.sleep(0.05)
