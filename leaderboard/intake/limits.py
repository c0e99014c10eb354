"""How much an upload may hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MEGABYTE: Final = 1 << 20
PART_BYTES: Final = 255
"""The longest name of one file or folder that common file systems take, in bytes of UTF-8."""
NAME_BYTES: Final = 4096
"""The same for a whole path."""


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What is unpacked at most; a message that refuses something names the setting beside each.

    Attributes:
        files: entries of all kinds. ``SUPERBOARD_MAX_UPLOAD_FILES``
        total_bytes: bytes in all, unpacked. ``SUPERBOARD_MAX_UPLOAD_UNPACKED_MB``
        file_bytes: bytes of one file, unpacked. ``SUPERBOARD_MAX_UPLOAD_FILE_MB``
        ratio: how many times its size an archive may unpack to. ``SUPERBOARD_MAX_UPLOAD_RATIO``
        ratio_from: unpacked bytes up to which no ratio is suspicious.
        depth: folders within folders. ``SUPERBOARD_MAX_UPLOAD_DEPTH``
    """

    files: int = 20_000
    total_bytes: int = 8192 * MEGABYTE
    file_bytes: int = 1024 * MEGABYTE
    ratio: int = 250
    ratio_from: int = 32 * MEGABYTE
    depth: int = 32
