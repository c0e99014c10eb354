"""Reads trajectories from a file's bytes, in any known format.

A format is one module of this package with a ``NAME``, a ``detect`` that looks at a parsed document, and a
``read`` that turns it into a `Trajectory`. A container is one that finds the documents in a file with
several: it has ``samples`` and ``pick`` in place of ``read``; a format whose files may have several attempts
has all three. Either may have ``group``, which finds the files of a folder that are one attempt (`bundles`);
its ``detect`` is given their archive, too. A format with ``sample`` says itself which task and attempt a
content is, or why it is none; a container with ``complete`` adds to a trajectory what stands outside of its
document. They are found by what they have; nothing lists them. The first one that detects a file's content
reads it: those with the highest ``PRIORITY`` (0 if a module says none) are asked first, and of one priority
in the order of their names.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from typing import Any, Protocol

from leaderboard.domain.errors import InputError, Problem, UnknownFormatError
from leaderboard.domain.nesting import is_too_deep
from leaderboard.domain.trajectory import MISSING, Trajectory
from leaderboard.formats import answers, bundles, json_lines
from leaderboard.formats.archives import Archive
from leaderboard.formats.bundles import Group
from leaderboard.formats.documents import MAX_BYTES, too_deep
from leaderboard.formats.not_read import Sign, sign_of
from leaderboard.formats.opening import Content, Lines, describe_content, open_content
from leaderboard.formats.samples import Picked, Sample, no_such_sample, sample_of, with_outer_place

__all__ = [
    "CONTAINERS",
    "DETECTORS",
    "FORMATS",
    "File",
    "Group",
    "Sample",
    "group_files",
    "list_samples",
    "open_file",
    "read",
]


class _Detector(Protocol):
    @property
    def NAME(self) -> str:
        """The format's name, for pages, messages and `Trajectory.format`."""

    def detect(self, content: Any, /) -> bool:
        """Whether the content is in this format, valid or not; only then are the others called."""


class Format(_Detector, Protocol):
    """The interface of a format module."""

    def read(self, document: Any, *, name: str) -> Trajectory:
        """The trajectory in the document; `InputError` if it can't be read, or the agent took no step."""


class Container(_Detector, Protocol):
    """The interface of a module that finds the documents in a file with several."""

    def samples(self, content: Any, *, name: str) -> tuple[Sample, ...]:
        """Its samples in order, each with a unique key; `InputError` if they can't be listed."""

    def pick(self, content: Any, index: int, sample: Sample, *, name: str) -> Picked:
        """The document of the sample with this index in ``samples``; `InputError` if it can't be read."""


def _detectors() -> list[Any]:
    """The modules of this package that have ``detect``, in the order in which they are asked.

    Raises:
        TypeError: one of them is neither a format nor a container; the message says what it lacks.
    """
    names = sorted(each.name for each in pkgutil.iter_modules(__path__))
    modules = [import_module(f"{__name__}.{name}") for name in names]
    found = [module for module in modules if hasattr(module, "detect")]
    for module in found:
        is_whole = hasattr(module, "read") or (hasattr(module, "samples") and hasattr(module, "pick"))
        if not is_whole or not hasattr(module, "NAME"):
            raise TypeError(
                f"{module.__name__} has detect, so it is a format: it needs a NAME, and read or samples"
                " and pick; see “Add a trajectory format” in CONTRIBUTING.md"
            )
    return sorted(found, key=lambda module: -getattr(module, "PRIORITY", 0))


DETECTORS: tuple[Any, ...] = tuple(_detectors())
"""All of them, in the order in which they are asked."""
CONTAINERS: tuple[Container, ...] = tuple(each for each in DETECTORS if not hasattr(each, "read"))
FORMATS: tuple[Format, ...] = tuple(each for each in DETECTORS if hasattr(each, "read"))


def group_files(names: Sequence[str]) -> list[Group]:
    """The groups of files that are one attempt each, among a folder's files (paths in it, with ``/``)."""
    return bundles.group_files(names, DETECTORS)


class File:
    """An opened file and the trajectories in it. Its content is parsed once."""

    def __init__(self, content: Content, *, name: str) -> None:
        self._content = content
        self._name = name
        # The first of all kinds: a conversation with an event on each line is no file of several attempts.
        first = next((kind for kind in DETECTORS if kind.detect(content)), None)
        self._container: Container | None = first if hasattr(first, "pick") else None

    @property
    def holds_answers(self) -> bool:
        """Whether the file contains answers without trajectories; `answers.read_answers` reads them all."""
        return answers.holds_answers(self._content)

    @cached_property
    def samples(self) -> tuple[Sample, ...]:
        """The attempts in the file; one with the key "" if it is not in a container.

        Raises:
            InputError: the file is in no known format, or its samples can't be listed.
        """
        if self._container is not None:
            if self._container is json_lines and self._is_foreign():
                # Told once what it is, not line by line.
                raise UnknownFormatError(self._unknown(self._content))
            return self._container.samples(self._content, name=self._name)
        found = self._format_of(self._content)
        if hasattr(found, "sample"):
            return (found.sample(self._content, name=self._name),)
        return (sample_of(self._content, name=self._name),)

    @property
    def is_bundle(self) -> bool:
        """Whether its content is the archive of several files that are one attempt."""
        module = self._format_of(self._content) if self._container is None else self._container
        return isinstance(self._content, Archive) and hasattr(module, "group")

    @cached_property
    def _indexes(self) -> dict[str, int]:
        return {sample.key: index for index, sample in enumerate(self.samples)}

    def read(self, sample: str = "") -> Trajectory:
        """The trajectory of one sample; ``sample`` may be empty if there is only one.

        Raises:
            InputError: what is wrong, where in the file, and what to do. Nothing else is raised.
        """
        try:
            known = self.samples
            index = 0 if len(known) == 1 and not sample else self._indexes.get(sample)
            if index is None or not known or (not sample and len(known) > 1):
                raise InputError(no_such_sample(known, sample, name=self._name))
            if self._container is None:
                return self._read_document(self._content)
            picked = self._container.pick(self._content, index, known[index], name=self._name)
            trajectory = self._read_picked(picked)
            complete = getattr(self._container, "complete", None)
            whole: Trajectory = (
                complete(self._content, index, trajectory, name=self._name) if complete else trajectory
            )
            return whole
        except RecursionError:
            raise InputError(too_deep(self._name)) from None

    def _read_document(self, document: Content) -> Trajectory:
        found: Any = self._format_of(document)
        if isinstance(document, Lines) and hasattr(found, "pick"):
            # A log that is in another file; of its sessions the first is the attempt.
            first = found.samples(document, name=self._name)[0]
            document = found.pick(document, 0, first, name=self._name).document
        trajectory: Trajectory = found.read(document, name=self._name)
        if trajectory.answer is not MISSING and is_too_deep(trajectory.answer):
            raise InputError(too_deep(self._name, "answer"))
        return trajectory

    def _read_picked(self, picked: Picked) -> Trajectory:
        try:
            trajectory = self._read_document(picked.document)
        except InputError as error:
            raise InputError(with_outer_place(error.problem, picked.place)) from None
        warnings = tuple(with_outer_place(warning, picked.place) for warning in trajectory.warnings)
        return replace(trajectory, warnings=warnings)

    def _format_of(self, document: Content) -> Format:
        for candidate in FORMATS:
            if candidate.detect(document):
                return candidate
        raise UnknownFormatError(self._unknown(document))

    def _unknown(self, content: Content) -> Problem:
        """The problem of what is in no known format, which says what it is where that is known."""
        known = ", ".join([*(one.NAME for one in FORMATS), *(one.NAME for one in CONTAINERS)])
        found = content.first() if isinstance(content, Lines) else content
        sign = found if isinstance(found, Sign) else sign_of(found)
        if sign is not None:
            return Problem(self._name, "", f"{sign.name}; not read", f"{sign.remedy}; read are {known}")
        reason = f"not a known trajectory format: it is {describe_content(content)}"
        return Problem(self._name, "", reason, f"known formats are {known}")

    def _is_foreign(self) -> bool:
        """Whether no line, of those by which a file is told, is in a known format."""
        lines = self._content.head if isinstance(self._content, Lines) else []
        return bool(lines) and not any(kind.detect(line) for line in lines for kind in FORMATS)


def open_file(data: bytes, *, name: str, max_bytes: int = MAX_BYTES) -> File:
    """Open a file to read several of its samples; `list_samples` and `read` are shortcuts for one use.

    Args:
        data: the file's bytes.
        name: the file's name as its owner knows it, for problems.
        max_bytes: refuse a larger file, and an archive that would unpack to more.

    Raises:
        InputError: what is wrong, where in the file, and what to do. Nothing else is raised.
    """
    return File(open_content(data, name=name, max_bytes=max_bytes), name=name)


def list_samples(data: bytes, *, name: str, max_bytes: int = MAX_BYTES) -> tuple[Sample, ...]:
    """The attempts in a file; arguments and errors as for `open_file`."""
    return open_file(data, name=name, max_bytes=max_bytes).samples


def read(data: bytes, *, name: str, max_bytes: int = MAX_BYTES, sample: str = "") -> Trajectory:
    """Read a trajectory; arguments and errors as for `open_file`, ``sample`` as for `File.read`."""
    return open_file(data, name=name, max_bytes=max_bytes).read(sample)
