"""The report of a check, file by file, and its JSON for download."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from leaderboard.domain.errors import Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.intake.description import Description
from leaderboard.intake.findings import Finding, Severity, Verdict, error
from leaderboard.intake.found_files import FoundAttempt, Survey

VERSION = 1
"""Of the JSON; raised when a key changes its meaning or is removed."""


@dataclass(frozen=True, slots=True)
class FileReport:
    """One line of the report: a file, or one of several attempts in a file.

    Attributes:
        name: its path inside the upload.
        size: in bytes.
        verdict: whether it is used.
        sample: which attempt in the file; empty if it has only one.
        format: the trajectory's format; empty without a trajectory.
        task_id: of the matched task, with the attempt's ``number``; empty and None for other files.
        matched_by: id, folder, name or metadata.
        findings: errors, warnings and notes, in file order.
    """

    name: str
    size: int
    verdict: Verdict
    sample: str = ""
    format: str = ""
    task_id: str = ""
    number: int | None = None
    matched_by: str = ""
    findings: tuple[Finding, ...] = ()

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
            "findings": [finding_as_data(finding) for finding in self.findings],
        }


@dataclass(frozen=True, slots=True)
class Report:
    """What an upload contains and what is wrong with it.

    Attributes:
        name: the upload's name as its owner knows it.
        task_set: such as ``super/masked``; empty if unknown.
        tasks: how many tasks the set has.
        description: merged from entry.yaml and the form.
        files: sorted by name.
        findings: those about the whole upload.
        parts: a report for each entry of an archive with several; ``files`` then has those in no entry.
    """

    name: str
    task_set: str
    tasks: int
    description: Description
    files: tuple[FileReport, ...]
    findings: tuple[Finding, ...]
    parts: tuple[Report, ...] = ()

    @property
    def entries(self) -> tuple[Report, ...]:
        """The reports on single entries: the parts, or this one if there are none."""
        return self.parts or (self,)

    @property
    def attempts(self) -> tuple[FileReport, ...]:
        """The lines of attempts that can be recorded, without those in ``parts``."""
        return tuple(line for line in self.files if line.verdict is Verdict.USED and line.task_id)

    def count(self, severity: Severity) -> int:
        """Findings of this severity, over all files and parts."""
        return self._count_own(severity) + sum(part.count(severity) for part in self.parts)

    def _count_own(self, severity: Severity) -> int:
        own = sum(finding.severity is severity for finding in self.findings)
        return own + sum(line.count(severity) for line in self.files)

    @property
    def totals(self) -> dict[str, int]:
        """Counts of files by verdict, attempts, tasks and findings by severity; parts included."""
        own = self._own_totals
        return {key: own[key] + sum(part.totals[key] for part in self.parts) for key in own}

    @property
    def _own_totals(self) -> dict[str, int]:
        verdicts = Counter(line.verdict for line in self.files)
        return {
            "files": len({line.name for line in self.files}),
            "used": verdicts[Verdict.USED],
            "passed_over": verdicts[Verdict.PASSED_OVER],
            "refused": verdicts[Verdict.REFUSED],
            "attempts": len(self.attempts),
            "tasks_tried": len({line.task_id for line in self.attempts}),
            "tasks": self.tasks,
            **{f"{severity.value}s": self._count_own(severity) for severity in Severity},
        }

    def as_data(self) -> dict[str, JsonValue]:
        """The report's JSON, described in docs/submitting.md."""
        parts: dict[str, JsonValue] = {"parts": [part.as_data() for part in self.parts]} if self.parts else {}
        return {
            "version": VERSION,
            "name": self.name,
            "task_set": self.task_set,
            "description": self.description.as_data(),
            "missing": [] if self.parts else list(self.description.missing),
            "totals": self.totals,
            "findings": [finding_as_data(finding) for finding in self.findings],
            "files": [line.as_data() for line in self.files],
            **parts,
        }


def finding_as_data(finding: Finding) -> dict[str, Any]:
    """A finding in the report's JSON."""
    return {"severity": finding.severity.value, **asdict(finding.problem)}


class ReportBuilder:
    """Builds a report while attempts are read one by one.

    Args:
        name: the upload's name.
        survey: what was found; the caller adds each of its attempts.
        tasks: how many tasks its set has.
        description: of the entry.
        left_out: problems of unpacking.
    """

    def __init__(
        self,
        name: str,
        survey: Survey,
        *,
        tasks: int,
        description: Description,
        left_out: Iterable[Problem] = (),
    ) -> None:
        self._name = name
        self._survey = survey
        self._tasks = tasks
        self.description = description
        self._lines = [
            _line(other.name, other.size, other.verdict, other.sample, other.attempt, findings=other.findings)
            for other in survey.others
        ]
        self._lines.extend(
            FileReport(problem.file, 0, Verdict.REFUSED, findings=(error(problem),)) for problem in left_out
        )

    @property
    def attempts(self) -> tuple[FoundAttempt, ...]:
        """The attempts to add."""
        return self._survey.attempts

    def add(
        self, attempt: FoundAttempt, *, format_name: str = "", findings: tuple[Finding, ...] = ()
    ) -> FileReport:
        """Add a read attempt with its findings; an error among them refuses it."""
        refused = any(finding.severity is Severity.ERROR for finding in findings)
        verdict = Verdict.REFUSED if refused else Verdict.USED
        line = _line(
            attempt.name,
            attempt.size,
            verdict,
            attempt.sample,
            attempt,
            format_name=format_name,
            findings=findings,
        )
        self._lines.append(line)
        return line

    def report(self) -> Report:
        lines = sorted(self._lines, key=lambda line: (line.name, line.sample))
        return Report(
            self._name,
            self._survey.task_set,
            self._tasks,
            self.description,
            tuple(lines),
            self._survey.findings,
        )


def _line(
    name: str,
    size: int,
    verdict: Verdict,
    sample: str,
    attempt: FoundAttempt | None,
    *,
    findings: tuple[Finding, ...],
    format_name: str = "",
) -> FileReport:
    return FileReport(
        name=name,
        size=size,
        verdict=verdict,
        sample=sample,
        format=format_name,
        task_id=attempt.task_id if attempt else "",
        number=attempt.number if attempt else None,
        matched_by=attempt.matched_by.value if attempt else "",
        findings=findings,
    )
