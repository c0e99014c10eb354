"""Bundles: several files of a folder that together are one attempt.

OpenHands stores each event as a file, Harbor continues a trajectory in another file, Claude Code writes a
sub-agent's session beside the main one. Their files are packed into an uncompressed zip archive, which is the
attempt's original: each file keeps its bytes and its name in the folder. The format detects the archive by
the names in it.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from zipfile import ZIP_STORED, ZipFile, ZipInfo

# A fixed time, so that the same files always give the same bytes.
_WRITTEN: Final = (1980, 1, 1, 0, 0, 0)


class Group(NamedTuple):
    """Files of one attempt: ``folder`` contains them all; ``names`` start with it, the main file's first."""

    folder: str
    names: tuple[str, ...]


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
            taken = {name for group in found for name in group.names}
            left = [name for name in left if name not in taken]
            groups += found
    return groups


def pack(files: Mapping[str, bytes]) -> bytes:
    """The archive of a bundle, from each file's content by its name in the bundle's folder."""
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_STORED) as archive:
        for name in sorted(files):
            archive.writestr(ZipInfo(name, _WRITTEN), files[name])
    return packed.getvalue()
