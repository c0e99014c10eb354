"""The blob store: uploaded files, and files made from them.

A blob is named by the SHA-256 of its content, so the same bytes are stored once and a blob never changes.
Blobs are stored in Django's default storage, compressed by zstd.
"""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import BinaryIO, cast

from backports import zstd
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage

from leaderboard.pipeline import Packed


def store(packed: Packed) -> None:
    """Write a blob unless it is already stored."""
    _save(packed.digest, ContentFile(packed.compressed), len(packed.compressed))


def store_file(digest: str, path: Path) -> None:
    """Write a blob from a file of compressed content, read in chunks; the file is kept."""
    with path.open("rb") as content:
        _save(digest, File(content), path.stat().st_size)


def _save(digest: str, content: File, size: int) -> None:  # type: ignore[type-arg]
    path = _path(digest)
    if default_storage.exists(path):
        if default_storage.size(path) == size:
            return
        # A process was killed while it wrote the file (or another release of zstd compressed it).
        default_storage.delete(path)
    saved = default_storage.save(path, content)
    if saved != path:
        # Another process stored the same blob meanwhile, so the storage gave this one an unused name.
        default_storage.delete(saved)


def delete(digest: str) -> None:
    """Delete a blob that no database row refers to."""
    default_storage.delete(_path(digest))


def read(digest: str) -> bytes:
    """The whole content of a blob."""
    with open_blob(digest) as reader:
        return reader.read()


def open_blob(digest: str) -> BinaryIO:
    """A blob as a stream, read in bounded memory; the caller closes it.

    Raises:
        FileNotFoundError: it is not stored.
    """
    return cast("BinaryIO", _Reader(default_storage.open(_path(digest))))


class _Reader(zstd.ZstdFile):
    """A decompressing reader that closes the stored file too, even if nobody closes the reader.

    Django determines the length of a response from a file's name (here: the compressed size) or by seeking
    (which decompresses all of it). So this reader has no name and can't seek.
    """

    name = ""

    def __init__(self, stored: File) -> None:  # type: ignore[type-arg]
        super().__init__(stored)
        self._close_stored = weakref.finalize(self, stored.close)

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        super().close()
        self._close_stored()


def _path(digest: str) -> str:
    return f"blobs/{digest[:2]}/{digest}.zst"
