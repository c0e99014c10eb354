"""Unpacks untrusted tar archives, compressed or not.

`tarfile` reads them from a stream that adds the limits it lacks: on the bytes per read, and on the bytes of
headers before a member. So a header with a false size can't use up memory or time.
"""

from __future__ import annotations

import gzip
import lzma
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO, Final, cast

from backports import zstd

from leaderboard.domain.errors import InputError
from leaderboard.intake.destination import CHUNK, Budget, Destination
from leaderboard.intake.member_names import shown

Opener = Callable[[BinaryIO], IO[bytes]]
_Damaged = Callable[[str], AbstractContextManager[None]]

OPENERS: Final[dict[bytes, Opener]] = {
    b"\x1f\x8b": lambda raw: cast("IO[bytes]", gzip.open(raw)),  # noqa: SIM115 - closed with the archive
    b"\xfd7zXZ\x00": lambda raw: cast("IO[bytes]", lzma.open(raw)),  # noqa: SIM115 - closed with the archive
    b"\x28\xb5\x2f\xfd": lambda raw: cast("IO[bytes]", zstd.open(raw)),
}
"""How to decompress an archive, by its first bytes."""

_BLOCK: Final = 512
_HEADER_BYTES: Final = 1 << 18
_READ_ERRORS: Final = (
    tarfile.TarError, EOFError, OSError, zlib.error, lzma.LZMAError, zstd.ZstdError,
    ValueError, OverflowError, IndexError, KeyError, TypeError, RecursionError,
)  # fmt: skip
"""What `tarfile` and the decompressors raise for damaged or forged input."""


class _Stream:
    """A forward-only file that counts the bytes read, and keeps the last block.

    While ``header_left`` is not None, only so many more bytes can be read.
    """

    def __init__(self, file: IO[bytes], spend: Callable[[int], None]) -> None:
        self._file = file
        self._spend = spend
        self._position = 0
        self.last_block = b""
        self.header_left: int | None = _HEADER_BYTES

    def tell(self) -> int:
        return self._position

    def read(self, size: int) -> bytes:
        if self.header_left is not None:
            self.header_left -= size
            if self.header_left < 0:
                raise tarfile.ReadError("a header without end")
        return b"".join(self._parts(size))

    def seek(self, position: int) -> int:
        if position < self._position:
            raise tarfile.ReadError("a size that leads backwards")
        for _skipped in self._parts(position - self._position):
            pass
        return self._position

    def _parts(self, size: int) -> Iterator[bytes]:
        while size > 0 and (part := self._file.read(min(size, CHUNK))):
            size -= len(part)
            self._position += len(part)
            self.last_block = (self.last_block + part[-_BLOCK:])[-_BLOCK:]
            self._spend(len(part))
            yield part


def is_tar(head: bytes) -> bool:
    """Whether a file that starts with these bytes is a tar archive, possibly an empty one."""
    block = head[:_BLOCK]
    if len(block) == _BLOCK and not block.strip(b"\0"):
        return True
    try:
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.TarError, ValueError):
        return False
    return True


def unpack_tar(
    path: Path,
    destination: Destination,
    *,
    opener: Opener | None,
    budget: Budget,
    on_progress: Callable[[int, int], None],
) -> None:
    """Unpack every regular file into ``destination``.

    ``opener`` is None if the archive isn't compressed. ``budget`` counts every decompressed byte, also of
    members that are left out.

    Raises:
        InputError: the archive is damaged or cut off, or exceeds a limit.
    """
    total = path.stat().st_size
    damaged = partial(_as_damaged, destination)
    with path.open("rb") as raw:
        with damaged(""):
            stream = _Stream(opener(raw) if opener else raw, budget.spend)
            archive = tarfile.TarFile(fileobj=cast("IO[bytes]", stream), encoding="utf-8")
        while member := _next(archive, stream, damaged):
            destination.count_entries(1)
            if reason := _why_not(member, archive):
                destination.leave_out(member.name, reason, "replace it with the file itself")
            elif not member.isdir():
                destination.put(member.name, _content(archive, member, damaged), size=member.size)
            on_progress(raw.tell(), total)
        if stream.last_block.strip(b"\0") or len(stream.last_block) < _BLOCK:
            raise destination.damaged("", "it was cut off or is damaged: its end is missing")
        # Read to the end, where the checksum of a compressed archive is.
        with damaged(""):
            while stream.read(CHUNK):
                pass


@contextmanager
def _as_damaged(destination: Destination, place: str) -> Iterator[None]:
    """Turn read errors into the `InputError` of a damaged archive."""
    try:
        yield
    except InputError:
        raise
    except _READ_ERRORS:
        raise destination.damaged(place, "it was cut off or is damaged") from None


def _next(archive: tarfile.TarFile, stream: _Stream, damaged: _Damaged) -> tarfile.TarInfo | None:
    with damaged(""):
        stream.header_left = _HEADER_BYTES
        member = archive.next()
        stream.header_left = None
        return member


def _why_not(member: tarfile.TarInfo, archive: tarfile.TarFile) -> str | None:
    if member.issym():
        return "it is a symbolic link"
    if member.islnk():
        return "it is a hard link"
    if not (member.isreg() or member.isdir()):
        return "it is neither a file nor a folder"
    if member.sparse is not None and not _is_sound(member, archive):
        return "it is a sparse file whose map is damaged"
    return None


def _is_sound(member: tarfile.TarInfo, archive: tarfile.TarFile) -> bool:
    """Whether a sparse file's parts are in order and complete: otherwise reading it may never end."""
    end = stored = 0
    parts = cast("list[tuple[int, int]]", member.sparse)
    for offset, size in parts:
        if size == 0:  # an unused field of the header
            continue
        if offset < end or size < 0:
            return False
        end, stored = offset + size, stored + size
    return end <= member.size and stored <= archive.offset - member.offset_data


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo, damaged: _Damaged) -> Iterator[bytes]:
    with damaged(shown(member.name)):
        file = archive.extractfile(member)
        while file and (chunk := file.read(CHUNK)):
            yield chunk
