"""Archives of our own making: honest ones, and ones that no tool would write."""

from __future__ import annotations

import io
import struct
import tarfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from backports.zstd import compress

STORED, DEFLATE, ZSTD = 0, 8, 93
CONTENT = b'{"query": "", "history": []}'


@dataclass
class Zip:
    """Writes a zip by hand, so that every field can lie."""

    data: bytearray = field(default_factory=bytearray)
    directory: bytearray = field(default_factory=bytearray)
    count: int = 0

    def add(
        self,
        name: str | bytes,
        content: bytes = CONTENT,
        *,
        method: int = DEFLATE,
        flags: int = 1 << 11,
        mode: int = 0,
        crc: int | None = None,
        size: int | None = None,
    ) -> Zip:
        raw = name.encode() if isinstance(name, str) else name
        packed = pack(content, method)
        start = len(self.data)
        crc = zlib.crc32(content) if crc is None else crc
        size = len(content) if size is None else size
        self.data += struct.pack(
            "<4s5H3L2H", b"PK\3\4", 45, flags, method, 0, 0, crc, len(packed), size, len(raw), 0
        )
        self.data += raw + packed
        return self.list(raw, start, len(packed), size, crc=crc, method=method, flags=flags, mode=mode)

    def list(
        self, raw: bytes, start: int, packed: int, size: int, *, crc: int, method: int, flags: int, mode: int
    ) -> Zip:
        """A line of the directory, whatever is where it points to."""
        self.directory += struct.pack(
            "<4s6H3L5H2L", b"PK\1\2", 3 << 8 | 45, 45, flags, method, 0, 0, crc, packed, size, len(raw),
            0, 0, 0, 0, mode << 16, start,
        )  # fmt: skip
        self.directory += raw
        self.count += 1
        return self

    def end_with_start(self, start: int) -> bytes:
        """The end of a zip with one member, whose place stands in a field of zip64."""
        extra = struct.pack("<HHQ", 1, 8, start)
        struct.pack_into("<H", self.directory, 30, len(extra))
        struct.pack_into("<L", self.directory, 42, 0xFFFFFFFF)
        self.directory += extra
        return self.end()

    def end(self) -> bytes:
        end = struct.pack(
            "<4s4H2LH", b"PK\5\6", 0, 0, self.count & 0xFFFF, self.count & 0xFFFF, len(self.directory),
            len(self.data), 0,
        )  # fmt: skip
        return bytes(self.data + self.directory) + end


def pack(content: bytes, method: int) -> bytes:
    if method == DEFLATE:
        machine = zlib.compressobj(9, zlib.DEFLATED, -15)
        return machine.compress(content) + machine.flush()
    return compress(content) if method == ZSTD else content


def tar(*members: tuple[tarfile.TarInfo, bytes], mode: str = "w", form: int = tarfile.PAX_FORMAT) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode, format=form, errors="surrogateescape") as archive:  # type: ignore[call-overload]
        for info, content in members:
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return target.getvalue()


def file(name: str, content: bytes = CONTENT) -> tuple[tarfile.TarInfo, bytes]:
    return tarfile.TarInfo(name), content


def special(name: str, kind: bytes, target: str = "") -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info, b""


def sparse(name: str, parts: Iterable[tuple[int, bytes]], size: int) -> bytes:
    """A tar with one member in GNU's old sparse format, as `tar --sparse` writes small ones."""
    parts = list(parts)
    stored = b"".join(content for _offset, content in parts)
    info = tarfile.TarInfo(name)
    info.type, info.size = tarfile.GNUTYPE_SPARSE, len(stored)
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    for index, (offset, content) in enumerate(parts[:4]):
        header[386 + 24 * index : 410 + 24 * index] = b"%011o\0%011o\0" % (offset, len(content))
    header[483:495] = b"%011o\0" % size
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + stored + bytes(-len(stored) % 512) + bytes(1024)


def files_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
