"""Splits an archive into entries: each folder with its own entry.yaml is an entry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from leaderboard.domain.errors import Problem
from leaderboard.formats.run_folder import METRICS_NAME
from leaderboard.intake.description import Description
from leaderboard.intake.findings import FileReport, Verdict, warning
from leaderboard.intake.layout import DESCRIPTION_NAMES, ListedFile, is_result_name
from leaderboard.intake.survey import extract_description, passed_over_file, refuse_links


@dataclass(frozen=True, slots=True)
class EntryPart:
    """The files of one of several entries: all below ``path``, a folder in the archive."""

    path: str
    files: tuple[ListedFile, ...]


@dataclass(frozen=True, slots=True)
class EntrySplit:
    """How files are split into entries.

    Attributes:
        parts: sorted by path; empty if all files are one entry.
        defaults: the description above the parts, for what a part's own description leaves out.
        others: the files in no part.
    """

    parts: tuple[EntryPart, ...] = ()
    defaults: Description = field(default_factory=Description)
    others: tuple[FileReport, ...] = ()


def split_into_entries(files: Iterable[ListedFile]) -> EntrySplit:
    """Split files into entries by their entry.yaml files.

    With one description, in any folder, all files are one entry. With several, each folder that has one and
    contains results is an entry; but a description above all the others only gives defaults. A description
    deeper inside an entry's folder does not start another entry.
    """
    files = tuple(files)
    described = sorted(
        {file.parts[:-1] for file in files if file.parts[-1] in DESCRIPTION_NAMES and not file.is_link}
    )
    if len(described) < 2:
        return EntrySplit()
    first, *rest = described
    has_top = all(_is_below(folder, first) for folder in rest)
    parts: list[EntryPart] = []
    for folder in _outermost(rest if has_top else described):
        inside = tuple(file for file in files if _is_below(file.parts[:-1], folder))
        if any(_is_result(file) for file in inside):
            parts.append(EntryPart("/".join(folder), inside))
    if not parts:
        return EntrySplit()
    in_parts = {file.name for part in parts for file in part.files}
    others: list[FileReport] = []
    outside = refuse_links([file for file in files if file.name not in in_parts], others)
    top = [file for file in outside if has_top and file.parts[:-1] == first]
    defaults = extract_description(top, others)
    listed = {other.name for other in others}
    others.extend(_outside_file(file) for file in outside if file.name not in listed)
    others.sort(key=lambda other: other.name)
    return EntrySplit(tuple(parts), defaults, tuple(others))


def is_in_part(name: str, path: str) -> bool:
    """Whether the file ``name`` is in the folder ``path``, both inside the archive; "" is all of it."""
    return not path or name.startswith(f"{path}/")


def _is_below(folder: tuple[str, ...], above: tuple[str, ...]) -> bool:
    return folder[: len(above)] == above


def _outermost(folders: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The folders that are inside no other one; ``folders`` is sorted."""
    found: list[tuple[str, ...]] = []
    for folder in folders:
        if not (found and _is_below(folder, found[-1])):
            found.append(folder)
    return found


def _is_result(file: ListedFile) -> bool:
    name = file.parts[-1]
    return name == METRICS_NAME or (is_result_name(name) and name not in DESCRIPTION_NAMES)


def _outside_file(file: ListedFile) -> FileReport:
    """The report line of a file in no part, with a warning if it looks like a result."""
    if not _is_result(file):
        return passed_over_file(file)
    reason = "it is in none of the folders that have an entry.yaml"
    remedy = "move it into one of them, or add an entry.yaml to its own folder"
    return file.line(Verdict.PASSED_OVER, warning(Problem(file.name, "", reason, remedy)))
