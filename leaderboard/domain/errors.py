"""One way to say that an input is wrong: what, where, why, what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leaderboard.domain.texts import NOTHING, Text, from_data, gettext, value_as_data, value_from_data


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with an input, in the words a submitter needs.

    Attributes:
        file: the file's name as its owner knows it (a path inside their folder, never one of ours).
        place: where in it: ``line 12``, ``$.history[3].action``, ``cell 7``; empty for the whole file. A
            `Text` where there are words in it, and so is ``file`` where it is no file.
        reason: why it can't be used, one clause.
        remedy: what to do about it, one clause; empty where nothing can be advised.
    """

    file: str
    place: str
    reason: Text
    remedy: Text = NOTHING

    def __str__(self) -> str:
        return str(self.sentence)

    @property
    def sentence(self) -> Text:
        """All of it in one sentence."""
        file, place, reason, remedy = self.file, self.place, self.reason, self.remedy
        where = gettext("{file}, {place}", file=file, place=place) if place else file
        if not remedy:
            return gettext("{where}: {reason}", where=where, reason=reason)
        return gettext("{where}: {reason} ({remedy})", where=where, reason=reason, remedy=remedy)

    def as_data(self) -> dict[str, Any]:
        """What `problem_from_data` makes this from again, as any JSON column takes it."""
        parts = {"file": self.file, "place": self.place, "reason": self.reason, "remedy": self.remedy}
        return {name: value_as_data(part) for name, part in parts.items() if part}


def problem_from_data(data: dict[str, Any]) -> Problem:
    """The problem that ``as_data`` gave ``data`` for."""
    return Problem(
        file=value_from_data(data.get("file", "")),
        place=value_from_data(data.get("place", "")),
        reason=from_data(data["reason"]),
        remedy=from_data(data.get("remedy", {})),
    )


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
