"""Bundles: several files of a folder that together are one attempt.

OpenHands stores each event as a file, Harbor continues a trajectory in another file, Claude Code writes a
sub-agent's session beside the main one. Their files are packed into an uncompressed zip archive, which is the
attempt's original: each file keeps its bytes and its name in the folder. The format detects the archive by
the names in it.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple
from zipfile import ZIP_STORED, ZipFile, ZipInfo

# A fixed time, so that the same files always give the same bytes.
_WRITTEN: Final = (1980, 1, 1, 0, 0, 0)
# Bytes of a zip archive beside its files' content: for each file, and at its end.
_OVERHEAD: Final = 76
_END: Final = 22


class Group(NamedTuple):
    """Files of one attempt.

    Attributes:
        folder: contains them all; empty for the outermost one.
        names: start with it, the main file's first.
        beside: other files of the same run, which are neither part of the attempt nor anything else.
    """

    folder: str
    names: tuple[str, ...]
    beside: tuple[str, ...] = ()

    def inside(self, name: str) -> str:
        """The name of one of the files in the group's folder."""
        return name[len(self.folder) + 1 :] if self.folder else name


@dataclass(frozen=True, slots=True)
class Bundle:
    """Files on disk that are one attempt; to be read in place of one file (`documents.read_file`).

    ``name`` is the last part of their folder's name; ``files`` has each file's name in the folder, and where
    it is. ``size`` is that of the packed archive, in bytes.
    """

    name: str
    files: tuple[tuple[str, Path], ...]
    size: int

    @classmethod
    def of(cls, name: str, files: Mapping[str, tuple[Path, int]]) -> Bundle:
        """The bundle of these files: path and size by name."""
        size = sum(size + _OVERHEAD + 2 * len(inside.encode()) for inside, (_path, size) in files.items())
        return cls(name, tuple((inside, path) for inside, (path, _size) in files.items()), size + _END)

    def read_bytes(self) -> bytes:
        """The packed archive."""
        return pack({inside: path.read_bytes() for inside, path in self.files})


def group_files(names: Sequence[str], modules: Iterable[Any]) -> list[Group]:
    """The groups among a folder's files, by the ``group`` hooks of the format modules.

    Args:
        names: paths in the folder, with ``/``.
        modules: asked in this order; a file that one has taken is not shown to the next.
    """
    groups: list[Group] = []
    left = list(names)
    for module in modules:
        if hasattr(module, "group"):
            found = list(module.group(left))
            taken = {name for group in found for name in (*group.names, *group.beside)}
            left = [name for name in left if name not in taken]
            groups += found
    return groups


def only_group(names: Sequence[str], group: Callable[[Sequence[str]], Iterable[Group]]) -> Group | None:
    """The group in an archive that has the files of just one attempt; None for any other archive."""
    found = list(group(names))
    return found[0] if len(found) == 1 else None


def pack(files: Mapping[str, bytes]) -> bytes:
    """The archive of a bundle, from each file's content by its name in the bundle's folder."""
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_STORED) as archive:
        for name in sorted(files):
            archive.writestr(ZipInfo(name, _WRITTEN), files[name])
    return packed.getvalue()
