"""`superboard diagnose`: why attempts failed, from their files alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text as RichText

from leaderboard import formats
from leaderboard.client.ending import Exit, exit_on_errors, write_json
from leaderboard.client.show import show_findings
from leaderboard.client.validate import MaxTrajectory
from leaderboard.diagnosis import Diagnosis, Finding
from leaderboard.diagnosis import diagnose as diagnose_trajectory
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.masking import Masking
from leaderboard.domain.trajectory import Trajectory
from leaderboard.formats.bundles import Bundle
from leaderboard.formats.documents import read_file
from leaderboard.intake.groups import join_groups
from leaderboard.intake.layout import list_files
from leaderboard.intake.member_names import escaped

MEGABYTE = 1 << 20
NOTHING_TOLD = "Its steps do not tell why it failed, if it did."


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """One attempt: its file, the key of its sample in a file with several, and what its diagnosis says."""

    file: str
    sample: str
    trajectory: Trajectory
    diagnosis: Diagnosis

    def as_data(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "sample": self.sample,
            "format": self.trajectory.format,
            "ending": self.trajectory.shown_ending,
            "steps": len(self.trajectory.steps),
            **self.diagnosis.as_data(),
        }


def diagnose(
    paths: Annotated[
        list[Path],
        typer.Argument(
            exists=True, help="Files of attempts in any known format, or folders with such files."
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the diagnoses as JSON.")] = False,
    max_trajectory_mb: MaxTrajectory = 100,
) -> None:
    """Say why attempts failed, most important reason first, with steps and evidence.

    It needs no site and no task: what the right answer is, is not known here, so that an attempt that
    succeeded may have findings too. Exit codes: 0 all files were read, 1 some can't be read, 2 the command
    was called wrongly.
    """
    with exit_on_errors(as_json=as_json):
        attempts: list[Diagnosed] = []
        problems: list[Problem] = []
        for each in _attempts(paths, max_trajectory_mb * MEGABYTE):
            if isinstance(each, Problem):
                problems.append(each)
                continue
            attempts.append(each)
            if not as_json:
                _show(each)
        if as_json:
            write_json(
                {
                    "attempts": [attempt.as_data() for attempt in attempts],
                    "problems": [problem.as_data() for problem in problems],
                }
            )
        show_findings([("error", problem) for problem in problems])
        raise typer.Exit(Exit.PROBLEMS if problems or not attempts else Exit.DONE)


def _attempts(paths: Sequence[Path], max_bytes: int) -> Iterator[Diagnosed | Problem]:
    """Every attempt in files and folders; of folders, files that are no trajectories are left out."""
    for path in paths:
        if not path.is_dir():
            yield from _attempts_in(path, str(path), max_bytes)
            continue
        found = 0
        grouped = join_groups(list_files(path), name=path.name)
        bundles = (candidate.main for candidate in grouped.candidates)
        for file in sorted((*grouped.files, *bundles), key=lambda each: each.name):
            for each in _attempts_in(file.source, str(path / file.name), max_bytes):
                if isinstance(each, Diagnosed):
                    found += 1
                    yield each
        if not found:
            yield Problem(str(path), "", "no file in it is a trajectory in a known format")


def _attempts_in(file: Path | Bundle, name: str, max_bytes: int) -> Iterator[Diagnosed | Problem]:
    try:
        data = read_file(file, name=name, max_bytes=max_bytes)
        opened = formats.open_file(data, name=name, max_bytes=max_bytes)
        for sample in opened.samples:
            trajectory = Masking().trajectory(opened.read(sample.key))
            if trajectory.steps:
                yield Diagnosed(name, sample.key, trajectory, diagnose_trajectory(trajectory))
    except InputError as refused:
        yield refused.problem


def _show(attempt: Diagnosed) -> None:
    console = Console()
    title = f"{attempt.file} {attempt.sample}".rstrip()
    console.print(RichText(escaped(title), style="bold"), soft_wrap=True)
    if not attempt.diagnosis.findings:
        console.print(RichText(f"  {NOTHING_TOLD}"), soft_wrap=True)
    for number, finding in enumerate(attempt.diagnosis.findings, start=1):
        _show_finding(console, f"  {number}. ", finding, f"{finding.kind}, {finding.confidence} confidence")
    for fact in attempt.diagnosis.facts:
        _show_finding(console, "  - ", fact, "")


def _show_finding(console: Console, bullet: str, finding: Finding, note: str) -> None:
    # Text of the agent is untrusted: RichText shows markup as text, and escaped() disables terminal codes.
    notes = ", ".join(filter(None, (f"step {finding.step}" if finding.step else "", note)))
    text = RichText(f"{bullet}{escaped(finding.sentence)}")
    text.append(f" ({notes})" if notes else "", style="dim")
    console.print(text, soft_wrap=True)
    if finding.evidence:
        console.print(RichText(f"       {escaped(finding.evidence)}", style="dim"), soft_wrap=True)
