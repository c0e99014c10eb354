"""A zip archive from a stranger, read entry by entry within bounds."""

from __future__ import annotations

import io
from typing import IO, Final

from backports.zstd import zipfile

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import decode, parse_json_text
from leaderboard.formats.samples import placed

ARCHIVE_MARK: Final = b"PK"

MAX_ENTRIES: Final = 100_000
"""How many entries an archive may have."""

MAX_TIMES: Final = 20
"""How many times the size of one trajectory all entries together may have unpacked."""

_PIECE: Final = 1 << 20
_ENCRYPTED: Final = 0x1
# Stored, deflate and zstd. The others unpack a piece to any size before it can be counted.
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD)
_MAX_SHOWN: Final = 200
_LIMIT: Final = "SUPERBOARD_MAX_TRAJECTORY_MB"
_BROKEN: Final = "the archive was cut off or changed; copy it again"


class Archive:
    """An archive in memory; what is read from it between two calls of `start` has at most ``max_bytes``.

    ``names`` are its entries', in the order of its directory; of entries with one name the last is read.
    ``folders`` has the names in each folder.

    Raises:
        InputError: it is no zip archive, has too many entries, or says that it is far larger unpacked.
    """

    def __init__(self, data: bytes, *, name: str, max_bytes: int) -> None:
        self._name = name
        self._most = self._left = max_bytes
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except Exception as error:
            # zipfile parses untrusted fields with struct and int; what it raises for them is listed nowhere.
            reason = "the file begins like a zip archive, but its directory can't be read"
            raise InputError(Problem(name, "", reason, _BROKEN)) from error
        entries = self._zip.infolist()
        if len(entries) > MAX_ENTRIES:
            reason = f"the archive has {len(entries):,} entries, more than {MAX_ENTRIES:,}"
            raise InputError(Problem(name, "", reason, "leave out what is not a sample"))
        # An entry gives no more than it says, whatever is in it: this bounds what reading all of them takes.
        if sum(entry.file_size for entry in entries) > MAX_TIMES * max_bytes:
            most = MAX_TIMES * max_bytes // 2**20
            reason = f"the archive has more than {most:,} MB unpacked"
            raise self._refusal(reason, "split the log")
        self.names = tuple(dict.fromkeys(entry.filename for entry in entries))
        self.folders: dict[str, list[str]] = {}
        for entry in self.names:
            self.folders.setdefault(entry.rpartition("/")[0], []).append(entry)

    def __contains__(self, entry: str) -> bool:
        return entry in self._zip.NameToInfo

    def start(self) -> None:
        """Count what is read from here on: another sample has as much room as the one before."""
        self._left = self._most

    def json(self, entry: str) -> JsonValue:
        """The JSON document in an entry.

        Raises:
            InputError: naming the entry: it is encrypted, damaged or too large, or its content is no JSON.
        """
        try:
            return parse_json_text(decode(self._read(entry), name=self._name), name=self._name)
        except InputError as error:
            raise InputError(placed(error.problem, entry[:_MAX_SHOWN])) from None

    def _read(self, entry: str) -> bytes:
        info = self._zip.getinfo(entry)
        if info.flag_bits & _ENCRYPTED:
            raise self._refusal("the entry is encrypted", "write the log without a password")
        if info.compress_type not in _METHODS:
            reason = f"the entry is compressed by method {info.compress_type:,}, not deflate or zstd"
            raise self._refusal(reason, "write the log again with Inspect")
        try:
            with self._zip.open(info) as stream:
                return self._take(stream)
        except InputError:
            raise
        except Exception as error:
            # As above: damaged entries raise whatever their decompressor, struct or zipfile does.
            raise self._refusal("the entry is damaged", _BROKEN) from error

    def _take(self, stream: IO[bytes]) -> bytes:
        """All of a stream, as long as it is within what is left: its stated size is the writer's word."""
        pieces: list[bytes] = []
        while piece := stream.read(_PIECE):
            self._left -= len(piece)
            if self._left < 0:
                most = self._most // 2**20
                reason = f"what is read of the archive has more than {most:,} MB unpacked"
                remedy = f"shorten the observations, or ask the operator to raise {_LIMIT}"
                raise self._refusal(reason, remedy)
            pieces.append(piece)
        return b"".join(pieces)

    def _refusal(self, reason: str, remedy: str) -> InputError:
        return InputError(Problem(self._name, "", reason, remedy))
