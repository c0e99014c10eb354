"""Outputs that are no text: images, HTML, formulas, JSON and others.

PNG and JPEG images are shown, everything else is named. Of an image, only the header is read: its pixels are
never decoded here, and an image with very many is not shown, as a reader's browser would have to.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

MAX_BYTES: Final = 5_000_000
"""Bytes of the largest output that is kept as a file."""
MAX_PIXELS: Final = 25_000_000
"""Pixels of the largest image that is shown."""
MAX_COUNT: Final = 200
"""Outputs that are listed in one attempt; the others are counted."""
MAX_TOTAL: Final = 50_000_000
"""Bytes of all outputs of one attempt that are kept as files."""

PNG: Final = "image/png"
JPEG: Final = "image/jpeg"
NAMES: Final = {
    PNG: "PNG image",
    JPEG: "JPEG image",
    "image/svg+xml": "SVG image",
    "image/gif": "GIF image",
    "image/webp": "WebP image",
    "image/*": "image",
    "text/html": "HTML",
    "text/latex": "LaTeX",
    "text/markdown": "Markdown",
    "application/json": "JSON",
    "application/pdf": "PDF",
    "application/javascript": "JavaScript",
}
_SUFFIXES: Final = {
    PNG: "png",
    JPEG: "jpg",
    "image/svg+xml": "svg",
    "text/html": "html",
    "text/latex": "tex",
    "text/markdown": "md",
}
_MIME: Final = re.compile(r"[\w.+-]{1,40}/[\w.+*-]{1,60}", re.ASCII)
_DATA_URL: Final = re.compile(r"data:([\w.+-]{1,40}/[\w.+-]{1,60})?[^,]{0,200}?(;base64)?,", re.ASCII)
_SPACE: Final = re.compile(r"\s+")
_PNG_START: Final = b"\x89PNG\r\n\x1a\n"
_JPEG_START: Final = b"\xff\xd8\xff"
_JPEG_END: Final = b"\xff\xd9"


@dataclass(frozen=True, slots=True)
class Media:
    """An output of a step that is no text.

    Attributes:
        mime: its type; empty for several that are only counted.
        content: its bytes; empty if they are not kept.
        size: of all its bytes, also if they are not kept; 0 if unknown.
        width, height: in pixels, of an image that is shown; 0 otherwise.
        reason: why it is not kept, a clause; empty if it is.
    """

    mime: str
    content: bytes = b""
    size: int = 0
    width: int = 0
    height: int = 0
    reason: str = ""

    @property
    def is_shown(self) -> bool:
        return self.width > 0

    @property
    def text(self) -> str:
        """Its text, if that is what it is and it is kept; empty otherwise."""
        try:
            return "" if self.is_shown else self.content.decode()
        except UnicodeDecodeError:
            return ""

    @property
    def name(self) -> str:
        return NAMES.get(self.mime, self.mime)

    @property
    def suffix(self) -> str:
        """The end of the name of its file, without a dot."""
        return _SUFFIXES.get(self.mime) or ("json" if self.mime.endswith("json") else "bin")


def from_text(mime: str, text: str) -> Media:
    """HTML, SVG, JSON or another text that is not shown."""
    return _kept(mime, text.encode("utf-8", "replace"))


def from_base64(mime: str, text: str) -> Media:
    """An image or other bytes."""
    if len(text) > MAX_BYTES * 3:
        return _too_large(mime, len(text) * 3 // 4)
    try:
        content = base64.b64decode(_SPACE.sub("", text), validate=True)
    except (binascii.Error, ValueError):
        return Media(_known(mime), reason="its data is damaged")
    return _kept(mime, content)


def from_url(url: str, mime: str = "image/*") -> Media:
    """What a data URL holds; of any other address, that there is something. None is ever fetched."""
    found = _DATA_URL.match(url)
    if not found:
        return Media(_known(mime), reason="the file has its address only")
    if not found[2]:
        return from_text(found[1] or mime, url[found.end() :])
    return from_base64(found[1] or mime, url[found.end() :])


def limited(groups: Iterable[tuple[Media, ...]]) -> Iterator[tuple[Media, ...]]:
    """The outputs of an attempt, step by step, within the limits for all of them."""
    count, total = 0, 0
    for group in groups:
        kept = []
        for one in group[: max(0, MAX_COUNT - count)]:
            count += 1
            total += len(one.content)
            if total > MAX_TOTAL:
                total -= len(one.content)
                reason = f"the limit of {MAX_TOTAL // 1_000_000} MB for an attempt is reached"
                one = replace(one, content=b"", width=0, height=0, reason=reason)
            kept.append(one)
        if more := len(group) - len(kept):
            reason = f"the limit of {MAX_COUNT} outputs that are no text is reached"
            kept.append(Media("", size=more, reason=reason))
        yield tuple(kept)


def _kept(mime: str, content: bytes) -> Media:
    mime, size = _known(mime), len(content)
    if size > MAX_BYTES:
        return _too_large(mime, size)
    if content.startswith(_PNG_START):
        mime, pixels = PNG, _png_pixels(content)
    elif content.startswith(_JPEG_START):
        mime, pixels = JPEG, _jpeg_pixels(content)
    elif mime not in (PNG, JPEG):
        return Media(mime, content, size)
    else:
        pixels = None
    if pixels is None:
        return Media(mime, size=size, reason="its data is damaged")
    width, height = pixels
    if width * height > MAX_PIXELS:
        reason = f"it has {width:,} by {height:,} pixels, more than {MAX_PIXELS // 1_000_000} million"
        return Media(mime, size=size, reason=reason)
    return Media(mime, content, size, width, height)


def _too_large(mime: str, size: int) -> Media:
    return Media(_known(mime), size=size, reason=f"it is larger than {MAX_BYTES // 1_000_000} MB")


def _known(mime: str) -> str:
    return mime.lower() if _MIME.fullmatch(mime) else "application/octet-stream"


def _png_pixels(data: bytes) -> tuple[int, int] | None:
    """Width and height; None if it is not a whole PNG."""
    if data[12:16] != b"IHDR" or len(data) < 33:
        return None
    width, height = struct.unpack(">II", data[16:24])
    at = len(_PNG_START)
    while at + 12 <= len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind = data[at + 4 : at + 8]
        at += 12 + length
        if kind == b"IEND":
            return (width, height) if width and height else None
    return None


def _jpeg_pixels(data: bytes) -> tuple[int, int] | None:
    """Width and height; None if it is not a whole JPEG."""
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF or marker == 0x01 or 0xD0 <= marker <= 0xD8:
            at += 1 if marker == 0xFF else 2
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return (width, height) if width and height and data.rfind(_JPEG_END) > at else None
        (length,) = struct.unpack(">H", data[at + 2 : at + 4])
        if marker in (0xD9, 0xDA) or length < 2:
            return None
        at += 2 + length
    return None
