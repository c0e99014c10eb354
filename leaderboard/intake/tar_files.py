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
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, Final, cast

from backports import zstd

from leaderboard.domain.errors import InputError
from leaderboard.intake.destination import CHUNK, Budget, Destination
from leaderboard.intake.member_names import shown
from leaderboard.intake.zip_files import DamagedError

Opener = Callable[[BinaryIO], IO[bytes]]

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
    """A forward-only file that counts the bytes read, and keeps the last block."""

    def __init__(self, file: IO[bytes], spend: Callable[[int], None]) -> None:
        self._file = file
        self._spend = spend
        self._position = 0
        self._last = b""
        self._header_left: int | None = None

    def begin_header(self) -> None:
        """Until `end_header`, limit reading to the bytes that headers may need."""
        self._header_left = _HEADER_BYTES

    def end_header(self) -> None:
        self._header_left = None

    @property
    def last_block(self) -> bytes:
        return self._last[-_BLOCK:]

    def tell(self) -> int:
        return self._position

    def read(self, size: int) -> bytes:
        if self._header_left is not None:
            self._header_left -= size
            if self._header_left < 0:
                raise tarfile.ReadError("a header without end")
        parts = []
        while size > 0:
            part = self._file.read(min(size, CHUNK))
            if not part:
                break
            self._pass(part)
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def seek(self, position: int) -> int:
        if position < self._position:
            raise tarfile.ReadError("a size that leads backwards")
        while self._position < position:
            part = self._file.read(min(position - self._position, CHUNK))
            if not part:
                break
            self._pass(part)
        return self._position

    def _pass(self, part: bytes) -> None:
        self._position += len(part)
        self._last = (self._last + part)[-_BLOCK:] if len(part) < _BLOCK else part[-_BLOCK:]
        self._spend(len(part))


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

    Args:
        path: the archive.
        destination: where to write the files.
        opener: decompresses it; None if it isn't compressed.
        budget: counts every decompressed byte, also of members that are left out.
        on_progress: called with the bytes of the archive read so far, and its size.

    Raises:
        DamagedError: the archive is damaged or cut off.
        InputError: it exceeds a limit.
    """
    total = path.stat().st_size
    with path.open("rb") as raw:
        with _as_damaged(""):
            stream = _Stream(opener(raw) if opener else raw, budget.spend)
            stream.begin_header()
            archive = tarfile.TarFile(fileobj=cast("IO[bytes]", stream), encoding="utf-8")
        while member := _next(archive, stream):
            destination.count_entry()
            if reason := _why_not(member, archive):
                destination.leave_out(member.name, reason, "replace it with the file itself")
            elif not member.isdir():
                destination.put(member.name, _content(archive, member), size=member.size)
            on_progress(raw.tell(), total)
        if stream.last_block.strip(b"\0") or len(stream.last_block) < _BLOCK:
            raise DamagedError("", "it was cut off or is damaged: its end is missing")
        # Read to the end, where the checksum of a compressed archive is.
        with _as_damaged(""):
            while stream.read(CHUNK):
                pass


@contextmanager
def _as_damaged(place: str) -> Iterator[None]:
    """Turn read errors into `DamagedError`."""
    try:
        yield
    except (DamagedError, InputError):
        raise
    except _READ_ERRORS:
        raise DamagedError(place, "it was cut off or is damaged") from None


def _next(archive: tarfile.TarFile, stream: _Stream) -> tarfile.TarInfo | None:
    with _as_damaged(""):
        stream.begin_header()
        member = archive.next()
        stream.end_header()
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


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Iterator[bytes]:
    with _as_damaged(shown(member.name)):
        file = archive.extractfile(member)
        while file and (chunk := file.read(CHUNK)):
            yield chunk
