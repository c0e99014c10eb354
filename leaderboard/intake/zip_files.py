"""Unpacks untrusted zip archives.

Uses `zipfile` of backports.zstd, opened by `leaderboard.formats.archives.open_zip`. This module adds: UTF-8
names without the UTF-8 flag, which many tools write, and errors that name the bad member and the remedy.
docs/decisions/0006 gives the reasons.
"""

from __future__ import annotations

import stat
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Final

from backports.zstd import ZstdError
from backports.zstd.zipfile import BadZipFile, ZipFile, ZipInfo

from leaderboard.domain.errors import InputError
from leaderboard.formats.archives import ENCRYPTED, METHODS, UTF_8, BadZipError, open_zip
from leaderboard.intake.destination import CHUNK, Destination
from leaderboard.intake.member_names import shown

MAGICS: Final = (b"PK\x03\x04", b"PK\x05\x06")

_UNIX: Final = (3, 19)


def unpack_zip(path: Path, destination: Destination, *, on_progress: Callable[[int, int], None]) -> None:
    """Unpack every regular file into ``destination``.

    Raises:
        InputError: the archive is damaged, cut off, encrypted, its members overlap, or it exceeds a limit.
    """
    total = path.stat().st_size
    with path.open("rb") as file:
        try:
            archive = open_zip(file, check_count=destination.count_entries)
        except BadZipError as error:
            overlaps = "it overlaps another member, as in a zip bomb"
            reason = overlaps if error.overlaps else "it was cut off, or its directory is damaged"
            raise destination.damaged(shown(error.overlaps), reason) from None
        members = archive.infolist()
        for member in members:
            if member.flag_bits & ENCRYPTED:
                raise destination.damaged(shown(_name(member)), "it is encrypted", "pack without a password")
        done = 0
        for member in members:
            _unpack(archive, member, destination)
            done += member.compress_size
            on_progress(min(done, total), total)


def _unpack(archive: ZipFile, member: ZipInfo, destination: Destination) -> None:
    name, mode = _name(member), member.external_attr >> 16 if member.create_system in _UNIX else 0
    if reason := _why_not(member, mode):
        destination.leave_out(name, reason, "replace it with the file itself")
        return
    try:
        content = archive.open(member)
    except UnicodeDecodeError:
        destination.leave_out(name, "its name can't be decoded", "rename it and pack again")
        return
    except Exception as error:
        # zipfile does not document which exceptions a damaged header raises.
        raise destination.damaged(shown(name), "its content is not where the directory says") from error
    with content:
        if not (name.endswith(("/", "\\")) or stat.S_ISDIR(mode)):
            # If the packed size exceeds the declared unpacked size, the declared size is false.
            size = max(member.file_size, member.compress_size)
            damaged = partial(destination.damaged, shown(name))
            destination.put(name, _chunks(content, member.file_size, damaged), size=size)


def _name(member: ZipInfo) -> str:
    """The member's full name in the archive; `ZipInfo.filename` is cut at a NUL."""
    name = member.orig_filename
    if member.flag_bits & UTF_8:
        return name
    # The standard says code page 437, but names in UTF-8 without the flag are far more common.
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def _why_not(member: ZipInfo, mode: int) -> str | None:
    """Why a member can't be unpacked, or None; ``mode`` is its Unix mode, or 0."""
    if stat.S_ISLNK(mode):
        return "it is a symbolic link"
    if stat.S_IFMT(mode) and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        return "it is neither a file nor a folder"
    if member.compress_type not in METHODS:
        return "it is compressed by a method other than deflate and zstd"
    return None


def _chunks(content: IO[bytes], size: int, damaged: Callable[[str], InputError]) -> Iterator[bytes]:
    """A member's content; raises ``damaged`` if it is cut off or its checksum is wrong."""
    try:
        while chunk := content.read(CHUNK):
            size -= len(chunk)
            yield chunk
    except BadZipFile:
        raise damaged("its content is not what was packed") from None
    except (zlib.error, ZstdError, EOFError):
        raise damaged("its compressed content is damaged") from None
    if size:
        raise damaged("its content is not what was packed")
