"""Files kept by content: originals byte for byte, and what recording made of them.

A blob's name is the SHA-256 of its content, so the same bytes are stored once and a blob never changes. They
lie compressed in Django's default storage.
"""

from __future__ import annotations

from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

import zstandard
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage

from leaderboard.pipeline import Packed


def store(packed: Packed) -> None:
    """Write a blob unless it is there already."""
    _save(packed.digest, ContentFile(packed.compressed), len(packed.compressed))


def store_file(digest: str, path: Path) -> None:
    """The same for what is compressed in a file, which is read in pieces and stays."""
    with path.open("rb") as content:
        _save(digest, File(content), path.stat().st_size)


def _save(digest: str, content: File, size: int) -> None:  # type: ignore[type-arg]
    path = _path(digest)
    if default_storage.exists(path):
        if default_storage.size(path) == size:
            return
        # Left by somebody who was killed while writing it (or compressed by another release of zstd).
        default_storage.delete(path)
    saved = default_storage.save(path, content)
    if saved != path:
        # Somebody else stored the same in the meantime, so this one got a name that nobody looks for.
        default_storage.delete(saved)


def delete(digest: str) -> None:
    """Remove a blob that no row names."""
    default_storage.delete(_path(digest))


def read(digest: str) -> bytes:
    """The whole content of a blob."""
    with open_blob(digest) as reader:
        return reader.read()


def open_blob(digest: str) -> BinaryIO:
    """A blob to read from its begin to its end, in bounded memory; the caller closes it.

    Raises:
        FileNotFoundError: there is none.
    """
    reader = zstandard.ZstdDecompressor().stream_reader(default_storage.open(_path(digest)))
    # Servers that stream a file put a `close` of their own on it, which zstandard's reader does not take.
    return BufferedReader(reader)


def _path(digest: str) -> str:
    return f"blobs/{digest[:2]}/{digest}.zst"
