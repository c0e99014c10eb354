"""The repository's own files, as its tests read them."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.conf import settings

ROOT: Path = settings.BASE_DIR


@cache
def ours() -> tuple[Path, ...]:
    """Return every file that is in version control."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    paths = (ROOT / name for name in listed.split("\0") if name)
    return tuple(sorted(path for path in paths if path.is_file()))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def code(*, migrations: bool = False) -> list[Path]:
    """Return our Python modules: not the fixtures' repositories, which are an agent's work material."""
    return [
        path
        for path in ours()
        if path.suffix == ".py"
        and not name_of(path).startswith("fixtures/")
        and (migrations or path.parent.name != "migrations")
    ]


def documents() -> list[Path]:
    return [path for path in ours() if path.suffix == ".md" and not name_of(path).startswith("fixtures/")]


def nodes(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(path.read_text(), filename=str(path)))
