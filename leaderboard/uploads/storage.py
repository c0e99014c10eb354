"""The files of uploads: their folders, and who may write to their content.

Each upload has a folder under `SUPERBOARD_UPLOADS` that only the site's system user can read: ``content`` is
the file that was sent, ``sender`` names the request that may write to it, ``claim-3`` has what claim 3
unpacked from it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import UUID

from django.conf import settings

from leaderboard.domain.errors import Problem, UploadBusy

LOCK_SECONDS = 5.0
"""How long a request waits while another one writes to the same upload, before it raises `UploadBusy`."""


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


class Content:
    """The file with an upload's bytes, as one request writes to it.

    The newest request that called `take_over` is the sender; those before it can write no more. So a sender
    whose network vanished keeps nobody from sending on, also when its request still waits for bytes. A short
    lock on each write keeps the bytes of two requests apart. It ends with the process, however that ends.
    """

    def __init__(self, upload_id: UUID, *, name: str) -> None:
        self._name = name
        self._request = secrets.token_hex(16)
        self._sender = make_private(upload_folder(upload_id)) / "sender"
        self._descriptor = os.open(content_path(upload_id), os.O_RDWR | os.O_CREAT, 0o600)

    def close(self) -> None:
        os.close(self._descriptor)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other requests from writing and from taking over.

        Raises:
            UploadBusy: another request kept the lock for `LOCK_SECONDS`.
        """
        deadline = time.monotonic() + LOCK_SECONDS
        while not self._try_to_lock():
            if time.monotonic() > deadline:
                raise self._busy("another request is writing to it now")
            time.sleep(0.05)
        try:
            yield
        finally:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def take_over(self, received: int) -> None:
        """Become the sender and drop what follows the ``received`` bytes. Call it while `locked`."""
        # What an earlier request wrote without counting it: its sender has no answer, and sends it again.
        os.ftruncate(self._descriptor, received)
        self._sender.write_text(self._request)

    def check_is_sender(self) -> None:
        """Raise `UploadBusy` if a newer request took over. Call it while `locked`."""
        # Without the file the upload was discarded: its row says so.
        with suppress(FileNotFoundError):
            if self._sender.read_text() != self._request:
                raise self._busy("a newer request sends it now")

    def write(self, data: bytes, *, at: int) -> None:
        """Write all of ``data`` at an offset; OSError if the disk is full."""
        rest = memoryview(data)
        while rest:
            written = os.pwrite(self._descriptor, rest, at)
            at, rest = at + written, rest[written:]

    def sync(self) -> None:
        os.fsync(self._descriptor)

    def _try_to_lock(self) -> bool:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _busy(self, reason: str) -> UploadBusy:
        return UploadBusy(Problem(self._name, "", reason, "try again in a moment"))


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
