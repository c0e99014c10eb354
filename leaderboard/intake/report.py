"""The report of a check, file by file, and its JSON for download."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from leaderboard.domain.errors import Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.intake.description import Description
from leaderboard.intake.examine import examine_description
from leaderboard.intake.findings import FileReport, Finding, Severity, Verdict, error
from leaderboard.intake.found_files import FoundAttempt, Survey
from leaderboard.intake.known_tasks import KnownTasks
from leaderboard.intake.named_models import contradiction

VERSION = 1
"""Of the JSON; raised when a key changes its meaning or is removed."""


@dataclass(frozen=True, slots=True)
class Report:
    """What an upload contains and what is wrong with it.

    Attributes:
        name: the upload's name as its owner knows it.
        task_set: ``benchmark/set``; empty if unknown.
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

    @property
    def own_findings(self) -> tuple[Finding, ...]:
        """Those about the whole upload and about its files, without those in ``parts``."""
        return (*self.findings, *(finding for line in self.files for finding in line.findings))

    def count(self, severity: Severity) -> int:
        """Findings of this severity, over all files and parts."""
        own = sum(finding.severity is severity for finding in self.own_findings)
        return own + sum(part.count(severity) for part in self.parts)

    @property
    def totals(self) -> dict[str, int]:
        """Counts of files by verdict, attempts, tasks and findings by severity; parts included."""
        reports = (self, *self.parts)
        verdicts = Counter(line.verdict for report in reports for line in report.files)
        return {
            "files": sum(len({line.name for line in report.files}) for report in reports),
            "used": verdicts[Verdict.USED],
            "passed_over": verdicts[Verdict.PASSED_OVER],
            "refused": verdicts[Verdict.REFUSED],
            "attempts": sum(len(report.attempts) for report in reports),
            "tasks_tried": sum(len({line.task_id for line in report.attempts}) for report in reports),
            "tasks": sum(report.tasks for report in reports),
            **{f"{severity.value}s": self.count(severity) for severity in Severity},
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
            "findings": [finding.as_data() for finding in self.findings],
            "files": [line.as_data() for line in self.files],
            **parts,
        }


class ReportBuilder:
    """Builds a report while attempts are read one by one.

    The caller adds each of the attempts that were found. The task set that was found takes precedence over
    the one in the description. ``left_out`` has the problems of unpacking.
    """

    def __init__(
        self,
        found: Survey,
        *,
        name: str,
        known_tasks: KnownTasks,
        description: Description,
        left_out: Iterable[Problem] = (),
    ) -> None:
        benchmark, _slash, task_set = found.task_set.partition("/")
        if task_set:
            description = replace(description, benchmark=benchmark, task_set=task_set)
        self._models: Counter[str] = Counter()
        self.attempts = found.attempts
        self.description = description
        tasks = len(known_tasks.sets.get(found.task_set, ()))
        findings = (*found.findings, *examine_description(description, name=name))
        self._report = Report(name, found.task_set, tasks, description, (), findings)
        refused = (FileReport(problem.file, 0, Verdict.REFUSED, (error(problem),)) for problem in left_out)
        self._lines = [*found.others, *refused]

    def add(
        self,
        attempt: FoundAttempt,
        *,
        format_name: str = "",
        model: str = "",
        findings: tuple[Finding, ...] = (),
    ) -> None:
        """Add a read attempt with the model that its file names and its findings; an error refuses it."""
        self._models[model] += 1
        refused = any(finding.severity is Severity.ERROR for finding in findings)
        verdict = Verdict.REFUSED if refused else Verdict.USED
        self._lines.append(attempt.line(verdict, *findings, format_name=format_name))

    def note(self, finding: Finding | None) -> None:
        """Add a finding about the whole upload, if there is one."""
        if finding:
            self._report = replace(self._report, findings=(*self._report.findings, finding))

    def report(self) -> Report:
        lines = sorted(self._lines, key=lambda line: (line.name, line.sample))
        found = contradiction(self.description.model, self._models, name=self._report.name)
        findings = (*self._report.findings, found) if found else self._report.findings
        return replace(self._report, files=tuple(lines), findings=findings)
