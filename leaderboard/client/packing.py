"""Packs a folder into a zip to upload: reproducible, and without loading whole files into memory."""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from leaderboard.domain.errors import InputError, Problem

MODIFIED: Final = (1980, 1, 1, 0, 0, 0)
"""The modification time of every file in the zip: the earliest that a zip can store."""
LEVEL: Final = 6


def pack(folder: Path, archive: Path, *, on_progress: Callable[[int, int], None]) -> None:
    """Write the files of ``folder`` into a zip, sorted by name.

    Links and names that start with a dot (``.git``, ``.DS_Store``) are left out. An existing file at
    ``archive`` is replaced. ``on_progress`` is called with the bytes packed so far, and all of them.

    Raises:
        InputError: there is no file in the folder, or one can't be read.
    """
    files = sorted((path.relative_to(folder).as_posix(), path) for path in _files(folder))
    if not files:
        raise InputError(Problem(folder.name, "", "there is no file in it", "name another folder"))
    total = sum(path.stat().st_size for _name, path in files)
    done = 0
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as packed:
        for name, path in files:
            entry = zipfile.ZipInfo(name, MODIFIED)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            # Unix on every system: the default depends on the platform.
            entry.create_system = 3
            try:
                with path.open("rb") as source, packed.open(entry, "w", force_zip64=True) as target:
                    shutil.copyfileobj(source, target, 1 << 20)
            except OSError as error:
                reason = f"it can't be read: {error.strerror or type(error).__name__}"
                raise InputError(Problem(name, "", reason)) from error
            done += path.stat().st_size
            on_progress(done, total)


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _files(folder: Path) -> list[Path]:
    found: list[Path] = []
    waiting = [folder]
    while waiting:
        for path in waiting.pop().iterdir():
            if path.name.startswith(".") or path.is_symlink():
                continue
            if path.is_dir():
                waiting.append(path)
            elif path.is_file():
                found.append(path)
    return found
