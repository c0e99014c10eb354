"""One way to say that an input is wrong: what, where, why, what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with an input, in the words a submitter needs.

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


class InputError(ValueError):
    """An input was refused; ``problem`` says what, where, why and what to do."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem

    def __reduce__(self) -> tuple[type[InputError], tuple[object, ...]]:
        # Crosses process borders during a parallel import; the default would pass the text only.
        return (type(self), (self.problem,))


class InputErrors(InputError):
    """An input was refused for one reason or several; ``problems`` has them all, ``problem`` is the first."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__(problems[0])
        self.problems = problems

    def __reduce__(self) -> tuple[type[InputErrors], tuple[object, ...]]:
        return (type(self), (self.problems,))
