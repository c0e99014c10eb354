"""Reads a trajectory from a file's bytes, whatever known format it is in.

A format is one module with a ``NAME``, a ``detect`` that looks at the parsed document, and a ``read`` that
turns it into a `Trajectory`. To add one, write the module and its tests, and name it in ``FORMATS``.
"""

from __future__ import annotations

from typing import Protocol

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import JsonValue, Trajectory
from leaderboard.formats import super_history, super_notebook
from leaderboard.formats.documents import MAX_BYTES, describe, parse_json, too_deep


class Format(Protocol):
    """What a format module offers."""

    @property
    def NAME(self) -> str:
        """The format's name, as pages and messages show it and `Trajectory.format` holds it."""

    def detect(self, document: JsonValue) -> bool:
        """Whether the document is meant to be in this format, sound or not."""

    def read(self, document: JsonValue, *, name: str) -> Trajectory:
        """The trajectory in the document; `InputError` where it can't be read."""


# The first that detects a document reads it, so the more particular ones come first.
FORMATS: tuple[Format, ...] = (super_notebook, super_history)


def read(data: bytes, *, name: str, max_bytes: int = MAX_BYTES) -> Trajectory:
    """Read a trajectory, telling its format by content.

    Args:
        data: the file's bytes.
        name: the file's name as its owner knows it; every problem carries it.
        max_bytes: refuse a bigger file.

    Raises:
        InputError: what is wrong, where in the file, and what to do. Nothing else is raised.
    """
    document = parse_json(data, name=name, max_bytes=max_bytes)
    try:
        for candidate in FORMATS:
            if candidate.detect(document):
                return candidate.read(document, name=name)
    except RecursionError:
        raise InputError(too_deep(name)) from None
    known = ", ".join(candidate.NAME for candidate in FORMATS)
    raise InputError(
        Problem(
            file=name,
            place="",
            reason=f"not a known trajectory format: it is {describe(document)}",
            remedy=f"known formats are {known}",
        )
    )
