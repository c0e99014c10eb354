"""Opens untrusted zip archives, and reads logs and bundles from them entry by entry, within limits.

`zipfile` of backports.zstd reads them. This module fixes three problems of it: it parses the whole directory
before its entries can be counted; it refuses an archive for one name that is flagged as UTF-8 but is not; it
only warns of overlapping entries.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from itertools import pairwise
from typing import IO, Final, cast

from backports.zstd import zipfile

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import TOO_LARGE, decode, parse_json_text
from leaderboard.formats.samples import with_outer_place

ARCHIVE_MARK: Final = b"PK"

MAX_ENTRIES: Final = 100_000
"""The most entries of an archive."""

MAX_DIRECTORY: Final = 1 << 25
"""The most bytes of an archive's directory: names, sizes and comments of all its entries."""

MAX_TIMES: Final = 20
"""How many times the limit for one trajectory all entries together may have unpacked."""

_PIECE: Final = 1 << 20
# An entry is encrypted, strongly encrypted, or its header is.
ENCRYPTED: Final = 1 | 1 << 6 | 1 << 13
UTF_8: Final = 1 << 11
# Decompressing other methods may use unlimited memory.
METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD)
_ENTRY_MARK: Final = b"PK\x01\x02"
_LOCAL_MARK: Final = b"PK\x03\x04"
_ENTRY_SIZE: Final = 46
_HEADER_SIZE: Final = 30
_MAX_SHOWN: Final = 200
_BROKEN: Final = "the archive was cut off or changed; copy it again"


class BadZipError(ValueError):
    """A zip archive whose directory can't be read; ``overlaps`` names an entry that overlaps another."""

    def __init__(self, reason: str, *, overlaps: str = "") -> None:
        super().__init__(reason)
        self.overlaps = overlaps


def open_zip(file: IO[bytes], *, check_count: Callable[[int], None]) -> zipfile.ZipFile:
    """Open an untrusted zip archive; the caller closes ``file``.

    Args:
        file: must be seekable.
        check_count: called with the number of entries, before zipfile parses them; `InputError` if too many.

    Raises:
        BadZipError: the directory is missing, damaged or too large, or two entries overlap.
        InputError: ``check_count`` raised it.
    """
    try:
        archive = zipfile.ZipFile(cast("IO[bytes]", _DirectoryReader(file, check_count)))
    except (BadZipError, InputError):
        raise
    except Exception as error:
        # zipfile parses untrusted fields with struct and int, and does not document what they raise.
        raise BadZipError(str(error)) from error
    archive.fp = file
    for entry, following in pairwise(sorted(archive.infolist(), key=lambda entry: entry.header_offset)):
        if following.header_offset < entry.header_offset + _HEADER_SIZE + entry.compress_size:
            raise BadZipError("overlapping entries", overlaps=following.filename)
    return archive


class _DirectoryReader:
    """A file wrapper that checks an archive's directory before zipfile parses it."""

    def __init__(self, file: IO[bytes], check_count: Callable[[int], None]) -> None:
        self.tell, self.seek, self.seekable = file.tell, file.seek, file.seekable
        self._file = file
        self._check_count = check_count

    def read(self, size: int) -> bytes:
        if size > MAX_DIRECTORY:
            raise BadZipError("the directory is too large")
        data = self._file.read(size)
        return self._check(data) if data.startswith(_ENTRY_MARK) else data

    def _check(self, data: bytes) -> bytes:
        """Count the entries of a directory; clear the UTF-8 flag of names that are not UTF-8."""
        count = at = 0
        corrected = bytearray(data)
        while data.startswith(_ENTRY_MARK, at) and at + _ENTRY_SIZE <= len(data):
            (flags,) = struct.unpack_from("<H", data, at + 8)
            sizes = struct.unpack_from("<3H", data, at + 28)
            name = data[at + _ENTRY_SIZE : at + _ENTRY_SIZE + sizes[0]]
            if flags & UTF_8 and name.decode("utf-8", "ignore").encode() != name:
                struct.pack_into("<H", corrected, at + 8, flags & ~UTF_8)
            at += _ENTRY_SIZE + sum(sizes)
            count += 1
        self._check_count(count)
        return bytes(corrected)


class Archive:
    """A zip archive in memory: an Inspect log, or the files of an attempt (`bundles`).

    At most ``max_bytes`` can be read from it between two calls of `start`.

    ``names`` are its entries' names in the order of its directory; of duplicate names the last is read.
    ``folders`` has the names in each folder.

    Raises:
        InputError: it is not a zip archive, has too many entries, or declares too large a size.
    """

    def __init__(self, data: bytes, *, name: str, max_bytes: int) -> None:
        self._name = name
        self._data = memoryview(data)
        self._most = self._left = max_bytes
        try:
            self._zip = open_zip(io.BytesIO(data), check_count=self._check_count)
        except BadZipError as error:
            reason = "the file starts like a zip archive, but its directory can't be read"
            raise self._refusal(reason, _BROKEN) from error
        entries = self._zip.infolist()
        # zipfile reads no more of an entry than its declared size, so this limits the total.
        if sum(entry.file_size for entry in entries) > MAX_TIMES * max_bytes:
            most = MAX_TIMES * max_bytes // 2**20
            reason = f"the archive has more than {most:,} MB unpacked"
            raise self._refusal(reason, "put fewer attempts into one archive")
        self.names = tuple(dict.fromkeys(entry.filename for entry in entries))
        self.folders: dict[str, list[str]] = {}
        for entry in self.names:
            self.folders.setdefault(entry.rpartition("/")[0], []).append(entry)

    def __contains__(self, entry: str) -> bool:
        return entry in self._zip.NameToInfo

    def start(self) -> None:
        """Start reading another sample, with the full budget of bytes."""
        self._left = self._most

    def json(self, entry: str) -> JsonValue:
        """The JSON document in an entry.

        Raises:
            InputError: the entry is encrypted, damaged or too large, or its content is not JSON.
        """
        try:
            return parse_json_text(decode(self._read(entry), name=self._name), name=self._name)
        except InputError as error:
            raise InputError(with_outer_place(error.problem, entry[:_MAX_SHOWN])) from None

    def text(self, entry: str) -> str:
        """The text of an entry in UTF-8; errors as of `json`."""
        try:
            return decode(self._read(entry), name=self._name)
        except InputError as error:
            raise InputError(with_outer_place(error.problem, entry[:_MAX_SHOWN])) from None

    def content(self, entry: str) -> bytes:
        """The content of an entry; errors as of `json`."""
        try:
            return self._read(entry)
        except InputError as error:
            raise InputError(with_outer_place(error.problem, entry[:_MAX_SHOWN])) from None

    def _read(self, entry: str) -> bytes:
        info = self._zip.getinfo(entry)
        if info.flag_bits & ENCRYPTED:
            raise self._refusal("the entry is encrypted", "pack it without a password")
        if info.compress_type not in METHODS:
            reason = f"the entry is compressed by method {info.compress_type}, not deflate or zstd"
            raise self._refusal(reason, "pack it again with deflate or zstd")
        if info.compress_type == zipfile.ZIP_STORED:
            return self._stored(info)
        try:
            with self._zip.open(info) as stream:
                return self._read_all(stream)
        except InputError:
            raise
        except Exception as error:
            # As in `open_zip`: a damaged entry may raise any error of its decompressor, struct or zipfile.
            raise self._refusal("the entry is damaged", _BROKEN) from error

    def _stored(self, info: zipfile.ZipInfo) -> bytes:
        """The content of an entry without compression: a bundle has thousands, which zipfile opens slowly."""
        at, size = info.header_offset, info.file_size
        header = self._data[at : at + _HEADER_SIZE]
        if len(header) == _HEADER_SIZE and bytes(header[:4]) == _LOCAL_MARK and info.compress_size == size:
            start = at + _HEADER_SIZE + sum(struct.unpack_from("<2H", header, 26))
            self._spend(size)
            content = bytes(self._data[start : start + size])
            if len(content) == size and zlib.crc32(content) == info.CRC:
                return content
        raise self._refusal("the entry is damaged", _BROKEN)

    def _read_all(self, stream: IO[bytes]) -> bytes:
        """All of a stream; `InputError` if it has more bytes than are left of ``max_bytes``."""
        pieces: list[bytes] = []
        while piece := stream.read(_PIECE):
            self._spend(len(piece))
            pieces.append(piece)
        return b"".join(pieces)

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            most = self._most // 2**20
            raise self._refusal(f"the sample has more than {most:,} MB unpacked", TOO_LARGE)

    def _check_count(self, n: int) -> None:
        if n > MAX_ENTRIES:
            reason = f"the archive has {n:,} entries, more than {MAX_ENTRIES:,}"
            raise self._refusal(reason, "leave out what belongs to no attempt")

    def _refusal(self, reason: str, remedy: str) -> InputError:
        return InputError(Problem(self._name, "", reason, remedy))
