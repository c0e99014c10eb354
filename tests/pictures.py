"""Small images for tests, whole and broken."""

from __future__ import annotations

import base64
import struct
import zlib


def png(width: int = 3, height: int = 2) -> bytes:
    """A PNG image; a huge one has only its header's word for its size."""
    rows = b"".join(b"\0" + b"\x60\x90\xc0" * width for _ in range(height)) if width * height < 10**6 else b""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def jpeg(width: int = 3, height: int = 2) -> bytes:
    """The segments of a JPEG image, without any pixels."""
    frame = struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\x01\x11\x00"
    return b"\xff\xd8\xff\xe0\x00\x04JF\xff\xc0" + frame + b"\xff\xda\x00\x02" + b"\xff\xd9"


def in_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def data_url(data: bytes, mime: str = "image/png") -> str:
    return f"data:{mime};base64,{in_base64(data)}"
