"""What a survey found: attempts, and other files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from leaderboard.formats.answers import GivenAnswer
from leaderboard.formats.bundles import Bundle
from leaderboard.formats.run_folder import AttemptFiles
from leaderboard.intake.findings import FileReport, Finding, Verdict
from leaderboard.intake.matching import MatchedBy
from leaderboard.scoring.contract import Metric

if TYPE_CHECKING:  # It takes long to import.
    from leaderboard.intake.description import Description


@dataclass(frozen=True, slots=True)
class FoundAttempt:
    """One attempt at one task.

    Attributes:
        task_id: as in the known_tasks.
        number: which attempt at the task, from 1.
        matched_by: how its task was found.
        name: the path of its main file inside the folder, which problems name.
        size: of that file, in bytes.
        trajectory: None if there are only scores, or an answer.
        metrics: reported scores; ``metadata`` is the file beside them with anything else.
        sample: which part of the trajectory file (`formats.Sample.key`); empty for all of it.
        counts_in_file: its file's numbers begin at 1 in each file (`formats.Sample`).
        is_answer: its file is known to hold answers without trajectories.
        answer: the answer from a file of answers beside the trajectory.
        known_metrics: what ``metrics`` may have scores in; any number if empty.
    """

    task_id: str
    number: int
    matched_by: MatchedBy
    name: str
    size: int = 0
    trajectory: Path | Bundle | None = None
    metrics: Path | None = None
    metadata: Path | None = None
    sample: str = ""
    counts_in_file: bool = False
    is_answer: bool = False
    answer: GivenAnswer | None = None
    known_metrics: tuple[Metric, ...] = ()

    @property
    def files(self) -> AttemptFiles:
        """The same files as an import of a run's folder describes them."""
        return AttemptFiles(
            self.task_id,
            str(PurePosixPath(self.name).parent),
            self.trajectory,
            self.metrics,
            self.metadata,
            self.sample,
            self.answer,
            self.number,
        )

    def line(self, verdict: Verdict, *findings: Finding, format_name: str = "") -> FileReport:
        """Its line in the report."""
        return FileReport(
            self.name,
            self.size,
            verdict,
            findings,
            self.sample,
            format_name,
            self.task_id,
            self.number,
            self.matched_by.value,
        )


@dataclass(frozen=True, slots=True)
class Survey:
    """What a folder contains.

    Attributes:
        attempts: by task and number.
        others: the report on every other file, sorted by name.
        task_set: the key of the task set that the tasks were looked up in, ``benchmark/set``; empty if
            unknown.
        description: from entry.yaml, or empty.
        findings: those about the whole folder.
    """

    attempts: tuple[FoundAttempt, ...]
    others: tuple[FileReport, ...]
    task_set: str
    description: Description
    findings: tuple[Finding, ...] = ()
