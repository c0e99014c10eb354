"""Unpacks an upload: an archive, detected by its content, or a single result file."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.formats import group_files, inspect_archive
from leaderboard.formats.archives import MAX_ENTRIES, BadZipError, open_zip
from leaderboard.intake import tar_files, zip_files
from leaderboard.intake.destination import CHUNK, ArchiveLimits, Budget, Destination
from leaderboard.intake.member_names import shown, split_name

HEAD: Final = 512
"""How many bytes of a file are enough to detect an archive."""

_UNSUPPORTED: Final = {b"BZh": "bzip2", b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!": "RAR"}


def unpack(
    archive: Path,
    into: Path,
    *,
    name: str,
    limits: ArchiveLimits | None = None,
    part: str = "",
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[Problem, ...]:
    """Unpack a zip or tar (.gz, .xz, .zst), or put a single result file into a folder as it is.

    An Inspect log is a zip too, but stays packed, as does an archive inside the archive.

    Args:
        archive: the uploaded file.
        into: an empty folder, or one to create. Nothing is written outside it.
        name: the archive's name, as its owner uploaded it.
        limits: None for the defaults.
        part: a folder in the archive; only this folder is unpacked. Empty for the whole archive.
        on_progress: called with the bytes of the archive read so far, and its size.

    Returns:
        A problem for each member that was left out.

    Raises:
        InputError: it can't be used at all; ``into`` was removed.
        OSError: the disk is full, or the like; ``into`` was removed.
    """
    limits = limits or ArchiveLimits()
    into.mkdir(parents=True, exist_ok=True)
    new_budget = partial(Budget, archive=shown(name), archive_size=archive.stat().st_size, limits=limits)
    destination = Destination(into, archive=shown(name), budget=new_budget(), limits=limits, part=part)
    try:
        with archive.open("rb") as file:
            head = file.read(HEAD)
        opener = next((opener for magic, opener in tar_files.OPENERS.items() if head.startswith(magic)), None)
        if head.startswith(zip_files.MAGICS) and not is_inspect_log(archive):
            zip_files.unpack_zip(archive, destination, on_progress=on_progress)
        elif opener or tar_files.is_tar(head):
            budget = new_budget()
            tar_files.unpack_tar(archive, destination, opener=opener, budget=budget, on_progress=on_progress)
        else:
            _put_single_file(archive, destination, head=head, name=name)
    except BaseException:
        shutil.rmtree(into)
        raise
    return destination.problems


def is_archive(head: bytes) -> bool:
    """Whether a file that starts with these bytes (at least 512) is an archive or compressed."""
    packed = (*zip_files.MAGICS, *tar_files.OPENERS, *_UNSUPPORTED)
    return head.startswith(packed) or tar_files.is_tar(head)


def is_inspect_log(path: Path) -> bool:
    """Whether a file is an Inspect ``.eval`` log: a zip that contains an Inspect header or journal."""
    return not set(_names_in(path)).isdisjoint(inspect_archive.SIGNS)


def is_bundle(path: Path) -> bool:
    """Whether a file is a zip with the files of one attempt, such as the site's original of one."""
    return len(group_files(_names_in(path))) == 1


def _names_in(path: Path) -> list[str]:
    """The names of a zip's entries; none of any other file."""
    with path.open("rb") as file:
        try:
            return list(open_zip(file, check_count=_check_count).namelist())
        except BadZipError:
            return []


def _check_count(entries: int) -> None:
    if entries > MAX_ENTRIES:
        raise BadZipError("too many entries")


def _put_single_file(archive: Path, destination: Destination, *, head: bytes, name: str) -> None:
    """Copy a file that isn't an archive into the folder; `InputError` if it can't be a result either."""
    unsupported = next((kind for magic, kind in _UNSUPPORTED.items() if head.startswith(magic)), None)
    remedy = "send a zip, a tar (.gz, .xz, .zst), or a result file"
    if unsupported:
        raise InputError(Problem(shown(name), "", f"{unsupported} archives are not supported", remedy))
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text.startswith((b"{", b"[", *zip_files.MAGICS)):
        reason = "the file is empty" if not head else "it is neither an archive nor a result file"
        raise InputError(Problem(shown(name), "", reason, remedy))
    size = archive.stat().st_size
    own_name = (split_name(name) or ("",))[-1]
    with archive.open("rb") as file:
        destination.put(own_name, iter(lambda: file.read(CHUNK), b""), size=size)
    if destination.problems:
        raise InputError(destination.problems[0])
