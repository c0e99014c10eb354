"""Writing files of tasks: JSON lines, all or none, never over another file."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from leaderboard.domain.errors import InputError, Problem


def check_is_new(path: Path) -> None:
    """Raise `InputError` if the file exists, or its folder does not."""
    if path.exists() or not path.parent.is_dir():
        reason = "the file exists" if path.exists() else "its folder does not exist"
        raise InputError(Problem(str(path), "", reason, "name another file"))


def write_records(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Writes a record a line; only this user can read the file, which may hold gold answers.

    Raises:
        InputError: as `check_is_new`.
    """
    check_is_new(path)
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records]
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
        file.writelines(lines)
    Path(file.name).replace(path)
