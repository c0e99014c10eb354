"""One way to say that an input is wrong: what, where, why, what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.domain.text import storable


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with an input, in the words a submitter needs. ``str()`` gives one sentence.

    Attributes:
        file: the file's name as its owner knows it (a path inside their folder, never one of ours).
        place: where in it: ``line 12``, ``$.history[3].action``, ``cell 7``; empty for the whole file.
        reason: why it can't be used, one clause.
        remedy: what to do about it, one clause; empty where nothing can be advised.
    """

    file: str
    place: str
    reason: str
    remedy: str = ""

    def __str__(self) -> str:
        where = f"{self.file}, {self.place}" if self.place else self.file
        return f"{where}: {self.reason}" + (f" ({self.remedy})" if self.remedy else "")

    def as_data(self) -> dict[str, str]:
        """Return its parts as any JSON column takes them, the empty ones left out."""
        parts = {"file": self.file, "place": self.place, "reason": self.reason, "remedy": self.remedy}
        return {name: storable(part) for name, part in parts.items() if part}


def problem_from_data(data: Mapping[str, Any]) -> Problem:
    """Return the problem that ``as_data`` gave ``data`` for."""
    return Problem(data.get("file", ""), data.get("place", ""), data["reason"], data.get("remedy", ""))


class InputError(ValueError):
    """An input was refused; ``problem`` says what, where, why and what to do."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem

    def __reduce__(self) -> tuple[type[InputError], tuple[object, ...]]:
        # Crosses process borders during a parallel import; the default would pass the text only.
        return (type(self), (self.problem,))


class UnknownFormatError(InputError):
    """A file is in no known format, so that it may never have been meant to be in one."""


class InputErrors(InputError):
    """An input was refused for one reason or several; ``problems`` has them all, ``problem`` is the first."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__(problems[0])
        self.problems = problems

    def __reduce__(self) -> tuple[type[InputErrors], tuple[object, ...]]:
        return (type(self), (self.problems,))


class WrongOffset(InputError):
    """A chunk does not begin where the bytes received so far end; ``received`` says where that is."""

    def __init__(self, name: str, *, offset: int, received: int) -> None:
        reason = f"the chunk begins at byte {offset:,}, and {received:,} are here"
        super().__init__(Problem(name, "", reason, f"send on from byte {received:,}"))
        self.received = received


class QuotaExceeded(InputError):
    """A limit of a team's is reached; the problem names it, its setting, and when there is room again."""


class UploadBusy(InputError):
    """Somebody else is sending the same upload just now."""
