"""Errors in an input: what is wrong, where, why, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from leaderboard.domain.text import storable


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with an input, worded for the submitter. ``str()`` gives one sentence.

    Attributes:
        file: the file's name as its owner knows it (a path inside their folder, never a path on the server).
        place: where in it: ``line 12``, ``$.history[3].action``, ``cell 7``; empty for the whole file.
        reason: why it can't be used, one clause.
        remedy: what to do about it, one clause; may be empty.
    """

    file: str
    place: str
    reason: str
    remedy: str = ""

    def __str__(self) -> str:
        where = f"{self.file}, {self.place}" if self.place else self.file
        return f"{where}: {self.reason}" + (f" ({self.remedy})" if self.remedy else "")

    def as_data(self) -> dict[str, str]:
        """Its parts as a JSON column can store them, without the empty ones."""
        return {name: storable(part) for name, part in asdict(self).items() if part}


def problem_from_data(data: Mapping[str, Any]) -> Problem:
    """The inverse of ``as_data``; other members of ``data`` are ignored."""
    return Problem(**{part.name: str(data.get(part.name, "")) for part in fields(Problem)})


class InputError(ValueError):
    """An input was refused for one or more reasons: ``problems``; ``problem`` is the first."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(str(problems[0]))
        self.problem = problems[0]
        self.problems = problems

    def __reduce__(self) -> tuple[type[InputError], tuple[object, ...]]:
        # Worker processes send it back pickled; the default would keep only the text.
        return (type(self), self.problems)


class UnknownFormatError(InputError):
    """A file is in no known format: it may not be a trajectory at all."""


class WrongOffset(InputError):
    """A chunk does not begin at ``received``, the number of bytes received so far."""

    def __init__(self, name: str, *, offset: int, received: int) -> None:
        reason = f"the chunk begins at byte {offset:,}, but {received:,} bytes were received"
        super().__init__(Problem(name, "", reason, f"continue at byte {received:,}"))
        self.received = received


class QuotaExceeded(InputError):
    """A team reached a quota; the problem names it, its setting, and when there is room again."""


class UploadBusy(InputError):
    """A newer request sends the same upload."""
