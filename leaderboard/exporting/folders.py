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
"""A file of every copy: a folder with it may be replaced. It names what else the copy has at its top."""
MARKER_TEXT: Final = (
    "Pages made by Superboard, which may replace this folder when it makes them again.\n"
    "It does not if there is anything beside these:\n"
)
SHOWN: Final = 5
"""Names that a refusal lists."""
PUBLIC_UMASK: Final = 0o022


class FolderError(Exception):
    """A copy can't be put there; its text says why and what to do."""


@contextmanager
def whole_copy(place: Path, *, replace: bool) -> Iterator[Path]:
    """A folder to write a copy to, which comes to ``place`` if nothing is raised, and is deleted otherwise.

    Whoever looks at ``place`` finds what was there before, or the whole copy, which all users may read.

    Raises:
        FolderError: what is at ``place`` is no empty folder and no copy, or a copy that is to stay, or has
            something else beside it.
        OSError: ``place`` or its folder can't be written to.
    """
    place = place.resolve()
    _check(place, replace=replace)
    with _public_umask(), _exit_on_sigterm():
        place.parent.mkdir(parents=True, exist_ok=True)
        # Beside its place, so that it can be moved there at once.
        aside = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name}-"))
        try:
            copy = aside / "copy"
            copy.mkdir()
            yield copy
            names = sorted(path.name for path in copy.iterdir())
            (copy / MARKER).write_text(MARKER_TEXT + "".join(f"{name}\n" for name in names))
            # What lies there may have changed while the copy was made.
            _check(place, replace=replace)
            _move(copy, place, former=aside / "replaced")
        finally:
            shutil.rmtree(aside)


@contextmanager
def _public_umask() -> Iterator[None]:
    before = os.umask(PUBLIC_UMASK)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def _exit_on_sigterm() -> Iterator[None]:
    """So that what was written so far is deleted then, as after Ctrl-C."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _move(copy: Path, place: Path, *, former: Path) -> None:
    """Put a copy in its place; what was there comes to ``former``, and back if that fails."""
    try:
        if place.exists():
            place.rename(former)
        copy.rename(place)
    except BaseException:
        if former.exists():
            former.rename(place)
        raise


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
    of_copy = {MARKER, *(place / MARKER).read_text().removeprefix(MARKER_TEXT).splitlines()}
    # Such as .git: the whole folder would be deleted.
    if others := sorted(path.name for path in place.iterdir() if path.name not in of_copy):
        shown = ", ".join(others[:SHOWN]) + (" and more" if len(others) > SHOWN else "")
        reason = f"{place} has what is not of the copy: {shown}"
        raise FolderError(f"{reason}. Move it away, or name another folder.")
