"""The documents of an ATIF trajectory: what it goes on in, its sub-agents', and the images beside it."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from leaderboard.domain.errors import InputError
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.archives import Archive
from leaderboard.formats.documents import Notes, json_text
from leaderboard.formats.shapes import as_object, as_objects

MAX_DOCUMENTS: Final = 1_000
"""Continuations and sub-agents' trajectories of one attempt; more are left out with a note."""


@dataclass(frozen=True, slots=True)
class AtifRun:
    """The trajectories of one attempt, one after another: several where a task has several steps.

    Each is the name of a document in ``archive``; without one ``document`` is all there is.
    """

    document: JsonValue = None
    archive: Archive | None = None
    names: tuple[str, ...] = ()


@dataclass(slots=True)
class AtifFiles:
    """Finds the documents and images that a trajectory refers to."""

    notes: Notes
    archive: Archive | None = None
    _taken: set[str] = field(default_factory=set)

    def chain(self, document: JsonValue, name: str) -> Iterator[tuple[dict[str, JsonValue], str]]:
        """A trajectory and those that it goes on in, each with its name."""
        found = as_object(document)
        while found:
            self._taken.add(name)
            yield found, name
            following = json_text(found.get("continued_trajectory_ref"))
            if not following:
                return
            what = "the trajectory goes on in"
            found, name = self.beside(name, following, f"{_place(name)}$.continued_trajectory_ref", what)

    def beside(self, name: str, path: str, place: str, what: str) -> tuple[dict[str, JsonValue], str]:
        """The document at a path relative to another; empty, with a note, if it can't be read, or was."""
        target = _relative(name, path)
        shown = path[:100]
        if target is None:
            self.notes.add(place, f"{what} {shown}, which leads out of its folder; left out")
        elif target in self._taken:
            self.notes.add(place, f"{what} {shown}, which was read already; left out")
        elif self.archive is None or target not in self.archive:
            reason = f"{what} {shown}, which is not there; its steps are missing"
            self.notes.add(place, reason, "give the folder with all of its files")
        elif len(self._taken) >= MAX_DOCUMENTS:
            self.notes.add(place, f"there are more than {MAX_DOCUMENTS:,} trajectories in it; left out")
        else:
            self._taken.add(target)
            try:
                return as_object(self.archive.json(target)), target
            except InputError as error:
                self.notes.add(error.problem.place, f"{error.problem.reason}; left out", error.problem.remedy)
        return {}, ""

    def with_images(self, content: JsonValue, name: str) -> JsonValue:
        """A message's content, with the images that lie beside it put in."""
        if self.archive is None or not isinstance(content, list):
            return content
        return [self._with_image(part, name) for part in content]

    def _with_image(self, part: JsonValue, name: str) -> JsonValue:
        source = as_object(part.get("source")) if isinstance(part, dict) else {}
        path = source.get("path")
        target = _relative(name, path) if isinstance(path, str) else None
        if self.archive is None or target is None or target not in self.archive:
            return part
        try:
            data = base64.b64encode(self.archive.content(target)).decode()
        except InputError as error:
            self.notes.add(error.problem.place, error.problem.reason, error.problem.remedy)
            return part
        return {**part, "source": {"media_type": source.get("media_type"), "data": data}}


@dataclass(slots=True)
class Inner:
    """The sub-agents' trajectories that are inside a document, each to be taken once."""

    documents: list[dict[str, JsonValue]]

    @classmethod
    def of(cls, document: dict[str, JsonValue]) -> Inner:
        return cls(as_objects(document.get("subagent_trajectories")))

    def take(self, reference: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """The one that a reference names, by its own id or else by its session's; empty if there is none."""
        for key in ("trajectory_id", "session_id"):
            wanted = reference.get(key)
            if isinstance(wanted, str) and wanted:
                for document in self.documents:
                    if document.get(key) == wanted:
                        self.documents.remove(document)
                        return document
        return {}


def _relative(name: str, path: str) -> str | None:
    """The name of what lies at a path relative to a document; None if that leads out of its folder."""
    target = PurePosixPath(path)
    if not path or target.is_absolute() or ".." in target.parts or "://" in path or "\\" in path:
        return None
    return str(PurePosixPath(name).parent / target)


def _place(name: str) -> str:
    return f"{name}, " if name else ""
