"""Files that all web processes of a machine share, bounded in bytes: those longest unread go first."""

from __future__ import annotations

import logging
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

LARGEST: Final = 16
"""A file takes at most this part of the whole; a process writes it between two looks at what is there."""
KEPT: Final = 3 / 4
"""What is left of the bound when files were deleted: not each write has to delete."""
SECONDS_UNMARKED: Final = 60
"""A file that was read is marked as read at most so often."""
SECONDS_OF_REST: Final = 60
"""Nothing is written for so long after a write has failed."""

logger = logging.getLogger(__name__)


class PageFiles:
    """Bytes by name, each written and read whole. Neither fails: what can't be read is missing.

    Files of any age may be deleted by anybody at any time.
    """

    def __init__(self, folder: Path, *, most_bytes: int) -> None:
        self._folder = folder
        self._most = most_bytes
        # The first write looks at what other processes have left.
        self._unseen = most_bytes
        self._resting_until = 0.0

    def read(self, name: str) -> bytes | None:
        try:
            with (self._folder / name).open("rb") as file:
                if time.time() - os.fstat(file.fileno()).st_mtime > SECONDS_UNMARKED:
                    with suppress(OSError):
                        os.utime(file.fileno())
                return file.read()
        except OSError:
            return None

    def write(self, name: str, content: bytes) -> None:
        if len(content) > self._most // LARGEST or time.monotonic() < self._resting_until:
            return
        draft = self._folder / f"{name}.{uuid4().hex}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._make_room(len(content))
            draft.write_bytes(content)
            draft.replace(self._folder / name)
        except OSError as error:
            self._resting_until = time.monotonic() + SECONDS_OF_REST
            logger.warning(
                "No page can be kept in %s (%s), so each is made when it is asked for. Make room there, let "
                "the user that runs the site write there, or turn this off with SUPERBOARD_PAGE_CACHE_MB=0",
                *(self._folder, error.strerror),
            )
            with suppress(OSError):
                draft.unlink(missing_ok=True)

    def _make_room(self, size: int) -> None:
        self._unseen += size
        if self._unseen < self._most // LARGEST:
            return
        self._unseen = size
        files = []
        with os.scandir(self._folder) as found:
            for each in found:
                # Another process may delete it meanwhile.
                with suppress(OSError):
                    about = each.stat()
                    files.append((about.st_mtime, about.st_size, each.path))
        total = sum(file_size for _, file_size, _ in files) + size
        if total <= self._most * KEPT:
            return
        for _, file_size, path in sorted(files):
            with suppress(OSError):
                Path(path).unlink()
            total -= file_size
            if total <= self._most * KEPT:
                return
