"""The folder that an archive is unpacked into: every member passes here, and is counted."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.text import plural
from leaderboard.intake.limits import MEGABYTE, ArchiveLimits
from leaderboard.intake.member_names import (
    BadNameError,
    check_name,
    folded,
    is_left_by_system,
    shown,
    split_name,
)

CHUNK: Final = 1 << 16
"""Bytes that are read, unpacked and written at a time."""

_MOST_LISTED: Final = 500


class Budget:
    """Counts unpacked bytes against what an archive of its size may hold."""

    def __init__(self, *, archive: str, archive_size: int, limits: ArchiveLimits) -> None:
        self._archive = archive
        self._size = max(archive_size, 1)
        self._limits = limits
        self._spent = 0

    def spend(self, size: int) -> None:
        """Count ``size`` more bytes.

        Raises:
            InputError: they are more than the limit, or more than an honest archive of its size holds.
        """
        self._spent += size
        limits = self._limits
        if self._spent > limits.total_bytes:
            reason = f"unpacks to more than {limits.total_bytes // MEGABYTE:,} MB"
            remedy = "leave out what is not a result, or ask for a higher SUPERBOARD_MAX_UPLOAD_UNPACKED_MB"
            raise InputError(Problem(self._archive, "", reason, remedy))
        if self._spent > limits.ratio_from and self._spent > limits.ratio * self._size:
            reason = f"unpacks to more than {limits.ratio:,} times its size, as only bombs do"
            remedy = "pack it again, or ask for a higher SUPERBOARD_MAX_UPLOAD_RATIO"
            raise InputError(Problem(self._archive, "", reason, remedy))


class Destination:
    """Puts members below a folder, by names that can't lead out of it and don't meet one another.

    Args:
        into: an empty folder.
        archive: the archive's name, for problems with all of it.
        budget: what unpacked bytes are counted against.
        limits: what else is limited.
        part: the path of a folder: members that are not in it are not wanted, and no problem.
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
        # By its folded path: the first spelling of each folder and file that there is.
        self._spelled: dict[str, str] = {}
        self._problems: list[Problem] = []
        self._unlisted = 0

    @property
    def problems(self) -> tuple[Problem, ...]:
        """A problem for each member that was left out, the first hundreds of them listed."""
        if not self._unlisted:
            return tuple(self._problems)
        rest = plural(self._unlisted, "{n} more member was left out", "{n} more members were left out")
        return (*self._problems, Problem(self._archive, "", rest))

    def count_entry(self) -> None:
        """Count one member, of whatever kind; `InputError` beyond the limit."""
        self._entries += 1
        self._check_count(self._entries)

    def leave_out(self, name: str, reason: str, remedy: str = "") -> None:
        """Note that a member is not unpacked, unless nobody would miss it."""
        if not self._is_wanted(name):
            return
        if len(self._problems) < _MOST_LISTED:
            file, told = shown(name) or self._archive, f"left out: {reason}"
            self._problems.append(Problem(file, "", told, remedy))
        else:
            self._unlisted += 1

    def put(self, name: str, chunks: Iterable[bytes], *, size: int) -> None:
        """Write a file, or note why it is left out.

        Args:
            name: as the archive has it.
            chunks: its content, read only if it is written.
            size: the bytes that the archive announces; what really comes is counted as well.

        Raises:
            InputError: a limit for the whole archive is passed.
            OSError: the disk is full, or the like.
        """
        if not self._is_wanted(name):
            return
        too_big = (
            f"it has more than {self._limits.file_bytes // MEGABYTE:,} MB, the limit of "
            "SUPERBOARD_MAX_UPLOAD_FILE_MB"
        )
        try:
            parts = check_name(name, depth=self._limits.depth)
            if size > self._limits.file_bytes:
                raise BadNameError(too_big)
            self._claim(parts)
            path = self._into.joinpath(*parts)
            if not self._write(path, chunks):
                path.unlink()
                raise BadNameError(too_big)
        except BadNameError as error:
            self.leave_out(name, error.reason, "rename it or leave it out, and pack again")

    def _is_wanted(self, name: str) -> bool:
        parts = split_name(name)
        return parts[: len(self._part)] == self._part and not is_left_by_system(parts)

    def _count_folder(self) -> None:
        """Count a folder that is made for the files in it, whether or not the archive lists it."""
        self._folders += 1
        self._check_count(self._folders)

    def _check_count(self, count: int) -> None:
        if count > self._limits.files:
            reason = f"there are more than {self._limits.files:,} files and folders in it"
            remedy = "leave out what is not a result, or ask for a higher SUPERBOARD_MAX_UPLOAD_FILES"
            raise InputError(Problem(self._archive, "", reason, remedy))

    def _claim(self, parts: tuple[str, ...]) -> None:
        """Take a path for a file: none of its folders is a file, and nothing else has its name."""
        for depth in range(1, len(parts) + 1):
            path = "/".join(parts[:depth])
            key = "/".join(folded(part) for part in parts[:depth])
            if depth < len(parts) and key not in self._spelled:
                self._count_folder()
            first = self._spelled.setdefault(key, path)
            if first != path:
                raise BadNameError(f"its name differs from {shown(first)} in case or accents only")
            if depth < len(parts) and path in self._files:
                raise BadNameError(f"{shown(path)} is a file, and would have to be a folder")
        if path in self._files:
            raise BadNameError("its name is in the archive twice")
        if self._into.joinpath(*parts).is_dir():
            raise BadNameError("there is a folder by its name")
        self._files.add(path)

    def _write(self, path: Path, chunks: Iterable[bytes]) -> bool:
        """Write the file; whether it stayed within the limit of one file."""
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
