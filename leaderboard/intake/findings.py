"""What checking found: problems, each with how much it matters."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from leaderboard.domain.errors import Problem


class Severity(StrEnum):
    """ERROR: the file, or a part of it, can't be used. WARNING: look at it. NOTE: good to know."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Verdict(StrEnum):
    """What becomes of a file. Only what was meant to be a result is REFUSED."""

    USED = "used"
    PASSED_OVER = "passed over"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem and how much it matters."""

    severity: Severity
    problem: Problem


def error(problem: Problem) -> Finding:
    return Finding(Severity.ERROR, problem)


def warning(problem: Problem) -> Finding:
    return Finding(Severity.WARNING, problem)


def note(problem: Problem) -> Finding:
    return Finding(Severity.NOTE, problem)
