"""Finds what may be attempts: files, folders, and archives, which are unpacked into a temporary folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from leaderboard import formats
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.text import plural
from leaderboard.intake.archives import HEAD, is_archive, is_inspect_log, unpack
from leaderboard.intake.layout import Candidate, ListedFile, candidates_in, stem_of
from leaderboard.intake.matching import words_of
from leaderboard.intake.member_names import escaped, is_left_by_system

MOST_FILES: Final = 200_000
"""Files of one folder that are looked at."""
_SAYS_NOTHING: Final = frozenset({"agent", "events", "logs", "output", "sessions", "trajectory", "."})
"""Names of folders in which tools keep an attempt's files."""
_UNREADABLE: Final = "check its permissions"

Stamp = tuple[tuple[int, int], ...]
"""Size and time of change of each of an attempt's files: another one means that it is read again."""


class Root(NamedTuple):
    """What the command was given: a file, or a folder; ``name`` begins the names of what is in it."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class Source:
    """The files of one attempt, or a file with several.

    Attributes:
        name: for people, and the key of it: the path in its root, after the root's name.
        files: each by its name in the attempt's folder; of several, the format has one document (`bundles`).
        label: what to call the attempt where nothing in it names a task.
        words: the parts of its path that may be a task's id.
        metrics: a file of scores beside it.
        is_bundle: its files are a group, even if it has only one.
    """

    name: str
    files: tuple[tuple[str, Path], ...]
    stamp: Stamp
    label: str
    words: tuple[str, ...] = ()
    metrics: Path | None = None
    is_bundle: bool = False

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        return sum(size for size, _time in self.stamp)


@dataclass(slots=True)
class Found:
    """What is there now: sources by name, and what could not be looked at."""

    sources: dict[str, Source] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    passed_over: int = 0
    """Files that no tool's trajectory is called like."""


class _Listed(NamedTuple):
    name: str
    path: Path
    size: int
    changed: int


def open_roots(paths: Sequence[Path], folder: Path) -> tuple[list[Root], list[Problem]]:
    """The roots of the paths, and what members of archives were left out; archives go into ``folder``.

    Raises:
        InputError: a path is not there, or is an archive that can't be unpacked.
    """
    roots: list[Root] = []
    left_out: list[Problem] = []
    for number, path in enumerate(paths):
        name = escaped(path.name or path.resolve().name)
        if not path.exists():
            raise InputError(
                Problem(escaped(str(path)), "", "there is no such file or folder", "check the path")
            )
        try:
            if path.is_file() and _is_packed(path):
                inside = folder / f"archive-{number}"
                left_out += unpack(path, inside, name=path.name)
                path = inside
        except OSError as error:
            reason = f"it can't be read: {error.strerror or error}"
            raise InputError(Problem(name, "", reason, _UNREADABLE)) from None
        if not (path.is_dir() or path.is_file()):
            raise InputError(Problem(name, "", "it is neither a file nor a folder", "give one of them"))
        alike = sum(root.name.partition(" (")[0] == name for root in roots)
        roots.append(Root(f"{name} ({alike + 1})" if alike else name, path))
    return roots, left_out


def _is_packed(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(HEAD)
    return is_archive(head) and not is_inspect_log(path)


def find_sources(roots: Iterable[Root]) -> Found:
    """Look at all roots. Nothing is opened; links are not followed."""
    found = Found()
    roots = list(roots)
    for root in roots:
        prefix = f"{root.name}/" if len(roots) > 1 else ""
        if root.path.is_dir():
            _look_into(root.path, prefix, found)
            continue
        try:
            status = root.path.stat()
        except OSError as error:
            found.problems.append(_unreadable(root.name, error))
            continue
        listed = _Listed(root.name, root.path, status.st_size, status.st_mtime_ns)
        _add(found, _single(_candidate_of(listed), {root.name: listed}, ""))
    return found


def _look_into(folder: Path, prefix: str, found: Found) -> None:
    files = {listed.name: listed for listed in _walk(folder, found)}
    for group in formats.group_files(list(files)):
        names = [name for name in group.names if name in files]
        _add(found, _bundle(group.folder, [files.pop(name) for name in names], prefix))
        found.passed_over += sum(files.pop(name, None) is not None for name in group.beside)
    rest = [ListedFile(each.path, name, each.size) for name, each in files.items()]
    rest.sort(key=lambda file: (file.parts[:-1], file.parts[-1]))
    for _folder, inside in groupby(rest, key=lambda file: file.parts[:-1]):
        beside = list(inside)
        candidates = [each for each in candidates_in(beside) if each.file]
        found.passed_over += len(beside) - len(candidates)
        for candidate in candidates:
            _add(found, _single(candidate, files, prefix))


def _walk(folder: Path, found: Found) -> Iterator[_Listed]:
    """Every file below a folder, without links and what an operating system or git left."""
    waiting, seen = [(folder, "")], 0
    while waiting:
        here, before = waiting.pop()
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError as error:
            found.problems.append(_unreadable(before.rstrip("/") or escaped(here.name), error))
            continue
        for entry in entries:
            if is_left_by_system((entry.name,)):
                continue
            name = before + escaped(entry.name)
            if entry.is_dir(follow_symlinks=False):
                waiting.append((Path(entry.path), f"{name}/"))
                continue
            if not entry.is_file(follow_symlinks=False):
                found.passed_over += 1
                continue
            seen += 1
            if seen > MOST_FILES:
                reason = f"it has more than {MOST_FILES:,} files: the rest is not looked at"
                found.problems.append(Problem(escaped(folder.name), "", reason, "give a folder in it"))
                return
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                # Gone since the folder was listed.
                continue
            yield _Listed(name, Path(entry.path), status.st_size, status.st_mtime_ns)


def _candidate_of(listed: _Listed) -> Candidate:
    file = ListedFile(listed.path, listed.name, listed.size)
    return Candidate(file, None, None, (), stem_of(listed.name))


def _single(candidate: Candidate, files: dict[str, _Listed], prefix: str) -> Source:
    main = candidate.main
    listed = files[main.name]
    beside = (files[each.name] for each in (candidate.metrics,) if each)
    stamps = [(each.size, each.changed) for each in (listed, *beside)]
    label = candidate.stem or _label(candidate.folders) or _stem(main.name)
    return Source(
        name=prefix + main.name,
        files=((main.parts[-1], listed.path),),
        stamp=tuple(stamps),
        label=label,
        words=tuple(words_of(candidate)),
        metrics=candidate.metrics.path if candidate.metrics else None,
    )


def _bundle(folder: str, files: list[_Listed], prefix: str) -> Source:
    inside = f"{folder}/" if folder and folder != "." else ""
    named = tuple((each.name.removeprefix(inside), each.path) for each in files)
    words = tuple(part for part in files[0].name.split("/")[:-1] if part)
    label = _label(folder.split("/")) or _stem(files[0].name)
    return Source(
        name=prefix + files[0].name,
        files=named,
        stamp=tuple((each.size, each.changed) for each in files),
        label=label,
        words=(*words, _stem(files[0].name)),
        is_bundle=True,
    )


def _label(folders: Sequence[str]) -> str:
    """The innermost folder that tells more than what lies in it; empty if none does."""
    return next((each for each in reversed(folders) if each.lower() not in _SAYS_NOTHING and each), "")


def _stem(name: str) -> str:
    last = name.rsplit("/", 1)[-1]
    return stem_of(last) or last.partition(".")[0] or last


def _add(found: Found, source: Source) -> None:
    found.sources.setdefault(source.name, source)


def _unreadable(name: str, error: OSError) -> Problem:
    return Problem(name, "", f"it can't be read: {error.strerror or error}", _UNREADABLE)


def passed_over_text(count: int) -> str:
    """What is said of files that are no results by their names; empty of none."""
    return (
        plural(count, "{n} other file was passed over", "{n} other files were passed over") if count else ""
    )
