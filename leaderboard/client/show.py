"""How reports and problems look in a terminal."""

from __future__ import annotations

import json
import sys
from typing import Final

from rich.console import Console
from rich.text import Text as RichText

from leaderboard.checking.findings import Finding, Severity, error
from leaderboard.checking.names import escaped
from leaderboard.checking.report import Report, finding_as_data
from leaderboard.domain.errors import Problem
from leaderboard.domain.texts import gettext as _
from leaderboard.domain.texts import ngettext

STYLES: Final = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}


def show_problem(problem: Problem, *, as_json: bool) -> None:
    """Print why nothing could be checked at all."""
    finding = error(problem)
    if as_json:
        sys.stdout.write(json.dumps({"findings": [finding_as_data(finding)]}, indent=1) + "\n")
    else:
        _show_finding(Console(stderr=True), finding)


def show_report(report: Report, *, notes: bool) -> None:
    """Print every error and warning, a line each, and what was found in all."""
    console = Console()
    for finding in (*report.findings, *(finding for line in report.files for finding in line.findings)):
        if notes or finding.severity is not Severity.NOTE:
            _show_finding(console, finding)
    totals = report.totals
    told = _(
        "{name}: {attempts} attempts, {tried} of {tasks} tasks of {set}",
        name=escaped(report.name),
        attempts=totals["attempts"],
        tried=totals["tasks_tried"],
        tasks=totals["tasks"],
        set=report.task_set or "?",
    )
    errors = ngettext("{n} error", "{n} errors", totals["errors"])
    warnings = ngettext("{n} warning", "{n} warnings", totals["warnings"])
    summary = _("{told}; {errors}, {warnings}", told=told, errors=errors, warnings=warnings)
    console.print(RichText(str(summary)), soft_wrap=True)
    if report.description.missing:
        missing = ", ".join(report.description.missing)
        hint = _("Still to be said when it is submitted, or in entry.yaml: {missing}", missing=missing)
        console.print(RichText(str(hint)), soft_wrap=True)


def _show_finding(console: Console, finding: Finding) -> None:
    # What stands in files may hold anything: neither rich's markup nor a terminal's codes must act.
    text = RichText(f"{finding.severity.value}: ", style=STYLES[finding.severity])
    text.append(escaped(str(finding.problem)), style="default")
    console.print(text, soft_wrap=True)
