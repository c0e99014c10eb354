"""Names inside archives: checks that they are valid on every system, and makes any name safe to show."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

PART_BYTES: Final = 255
"""The longest name of a file or folder in common file systems, in bytes of UTF-8."""
NAME_BYTES: Final = 4096
"""The same for a whole path."""

_MAX_SHOWN: Final = 200
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_DEVICE: Final = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])", re.IGNORECASE)
# Control characters, invisible characters, and those that change the direction of text.
_DECEPTIVE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_LEFT_BY_SYSTEMS: Final = frozenset({"__macosx", ".ds_store", "thumbs.db", "desktop.ini", ".git"})


class BadNameError(ValueError):
    """A name that can't be used; the message is the reason, one clause."""


def is_left_by_system(parts: tuple[str, ...]) -> bool:
    """Whether an operating system or git created it: such files are dropped without a message."""
    return any(part.lower() in _LEFT_BY_SYSTEMS or part.startswith("._") for part in parts)


def split_name(name: str) -> tuple[str, ...]:
    """The parts of a member's name; a backslash separates too, as in archives from Windows."""
    return tuple(part for part in name.replace("\\", "/").split("/") if part not in ("", "."))


def check_name(name: str, *, depth: int) -> tuple[str, ...]:
    """The parts of a member's name, checked to be a safe relative path of at most ``depth`` parts.

    Raises:
        BadNameError: it isn't; also if it has lone surrogates, for bytes that could not be decoded.
    """
    if re.search("[\ud800-\udfff]", name):
        raise BadNameError("its name can't be decoded")
    if name.startswith(("/", "\\")) or _DRIVE.match(name):
        raise BadNameError("its name is an absolute path")
    parts = split_name(name)
    if ".." in parts:
        raise BadNameError("its name leads out of the archive")
    if not parts:
        raise BadNameError("it has no name")
    if _DECEPTIVE.search(name):
        raise BadNameError("its name has invisible characters in it")
    for part in parts:
        _check_part(part)
    if len(name.encode()) > NAME_BYTES:
        raise BadNameError(f"its name has more than {NAME_BYTES:,} bytes")
    if len(parts) > depth:
        raise BadNameError(f"it is more than {depth:,} folders deep (SUPERBOARD_MAX_UPLOAD_DEPTH)")
    return parts


def _check_part(part: str) -> None:
    if _DEVICE.fullmatch(part.split(".")[0].rstrip(" ")):
        raise BadNameError("its name is that of a device on Windows")
    if len(part.encode()) > PART_BYTES:
        raise BadNameError(f"a part of its name has more than {PART_BYTES:,} bytes")


def folded(part: str) -> str:
    """A key that is equal for names that some systems treat as the same: without case and Unicode form."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", part).casefold())


def escaped(text: str) -> str:
    """A text that is safe to print and store: deceptive and undecodable characters become escapes."""
    readable = _DECEPTIVE.sub(lambda found: ascii(found[0])[1:-1], text)
    return readable.encode("utf-8", "backslashreplace").decode()


def shown(name: str) -> str:
    """A name that is safe to print and store; a long one is cut in the middle."""
    readable = escaped(name)
    if len(readable) <= _MAX_SHOWN:
        return readable
    half = _MAX_SHOWN // 2
    return f"{readable[:half]}…{readable[-half:]}"
