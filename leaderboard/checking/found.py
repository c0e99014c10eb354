"""What a survey found: attempts, and what is none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from leaderboard.checking.description import Description
from leaderboard.checking.findings import Finding, Verdict
from leaderboard.checking.matching import MatchedBy
from leaderboard.formats.answers import GivenAnswer
from leaderboard.formats.run_folder import AttemptFiles


@dataclass(frozen=True, slots=True)
class FoundAttempt:
    """One try at one task.

    Attributes:
        task_id: as the catalogue has it.
        number: which try, from 1.
        matched_by: what told the task.
        name: the path of its main file inside the folder; problems say it.
        size: of that file, in bytes.
        trajectory: None where there are scores only, or an answer.
        metrics: reported scores; ``metadata`` what else is told beside them.
        sample: which part of the trajectory file, empty for all of it: `formats.Sample.key`.
        is_answer: its file is known to hold answers without trajectories.
        answer: what a file of answers says beside the trajectory.
    """

    task_id: str
    number: int
    matched_by: MatchedBy
    name: str
    size: int = 0
    trajectory: Path | None = None
    metrics: Path | None = None
    metadata: Path | None = None
    sample: str = ""
    is_answer: bool = False
    answer: GivenAnswer | None = None

    @property
    def files(self) -> AttemptFiles:
        """As an import of a run's folder has it."""
        return AttemptFiles(
            self.task_id,
            str(PurePosixPath(self.name).parent),
            self.trajectory,
            self.metrics,
            self.metadata,
            self.sample,
            self.answer,
        )


@dataclass(frozen=True, slots=True)
class OtherFile:
    """A file, or a part of one, that is no attempt or can't be one.

    ``sample`` says which part; ``attempt`` is what it would have been, where that was told.
    """

    name: str
    size: int
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    sample: str = ""
    attempt: FoundAttempt | None = None


@dataclass(frozen=True, slots=True)
class Survey:
    """What a folder holds.

    Attributes:
        attempts: by task and number.
        others: every other file, in order of their names.
        task_set: the key of the set that the tasks were looked up in, such as ``super/masked``; empty where
            nothing tells it.
        description: of entry.yaml, or empty.
        findings: what concerns all of it.
    """

    attempts: tuple[FoundAttempt, ...]
    others: tuple[OtherFile, ...]
    task_set: str
    description: Description
    findings: tuple[Finding, ...] = ()
