"""Keeps the site's files from other users of the machine: the database, uploads, mails, logs and secrets.

All processes of the site run as one user, and nobody else needs its files: the site serves its static files
itself.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700
PRIVATE_UMASK: Final = 0o077
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO

logger = logging.getLogger(__name__)


def keep_private(paths: Iterable[Path]) -> None:
    """Make private what this process and its children create, and what exists at ``paths``, if it is not.

    A folder's content is looked at only if the folder itself was open to others, so a start takes no longer
    on a site with many files. A folder that the whole machine shares, such as /tmp, is left as it is.
    """
    os.umask(PRIVATE_UMASK)
    for path in paths:
        try:
            _close(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            logger.warning(
                "Other users of this machine can read %s, and that can't be changed (%s). Make the user that "
                "runs the site its owner, or run: chmod -R go= %s",
                *(path, error.strerror, path),
            )


def sqlite_files(database: Mapping[str, Any]) -> list[Path]:
    """The files of a database, as Django's settings describe it; none if it is not SQLite."""
    if database["ENGINE"] != "django.db.backends.sqlite3":
        return []
    return [Path(f"{database['NAME']}{end}") for end in ("", "-wal", "-shm", "-journal")]


def _close(path: Path) -> None:
    mode = path.stat().st_mode
    is_ours = stat.S_ISREG(mode) or (stat.S_ISDIR(mode) and not mode & stat.S_ISVTX)
    if not (mode & _OTHERS and is_ours):
        return
    # The folder first: from then on nobody else gets at what is in it.
    path.chmod(stat.S_IMODE(mode) & ~_OTHERS)
    for folder, names, files in os.walk(path):
        for name in (*names, *files):
            inside = Path(folder, name)
            # A link may lead out of the folder. Others may own or delete a file: the folder is closed anyway.
            with suppress(OSError):
                if not inside.is_symlink():
                    inside.chmod(stat.S_IMODE(inside.stat().st_mode) & ~_OTHERS)
