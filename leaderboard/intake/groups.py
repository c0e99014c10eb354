"""Finds the files that together are one attempt, and makes them one candidate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from leaderboard.formats import Group, group_files
from leaderboard.formats.bundles import Bundle
from leaderboard.formats.run_folder import METADATA_NAME, METRICS_NAME
from leaderboard.intake.layout import Candidate, ListedFile, stem_of

_PACKED: Final = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.zst")


class Grouped(NamedTuple):
    """The files that are in no group, and a candidate for each group, sorted by name."""

    files: list[ListedFile]
    candidates: list[Candidate]


def join_groups(files: Iterable[ListedFile], *, name: str) -> Grouped:
    """Make each group of files a candidate, whose file has the name of the group's folder.

    What lies beside a group and belongs to the same run is left out. Reported scores in a group's folder are
    the group's. ``name`` is the upload's: a group without a folder around it has the upload's name.
    """
    left = {file.name: file for file in files}
    groups = group_files(tuple(left))
    shared = Counter(group.folder for group in groups)
    members = {each: left[each] for group in groups for each in group.names}
    for group in groups:
        for each in (*group.names, *group.beside):
            left.pop(each, None)
    candidates: list[Candidate] = []
    for group in groups:
        metrics, metadata = (
            left.pop(f"{group.folder}/{each}" if group.folder else each, None)
            for each in (METRICS_NAME, METADATA_NAME)
        )
        main = PurePosixPath(group.names[0]).name
        folder = group.folder or _without_suffix(name)
        shown = f"{folder}/{main}" if shared[group.folder] > 1 else folder
        file = _bundled(group, members, shown)
        candidates.append(Candidate(file, metrics, metadata, tuple(folder.split("/")), stem_of(main)))
    return Grouped(list(left.values()), sorted(candidates, key=lambda candidate: candidate.main.name))


def _bundled(group: Group, files: dict[str, ListedFile], shown: str) -> ListedFile:
    inside = {group.inside(each): (files[each].path, files[each].size) for each in group.names}
    bundle = Bundle.of(PurePosixPath(shown).name, inside)
    return ListedFile(files[group.names[0]].path, shown, bundle.size, bundle=bundle)


def _without_suffix(name: str) -> str:
    """An upload's name without the suffix of an archive."""
    last = PurePosixPath(name).name
    suffix = next((each for each in _PACKED if last.lower().endswith(each) and len(last) > len(each)), "")
    return last[: len(last) - len(suffix)] or "attempt"
