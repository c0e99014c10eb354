"""The pages as files that open from disk: `superboard view --export DIR`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from leaderboard.exporting.copying import Copied, SiteCopy
from leaderboard.exporting.folders import whole_copy
from leaderboard.viewing.collection import Collection

NOTE: Final = "A copy made by superboard view --export: search and comparisons need the command itself."


def write_copy(attempts: Collection, folder: Path, say: Callable[[str], object]) -> Copied:
    """Write every page that the attempts have, and what it links to.

    Raises:
        FolderError: the folder has other files in it.
        OSError: a file can't be written.
    """
    attempts.is_copied = True
    with whole_copy(folder, replace=True) as aside:
        return SiteCopy(aside, live="", bounds=None, say=say, note=NOTE).make()
