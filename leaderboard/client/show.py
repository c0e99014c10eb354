"""Prints reports, problems, tables and progress in a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text as RichText

from leaderboard.domain.errors import Problem
from leaderboard.domain.text import plural
from leaderboard.intake.findings import Finding, Severity, error
from leaderboard.intake.member_names import escaped

if TYPE_CHECKING:  # What a report is made of takes long to import.
    from leaderboard.intake.report import Report

STYLES: Final = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}


def show_problem(problem: Problem, *, as_json: bool) -> None:
    """Print the problem that made a check impossible."""
    finding = error(problem)
    if as_json:
        sys.stdout.write(json.dumps({"findings": [finding.as_data()]}, indent=1) + "\n")
    else:
        _show_finding(Console(stderr=True), finding)


def show_report(report: Report, *, notes: bool) -> None:
    """Print every error and warning, one per line, and a summary; for each entry separately."""
    for part in report.parts:
        show_report(part, notes=notes)
    console = Console()
    for finding in report.own_findings:
        if notes or finding.severity is not Severity.NOTE:
            _show_finding(console, finding)
    totals = report.totals
    counts = f"{escaped(report.name)}: "
    if report.parts:
        counts += f"{len(report.parts):,} entries, {totals['attempts']:,} attempts"
    else:
        tasks = f"{totals['tasks_tried']:,} of {totals['tasks']:,} tasks of {report.task_set or '?'}"
        counts += f"{totals['attempts']:,} attempts, {tasks}"
    errors = plural(totals["errors"], "{n} error", "{n} errors")
    warnings = plural(totals["warnings"], "{n} warning", "{n} warnings")
    console.print(RichText(f"{counts}; {errors}, {warnings}"), soft_wrap=True)
    if not report.parts and report.description.missing:
        missing = ", ".join(report.description.missing)
        hint = f"Still missing: {missing} (give it in entry.yaml, or when you submit)"
        console.print(RichText(hint), soft_wrap=True)


def show_findings(findings: Iterable[tuple[str, Problem]]) -> None:
    """Print (severity, problem) pairs to standard error."""
    console = Console(stderr=True)
    for severity, problem in findings:
        _show_finding(console, Finding(Severity(severity), problem))


def show_table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, figures: Collection[int] = ()) -> None:
    """Print a table, or tab-separated cells if output is no terminal; ``figures`` columns align right."""
    console = Console()
    if not console.is_terminal:
        for row in (heads, *rows):
            sys.stdout.write("\t".join(escaped(cell).replace("\t", " ") for cell in row) + "\n")
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for number, head in enumerate(heads):
        table.add_column(head, justify="right" if number in figures else "left")
    for row in rows:
        # Names are untrusted: RichText shows markup as text, and escaped() disables terminal codes.
        table.add_row(*(RichText(escaped(cell)) for cell in row))
    console.print(table)


def say(text: str) -> None:
    """Print a message for people, to standard error; standard output is for programs."""
    Console(stderr=True).print(RichText(escaped(text)), soft_wrap=True)


@contextmanager
def bars() -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Progress bars on standard error, one per phase; none if it is not a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:

        def begin(label: str) -> Callable[[int, int], None]:
            task = progress.add_task(label, total=None)
            return lambda done, total: progress.update(task, completed=done, total=total)

        yield begin


def _show_finding(console: Console, finding: Finding) -> None:
    # File content is untrusted: RichText shows markup as text, and escaped() disables terminal codes.
    text = RichText(f"{finding.severity.value}: ", style=STYLES[finding.severity])
    text.append(escaped(str(finding.problem)), style="default")
    console.print(text, soft_wrap=True)
