"""Findings of a check, which are problems with a severity, and the report's line on each file."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial

from leaderboard.domain.errors import Problem
from leaderboard.domain.trajectory import JsonValue


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
    severity: Severity
    problem: Problem

    def as_data(self) -> dict[str, str]:
        """As in the report's JSON."""
        return {"severity": self.severity.value, **asdict(self.problem)}


error = partial(Finding, Severity.ERROR)
warning = partial(Finding, Severity.WARNING)
note = partial(Finding, Severity.NOTE)


@dataclass(frozen=True, slots=True)
class FileReport:
    """One line of the report: a file, or one of several attempts in a file.

    Attributes:
        name: its path inside the upload.
        size: in bytes.
        findings: errors, warnings and notes, in file order.
        sample: the key of the attempt in the file (`formats.Sample`); empty if it has only one.
        format: the trajectory's format; empty without a trajectory.
        task_id: of the matched task, with the attempt's ``number``; empty and None for other files.
        matched_by: id, folder, name or metadata.
    """

    name: str
    size: int
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    sample: str = ""
    format: str = ""
    task_id: str = ""
    number: int | None = None
    matched_by: str = ""

    def count(self, severity: Severity) -> int:
        return sum(finding.severity is severity for finding in self.findings)

    def as_data(self) -> dict[str, JsonValue]:
        """An item of ``files`` in the report's JSON."""
        return {
            "name": self.name,
            "size": self.size,
            "verdict": self.verdict.value,
            "sample": self.sample,
            "format": self.format,
            "task": self.task_id,
            "attempt": self.number,
            "matched_by": self.matched_by,
            "findings": [finding.as_data() for finding in self.findings],
        }
