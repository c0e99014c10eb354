"""Limits on the content of an upload."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MEGABYTE: Final = 1 << 20
PART_BYTES: Final = 255
"""The longest name of a file or folder in common file systems, in bytes of UTF-8."""
NAME_BYTES: Final = 4096
"""The same for a whole path."""


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """Limits on unpacking; the message for each names its setting.

    Attributes:
        files: entries of all kinds. ``SUPERBOARD_MAX_UPLOAD_FILES``
        total_bytes: unpacked bytes of all files. ``SUPERBOARD_MAX_UPLOAD_UNPACKED_MB``
        file_bytes: unpacked bytes of one file. ``SUPERBOARD_MAX_UPLOAD_FILE_MB``
        ratio: how many times its size an archive may unpack to. ``SUPERBOARD_MAX_UPLOAD_RATIO``
        ratio_from: the ratio is checked only beyond this many unpacked bytes.
        depth: folders within folders. ``SUPERBOARD_MAX_UPLOAD_DEPTH``
    """

    files: int = 20_000
    total_bytes: int = 8192 * MEGABYTE
    file_bytes: int = 1024 * MEGABYTE
    ratio: int = 250
    ratio_from: int = 32 * MEGABYTE
    depth: int = 32
