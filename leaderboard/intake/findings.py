"""Findings of a check: problems with a severity."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from leaderboard.domain.errors import Problem


class Severity(StrEnum):
    """ERROR: the file or attempt can't be used. WARNING: the submitter should look. NOTE: information."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Verdict(StrEnum):
    """Whether a file is used. REFUSED: it looks like a result, but can't be used. PASSED_OVER: it is none."""

    USED = "used"
    PASSED_OVER = "passed over"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem and its severity."""

    severity: Severity
    problem: Problem


def error(problem: Problem) -> Finding:
    return Finding(Severity.ERROR, problem)


def warning(problem: Problem) -> Finding:
    return Finding(Severity.WARNING, problem)


def note(problem: Problem) -> Finding:
    return Finding(Severity.NOTE, problem)
