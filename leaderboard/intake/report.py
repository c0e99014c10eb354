"""All that checking found, file by file, and as the JSON that people download."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from leaderboard.domain.errors import Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.intake.description import Description
from leaderboard.intake.findings import Finding, Severity, Verdict, error
from leaderboard.intake.found_files import FoundAttempt, Survey

VERSION = 1
"""Of the JSON; raised when a key changes its meaning or goes."""


@dataclass(frozen=True, slots=True)
class FileReport:
    """One line: a file, or one attempt of several in a file.

    Attributes:
        name: its path inside the upload.
        size: in bytes.
        verdict: what becomes of it.
        sample: which of the attempts in the file, empty where it is one.
        format: the trajectory's format, empty without one.
        task_id: of the task it was matched to, and ``number`` which attempt; empty and None for other files.
        matched_by: id, folder, name or metadata.
        findings: errors, warnings and notes, in order of their places.
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
        """As ``files`` of the report's JSON have it."""
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
    """What an upload holds and what is wrong with it.

    Attributes:
        name: the upload's name as its owner knows it.
        task_set: such as ``super/masked``; empty where nothing tells it.
        tasks: how many tasks the set has.
        description: of entry.yaml and the form together.
        files: by name.
        findings: what concerns all of it.
        parts: of an archive of several entries the reports on each; ``files`` are those in none of them then.
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
        """The reports on single entries: this one, or those on its parts."""
        return self.parts or (self,)

    @property
    def attempts(self) -> tuple[FileReport, ...]:
        """The lines that can be recorded, of this report alone."""
        return tuple(line for line in self.files if line.verdict is Verdict.USED and line.task_id)

    def count(self, severity: Severity) -> int:
        """Findings of this severity, over all files and parts."""
        return self._count_own(severity) + sum(part.count(severity) for part in self.parts)

    def _count_own(self, severity: Severity) -> int:
        own = sum(finding.severity is severity for finding in self.findings)
        return own + sum(line.count(severity) for line in self.files)

    @property
    def totals(self) -> dict[str, int]:
        """Numbers of files by verdict, attempts, tasks tried and in all, and findings by severity.

        Those of all parts together where there are any.
        """
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
        """The report as JSON has it; docs/submitting.md describes it."""
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
    """A finding as JSON has it."""
    problem = finding.problem
    return {
        "severity": finding.severity.value,
        "file": problem.file,
        "place": problem.place,
        "reason": problem.reason,
        "remedy": problem.remedy,
    }


class ReportBuilder:
    """Puts a report together while attempts are read one by one, wherever that happens.

    Args:
        name: the upload's name.
        survey: what was found; every attempt of it is to be added.
        tasks: how many tasks its set has.
        description: what is known about the entry.
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
        """All that are to be added."""
        return self._survey.attempts

    def add(
        self, attempt: FoundAttempt, *, format_name: str = "", findings: tuple[Finding, ...] = ()
    ) -> FileReport:
        """Add an attempt that was read, with what `examine` found; an error among that refuses it."""
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
