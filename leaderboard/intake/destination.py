"""The folder that an archive is unpacked into, and the limits that every member counts against."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.text import plural
from leaderboard.intake.member_names import (
    BadNameError,
    check_name,
    folded,
    is_left_by_system,
    shown,
    split_name,
)

MEGABYTE: Final = 1 << 20
CHUNK: Final = 1 << 16
"""Bytes to read, unpack and write at a time."""

_MAX_LISTED: Final = 500


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


class Budget:
    """Counts unpacked bytes against the limits for an archive of its size."""

    def __init__(self, *, archive: str, archive_size: int, limits: ArchiveLimits) -> None:
        self._archive = archive
        self._size = max(archive_size, 1)
        self._limits = limits
        self._spent = 0

    def spend(self, size: int) -> None:
        """Count ``size`` more bytes.

        Raises:
            InputError: the total exceeds the limit, or the limit for an archive of this size.
        """
        self._spent += size
        limits = self._limits
        if self._spent > limits.total_bytes:
            reason = f"unpacks to more than {limits.total_bytes // MEGABYTE:,} MB"
            remedy = "leave out what is not a result, or ask for a higher SUPERBOARD_MAX_UPLOAD_UNPACKED_MB"
            raise InputError(Problem(self._archive, "", reason, remedy))
        if self._spent > limits.ratio_from and self._spent > limits.ratio * self._size:
            reason = f"unpacks to more than {limits.ratio:,} times its size, as a zip bomb does"
            remedy = "pack it again, or ask for a higher SUPERBOARD_MAX_UPLOAD_RATIO"
            raise InputError(Problem(self._archive, "", reason, remedy))


class Destination:
    """Writes members below a folder; their names can't lead out of it or collide.

    ``into`` is an empty folder. ``archive`` is the archive's name, for problems with the whole archive.
    Members outside of the folder ``part`` are ignored without a problem.
    """

    def __init__(
        self, into: Path, *, archive: str, budget: Budget, limits: ArchiveLimits, part: str = ""
    ) -> None:
        self._into = into
        self._archive = archive
        self._budget = budget
        self._limits = limits
        self._part = split_name(part)
        self._entries = 0
        self._folders = 0
        self._files: set[str] = set()
        # By its folded path: the first spelling of each folder and file.
        self._spelled: dict[str, str] = {}
        self._problems: list[Problem] = []
        self._unlisted = 0

    @property
    def problems(self) -> tuple[Problem, ...]:
        """A problem for each member that was left out; beyond `_MAX_LISTED` only their number."""
        if not self._unlisted:
            return tuple(self._problems)
        rest = plural(self._unlisted, "{n} more member was left out", "{n} more members were left out")
        return (*self._problems, Problem(self._archive, "", rest))

    def damaged(self, place: str, reason: str, remedy: str = "pack and send it again") -> InputError:
        """The error of an archive that can't be read to its end; ``place`` is the member, or empty."""
        return InputError(Problem(self._archive, place, reason, remedy))

    def count_entries(self, count: int) -> None:
        """Count members of any kind; `InputError` beyond the limit."""
        self._entries += count
        self._check_count(self._entries)

    def leave_out(self, name: str, reason: str, remedy: str = "") -> None:
        """Add a problem for a member that is not unpacked, unless it is ignored anyway."""
        if not self._is_wanted(name):
            return
        if len(self._problems) < _MAX_LISTED:
            file = shown(name) or self._archive
            self._problems.append(Problem(file, "", f"left out: {reason}", remedy))
        else:
            self._unlisted += 1

    def put(self, name: str, chunks: Iterable[bytes], *, size: int) -> None:
        """Write a file, or add a problem with the reason why it is left out.

        Args:
            name: as in the archive.
            chunks: its content, read only if it is written.
            size: the declared size in bytes; the real size is checked as well.

        Raises:
            InputError: a limit for the whole archive is exceeded.
            OSError: the disk is full, or the like.
        """
        if not self._is_wanted(name):
            return
        megabytes = self._limits.file_bytes // MEGABYTE
        too_big = f"it has more than {megabytes:,} MB, the limit of SUPERBOARD_MAX_UPLOAD_FILE_MB"
        try:
            parts = check_name(name, depth=self._limits.depth)
            if size > self._limits.file_bytes:
                raise BadNameError(too_big)
            self._reserve(parts)
            path = self._into.joinpath(*parts)
            if not self._write(path, chunks):
                path.unlink()
                raise BadNameError(too_big)
        except BadNameError as error:
            self.leave_out(name, str(error), "rename it or leave it out, and pack again")

    def _is_wanted(self, name: str) -> bool:
        parts = split_name(name)
        return parts[: len(self._part)] == self._part and not is_left_by_system(parts)

    def _check_count(self, count: int) -> None:
        if count > self._limits.files:
            reason = f"there are more than {self._limits.files:,} files and folders in it"
            remedy = "leave out what is not a result, or ask for a higher SUPERBOARD_MAX_UPLOAD_FILES"
            raise InputError(Problem(self._archive, "", reason, remedy))

    def _reserve(self, parts: tuple[str, ...]) -> None:
        """Reserve a path for a file; `BadNameError` if it collides with another file or folder."""
        for depth in range(1, len(parts) + 1):
            path = "/".join(parts[:depth])
            key = "/".join(folded(part) for part in parts[:depth])
            if depth < len(parts) and key not in self._spelled:
                # It is created for its files, whether or not the archive lists it.
                self._folders += 1
                self._check_count(self._folders)
            first = self._spelled.setdefault(key, path)
            if first != path:
                raise BadNameError(f"its name differs from {shown(first)} in case or accents only")
            if depth < len(parts) and path in self._files:
                raise BadNameError(f"{shown(path)} is already a file, so it can't be a folder")
        if path in self._files:
            raise BadNameError("its name is in the archive twice")
        if self._into.joinpath(*parts).is_dir():
            raise BadNameError("there is a folder with its name")
        self._files.add(path)

    def _write(self, path: Path, chunks: Iterable[bytes]) -> bool:
        """Write the file; return whether it stayed within the limit for one file."""
        written = 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("xb")
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
                raise
            raise BadNameError("its name is too long for this system") from None
        with file:
            for chunk in chunks:
                written += len(chunk)
                self._budget.spend(len(chunk))
                if written > self._limits.file_bytes:
                    return False
                file.write(chunk)
        return True
