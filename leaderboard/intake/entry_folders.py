"""Divides what an archive holds into entries: a folder with an entry.yaml of its own is one of its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from leaderboard.domain.errors import Problem
from leaderboard.formats.run_folder import METRICS_NAME
from leaderboard.intake.description import Description
from leaderboard.intake.findings import Verdict, warning
from leaderboard.intake.found_files import OtherFile
from leaderboard.intake.layout import DESCRIPTION_NAMES, FoundFile, is_result_name
from leaderboard.intake.survey import pass_over, refuse_links, take_description


@dataclass(frozen=True, slots=True)
class EntryPart:
    """The files of one entry among several: all that is below ``path``, a folder inside the archive."""

    path: str
    files: tuple[FoundFile, ...]


@dataclass(frozen=True, slots=True)
class Division:
    """How files are divided.

    Attributes:
        parts: by path; none where all files are one entry.
        defaults: what the description above the parts says: it stands where a part's own is silent.
        others: the files that belong to no part.
    """

    parts: tuple[EntryPart, ...] = ()
    defaults: Description = field(default_factory=Description)
    others: tuple[OtherFile, ...] = ()


def divide(files: Iterable[FoundFile]) -> Division:
    """Divide files by the descriptions among them.

    One description, wherever it lies, is about all of them. Of several, one above all the others gives
    defaults, and each of the others makes an entry of its folder, unless there is nothing to enter in it.
    A description inside such a folder makes no further one.
    """
    files = tuple(files)
    described = sorted({file.parts[:-1] for file in files if _describes(file)})
    if len(described) < 2:
        return Division()
    first, *rest = described
    has_top = all(_is_below(folder, first) for folder in rest)
    parts: list[EntryPart] = []
    for folder in _outermost(rest if has_top else described):
        inside = tuple(file for file in files if _is_below(file.parts[:-1], folder))
        if any(_is_result(file) for file in inside):
            parts.append(EntryPart("/".join(folder), inside))
    if not parts:
        return Division()
    held = {file.name for part in parts for file in part.files}
    others: list[OtherFile] = []
    outside = refuse_links([file for file in files if file.name not in held], others)
    top = [file for file in outside if has_top and file.parts[:-1] == first]
    defaults = take_description(top, others)
    taken = {other.name for other in others}
    others.extend(_passed_over(file) for file in outside if file.name not in taken)
    others.sort(key=lambda other: other.name)
    return Division(tuple(parts), defaults, tuple(others))


def is_in_part(name: str, path: str) -> bool:
    """Whether a file is in a part, each by its path inside the archive; all are in one without a path."""
    return not path or name.startswith(f"{path}/")


def _describes(file: FoundFile) -> bool:
    return file.parts[-1] in DESCRIPTION_NAMES and not file.is_link


def _is_below(folder: tuple[str, ...], above: tuple[str, ...]) -> bool:
    return folder[: len(above)] == above


def _outermost(folders: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Those of these folders, which are in order, that lie in no other of them."""
    found: list[tuple[str, ...]] = []
    for folder in folders:
        if not (found and _is_below(folder, found[-1])):
            found.append(folder)
    return found


def _is_result(file: FoundFile) -> bool:
    name = file.parts[-1]
    return name == METRICS_NAME or (is_result_name(name) and name not in DESCRIPTION_NAMES)


def _passed_over(file: FoundFile) -> OtherFile:
    """A file outside of every part: worth a warning if it looks as if somebody wanted it to count."""
    if not _is_result(file):
        return pass_over(file)
    reason = "it is in none of the folders that have an entry.yaml"
    remedy = "put it into one of them, or give its own folder an entry.yaml"
    why = (warning(Problem(file.name, "", reason, remedy)),)
    return OtherFile(file.name, file.size, Verdict.PASSED_OVER, why)
