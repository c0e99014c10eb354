"""A checked-out repository, read as a stranger's: bounded, without following links, nothing of it is run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from leaderboard.domain.errors import InputError, Problem

MAX_FILES = 20_000
"""Files that are looked at; what a repository has beyond is not seen."""
MAX_READ = 200_000
"""Bytes that are read of a file."""
README = re.compile(r"readme(\.(md|rst|txt))?", re.IGNORECASE)

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REFERENCE = re.compile(r"ref: (refs/[\w./-]{1,200})")
_ORIGIN = re.compile(r'^\[remote "origin"\][^\[]*?^[ \t]*url[ \t]*=[ \t]*(\S+)', re.MULTILINE)
_SSH = re.compile(r"(?:ssh://)?git@([\w.-]+)[:/](.+)")


@dataclass(frozen=True)
class Tree:
    """The regular files below ``root``, as paths with slashes, in order; ``more`` if there are others."""

    root: Path
    files: tuple[str, ...]
    more: bool = False

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(self.files)

    @cached_property
    def readme(self) -> str:
        """The name of the README at the root.

        Raises:
            InputError: there is none.
        """
        for name in self.files:
            if README.fullmatch(name) and self.text(name).strip():
                return name
        reason, remedy = "the repository has no README at its root, or an empty one", "give another folder"
        raise InputError(Problem(self.root.name, "", reason, remedy))

    def text(self, name: str) -> str:
        """The beginning of one of the ``files``; empty for any other, and for what can't be read."""
        if name not in self.names:
            return ""
        try:
            descriptor = os.open(self.root / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return ""
        with os.fdopen(descriptor, "rb") as file:
            return file.read(MAX_READ).decode("utf-8", "replace")


def read_tree(root: Path) -> Tree:
    """The files of a repository; links and what is in .git are none.

    Raises:
        InputError: it is not a folder.
    """
    if not root.is_dir():
        raise InputError(Problem(str(root), "", "there is no such folder", "give a checked-out repository"))
    root = root.resolve()
    found: list[str] = []
    for name in _walk(root):
        if len(found) == MAX_FILES:
            return Tree(root, tuple(sorted(found)), more=True)
        found.append(name)
    return Tree(root, tuple(sorted(found)))


def _walk(root: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(root, followlinks=False):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(names):
            path = Path(folder, name)
            relative = path.relative_to(root).as_posix()
            # A name that is no text, or that could change how a line is shown, is nobody's entry point.
            if relative.isprintable() and path.is_file() and not path.is_symlink():
                yield relative


def origin_of(root: Path) -> tuple[str, str]:
    """The public address and the commit of a clone, each empty if it can't be told.

    Read from .git without the git program, which runs commands that a repository's configuration names.
    """
    git = root / ".git"
    found = _ORIGIN.search(_head(git / "config"))
    head = _head(git / "HEAD").strip()
    if reference := _REFERENCE.fullmatch(head):
        head = _head(git / reference[1]).strip() if ".." not in reference[1] else ""
        if not head:
            packed = re.search(
                rf"^([0-9a-f]+) {re.escape(reference[1])}$", _head(git / "packed-refs"), re.MULTILINE
            )
            head = packed[1] if packed else ""
    return public_address(found[1]) if found else "", head if _COMMIT.fullmatch(head) else ""


def public_address(url: str) -> str:
    """A repository's https address, without a user or a password; empty if it has none."""
    if ssh := _SSH.fullmatch(url):
        url = f"https://{ssh[1]}/{ssh[2]}"
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    path = parts.path.rstrip("/").removesuffix(".git")
    return f"https://{host}{port}{path}" if parts.scheme in ("http", "https") and host and path else ""


def repository_name(url: str) -> str:
    """The last part of an address, for ids: lower case, with letters, digits, hyphens and points only."""
    return (
        re.sub(r"[^a-z0-9.-]+", "-", PurePosixPath(urlsplit(url).path).name.lower()).strip("-.")
        or "repository"
    )


def _head(path: Path) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    with os.fdopen(descriptor, "rb") as file:
        try:
            return file.read(MAX_READ * 10).decode("utf-8", "replace")
        except IsADirectoryError:
            return ""
