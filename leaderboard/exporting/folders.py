"""The folder of a copy: made aside, and put in its place when it is whole."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

MARKER: Final = ".superboard-copy"
"""A file of every copy: a folder with it may be replaced."""
MARKER_TEXT: Final = "Pages made by Superboard, which may replace this folder when it makes them again.\n"
PUBLIC_UMASK: Final = 0o022


class FolderError(Exception):
    """A copy can't be put there; its text says why and what to do."""


@contextmanager
def whole_copy(place: Path, *, replace: bool) -> Iterator[Path]:
    """A folder to write a copy to, which comes to ``place`` if nothing is raised, and is deleted otherwise.

    Whoever looks at ``place`` finds what was there before, or the whole copy, which all users may read.

    Raises:
        FolderError: what is at ``place`` is no empty folder and no copy, or a copy that is to stay.
        OSError: ``place`` or its folder can't be written to.
    """
    place = place.resolve()
    _check(place, replace=replace)
    place.parent.mkdir(parents=True, exist_ok=True)
    before = os.umask(PUBLIC_UMASK)
    # What was written so far is deleted then, as after Ctrl-C.
    on_sigterm = signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    # Beside its place, so that it can be moved there at once.
    aside = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name}-"))
    try:
        copy = aside / "copy"
        copy.mkdir()
        (copy / MARKER).write_text(MARKER_TEXT)
        yield copy
        # What lies there may have changed while the copy was made.
        _check(place, replace=replace)
        if place.exists():
            place.rename(aside / "replaced")
        copy.rename(place)
    finally:
        signal.signal(signal.SIGTERM, on_sigterm)
        os.umask(before)
        shutil.rmtree(aside)


def _check(place: Path, *, replace: bool) -> None:
    if not place.exists():
        return
    if not place.is_dir():
        raise FolderError(f"{place} is a file. Name a folder that is empty or does not exist.")
    if not any(place.iterdir()):
        return
    if not (place / MARKER).is_file():
        raise FolderError(
            f"{place} has files in it and is no copy of a site: it has no {MARKER}. Name another folder."
        )
    if not replace:
        raise FolderError(f"{place} has a copy in it. Replace it with --replace, or name another folder.")
