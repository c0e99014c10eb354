"""Reads zip archives that nobody vouches for.

Not by `zipfile`: it reads the whole directory into memory before one can count, gives up on an archive for
one name that can't be decoded, and unpacks zstd without a bound. The format is small; here nothing is kept
before it is counted, and no more than a chunk is unpacked at once.
"""

from __future__ import annotations

import os
import stat
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Final

from backports.zstd import ZstdDecompressor, ZstdError

from leaderboard.checking.destination import CHUNK, Destination
from leaderboard.checking.names import shown

MAGICS: Final = (b"PK\x03\x04", b"PK\x05\x06")

_END: Final = struct.Struct("<4s4H2LH")
_END_64_PLACE: Final = struct.Struct("<4sLQL")
_END_64: Final = struct.Struct("<4sQ2H2L4Q")
_ENTRY: Final = struct.Struct("<4s6H3L5H2L")
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_MOST_COMMENT: Final = 1 << 16
_IN_ZIP64: Final = 0xFFFFFFFF
_ENCRYPTED: Final = 1 | 1 << 6 | 1 << 13
_UTF_8: Final = 1 << 11
_STORED, _DEFLATE, _ZSTD = 0, 8, 93


class DamagedError(ValueError):
    """The archive can't be read to its end; ``place`` is the member, or empty."""

    def __init__(self, place: str, reason: str, remedy: str | None = None) -> None:
        super().__init__(reason)
        self.place = place
        self.reason = reason
        self.remedy = remedy or "pack and send it again"


@dataclass(frozen=True, slots=True)
class Member:
    """A line of the directory. ``start`` is where its local header is; ``mode`` is Unix's, or 0."""

    name: str
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    start: int
    mode: int

    @property
    def is_folder(self) -> bool:
        return self.name.endswith(("/", "\\")) or stat.S_ISDIR(self.mode)


def members(file: BufferedReader) -> Iterator[Member]:
    """The directory, line by line.

    Raises:
        DamagedError: there is none, or it breaks off.
    """
    position, size, shift = _directory(file)
    end = position + size
    while position < end:
        file.seek(position)
        header = file.read(_ENTRY.size)
        if len(header) < _ENTRY.size or header[:4] != b"PK\x01\x02":
            raise DamagedError("", "its directory is damaged")
        fields = _ENTRY.unpack(header)
        name_size, extra_size, comment_size = fields[10:13]
        name, extra = file.read(name_size), file.read(extra_size)
        position += _ENTRY.size + name_size + extra_size + comment_size
        yield _member(fields, name, extra, shift)


def unpack_zip(path: Path, destination: Destination, *, on_progress: Callable[[int, int], None]) -> None:
    """Put every member that is a file, and can be unpacked, into ``destination``.

    Raises:
        DamagedError: the archive is damaged, cut off, encrypted, or its members overlap.
        InputError: it holds more than the limits allow.
    """
    total = path.stat().st_size
    with path.open("rb") as file:
        found = []
        for member in members(file):
            destination.count_entry()
            if member.flags & _ENCRYPTED:
                raise DamagedError(shown(member.name), "it is encrypted", "pack without a password")
            found.append(member)
        starts = _content_starts(file, found)
        done = 0
        for member in found:
            if obstacle := _why_not(member):
                destination.leave_out(member.name, obstacle, "put the file itself in its place")
            elif not member.is_folder:
                destination.put(member.name, _content(file, member, starts[member.start]), size=member.size)
            done += member.packed
            on_progress(min(done, total), total)


def _directory(file: BufferedReader) -> tuple[int, int, int]:
    """Where the directory starts, its size, and how far all offsets are shifted by what precedes the zip."""
    length = file.seek(0, os.SEEK_END)
    start = max(0, length - _END.size - _MOST_COMMENT)
    file.seek(start)
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        raise DamagedError("", "it was cut off: its directory, which comes last, is not there")
    end = start + at
    fields = _END.unpack_from(tail, at)
    size, offset = fields[5], fields[6]
    file.seek(max(0, end - _END_64_PLACE.size))
    place = file.read(_END_64_PLACE.size)
    if place[:4] == b"PK\x06\x07":
        end = _END_64_PLACE.unpack(place)[2]
        file.seek(min(end, length))
        record = file.read(_END_64.size)
        if len(record) < _END_64.size or record[:4] != b"PK\x06\x06":
            raise DamagedError("", "its directory is damaged")
        size, offset = _END_64.unpack(record)[8:]
    shift = end - size - offset
    if shift < 0:
        raise DamagedError("", "its directory is damaged")
    return end - size, size, shift


def _member(fields: tuple[int, ...], raw_name: bytes, extra: bytes, shift: int) -> Member:
    made_by, flags, method = fields[1] >> 8, fields[3], fields[4]
    crc, packed, size = fields[7:10]
    start, external = fields[16], fields[15]
    if _IN_ZIP64 in (packed, size, start):
        size, packed, start = _from_zip64(extra, size, packed, start)
    if flags & _UTF_8:
        name = raw_name.decode("utf-8", "surrogateescape")
    else:
        # The standard says code page 437; what is UTF-8 without saying so is far more common.
        try:
            name = raw_name.decode("utf-8")
        except UnicodeDecodeError:
            name = raw_name.decode("cp437")
    mode = external >> 16 if made_by in (3, 19) else 0
    return Member(name, flags, method, crc, packed, size, start + shift, mode)


def _from_zip64(extra: bytes, *values: int) -> list[int]:
    """These values, those that stand in the extra field taken from there."""
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        if kind == 1:
            field = extra[at + 4 : at + 4 + size]
            large = iter(struct.unpack_from(f"<{len(field) // 8}Q", field))
            try:
                return [next(large) if value == _IN_ZIP64 else value for value in values]
            except StopIteration:
                break
        at += 4 + size
    raise DamagedError("", "its directory is damaged")


def _content_starts(file: BufferedReader, found: list[Member]) -> dict[int, int]:
    """Where each member's content starts, by where its header does; `DamagedError` where two overlap."""
    starts: dict[int, int] = {}
    length, free = file.seek(0, os.SEEK_END), 0
    for member in sorted(found, key=lambda member: member.start):
        if member.start < free:
            raise DamagedError(shown(member.name), "it overlaps another member, as only bombs do")
        # A place far beyond any file's end can't even be gone to.
        file.seek(min(member.start, length))
        header = file.read(_LOCAL.size)
        if len(header) < _LOCAL.size or header[:4] != b"PK\x03\x04":
            raise DamagedError(shown(member.name), "its content is not where the directory says")
        name_size, extra_size = _LOCAL.unpack(header)[9:]
        starts[member.start] = member.start + _LOCAL.size + name_size + extra_size
        free = starts[member.start] + member.packed
    return starts


def _why_not(member: Member) -> str | None:
    if stat.S_ISLNK(member.mode):
        return "it is a symbolic link"
    kind = stat.S_IFMT(member.mode)
    if kind and not (stat.S_ISREG(member.mode) or stat.S_ISDIR(member.mode)):
        return "it is neither a file nor a folder"
    if member.method not in (_STORED, _DEFLATE, _ZSTD):
        return "it is compressed by a method other than deflate and zstd"
    return None


def _content(file: BufferedReader, member: Member, start: int) -> Iterator[bytes]:
    """A member's content; `DamagedError` where it breaks off or is not what was packed."""
    crc = size = 0
    packed = _packed(file, member, start)
    unpacked = {_STORED: _stored, _DEFLATE: _inflated, _ZSTD: _from_zstd}[member.method]
    try:
        for chunk in unpacked(packed):
            crc, size = zlib.crc32(chunk, crc), size + len(chunk)
            yield chunk
    except (zlib.error, ZstdError, EOFError):
        raise DamagedError(shown(member.name), "its compressed content is damaged") from None
    if crc != member.crc or size != member.size:
        raise DamagedError(shown(member.name), "its content is not what was packed")


def _packed(file: BufferedReader, member: Member, start: int) -> Iterator[bytes]:
    left = member.packed
    while left:
        file.seek(start + member.packed - left)
        chunk = file.read(min(CHUNK, left))
        if not chunk:
            raise DamagedError(shown(member.name), "it was cut off")
        left -= len(chunk)
        yield chunk


def _stored(packed: Iterator[bytes]) -> Iterator[bytes]:
    return packed


def _inflated(packed: Iterator[bytes]) -> Iterator[bytes]:
    machine = zlib.decompressobj(-zlib.MAX_WBITS)
    for chunk in packed:
        rest = chunk
        while rest and not machine.eof:
            yield machine.decompress(rest, CHUNK)
            rest = machine.unconsumed_tail
    # What the last chunk still holds back is less than one.
    yield machine.flush()
    if not machine.eof:
        raise EOFError


def _from_zstd(packed: Iterator[bytes]) -> Iterator[bytes]:
    machine = ZstdDecompressor()
    for chunk in packed:
        rest = chunk
        while rest or not (machine.needs_input or machine.eof):
            if machine.eof:
                # One frame may follow another.
                machine = ZstdDecompressor()
            yield machine.decompress(rest, CHUNK)
            rest = machine.unused_data if machine.eof else b""
    if not machine.eof:
        raise EOFError
