"""What each file in a folder may be, judged by its name and folder only."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from leaderboard.formats.bundles import Bundle
from leaderboard.formats.run_folder import METADATA_NAME, METRICS_NAME, TRAJECTORY_NAMES
from leaderboard.intake.findings import FileReport, Finding, Verdict
from leaderboard.intake.member_names import escaped, is_left_by_system

DESCRIPTION_NAMES: Final = ("entry.yaml", "entry.yml", "entry.json")

ANSWERS_NAMES: Final = ("answers.json", "answers.jsonl")

BUNDLE_SUFFIX: Final = ".zip"
_RESULT_SUFFIXES: Final = (
    *(".traj.json", ".trajectory.json", ".traj", ".eval", ".ipynb", ".jsonl", ".json", BUNDLE_SUFFIX),
)
# Inspect's logs, JSON Lines, HAL's uploads.
_SEVERAL_SUFFIXES: Final = (".eval", ".jsonl", "_upload.json")
# Names for the trajectory of a folder, which do not name the task.
_GENERIC_NAMES: Final = (*TRAJECTORY_NAMES, "trajectory.json", "output.jsonl", "trajectory.traj")
_GENERIC_STEMS: Final = frozenset({
    *("history", "trajectory", "output", "traj", "log", "result", "results", "events", "base_state"),
})  # fmt: skip
# Files that tools write beside trajectories.
_NOT_RESULTS: Final = frozenset({
    METRICS_NAME, METADATA_NAME, "preds.json", "predictions.json", "config.json", "args.json", "report.json",
    "result.json", "results.json", "lock.json", "reward.json", "eval.json", "summary.json", "logs.json",
    "package.json",
})  # fmt: skip
_TRY: Final = r"(?:(?:attempt|run|try|trial|sample|seed|epoch|rollout|rep|repeat|pass)[._ -]*)?([0-9]{1,3})"
_NUMBER_ALONE: Final = re.compile(_TRY, re.IGNORECASE)
_TRIAL: Final = re.compile(r"(.+)__[A-Za-z0-9]{5,10}")
_NUMBERED: Final = re.compile(rf"(.+?)[._ -]+{_TRY}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file below the folder; ``name`` is its path inside the folder, escaped for display.

    ``bundle`` is what is read in its place where it stands for several files, whose folder it is named for.
    """

    path: Path
    name: str
    size: int
    is_link: bool = False
    bundle: Bundle | None = None

    @property
    def source(self) -> Path | Bundle:
        """What to read."""
        return self.bundle or self.path

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(self.name.split("/"))

    def line(self, verdict: Verdict, *findings: Finding, sample: str = "") -> FileReport:
        """Its line in the report, as a file that isn't an attempt or was refused."""
        return FileReport(self.name, self.size, verdict, findings, sample)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Files that may be one attempt, or a file that may contain several.

    Attributes:
        file: the trajectory; None if there are only scores.
        metrics: reported scores beside it; ``metadata`` is metadata.json.
        folders: the names of the folders it is in, outermost first.
        stem: its name without suffix; empty for a generic name (``history``).
    """

    file: ListedFile | None
    metrics: ListedFile | None
    metadata: ListedFile | None
    folders: tuple[str, ...]
    stem: str

    @property
    def main(self) -> ListedFile:
        """The file that problems name."""
        main = self.file or self.metrics
        assert main is not None  # noqa: S101 - every candidate has one of them
        return main


def list_files(folder: Path) -> Iterator[ListedFile]:
    """Every file below a folder, sorted by name, without files that an operating system or git created."""
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_left_by_system((name,)))
        for name in sorted(names):
            path = Path(here, name)
            if not is_left_by_system((name,)):
                size = path.lstat().st_size
                inside = escaped(path.relative_to(folder).as_posix())
                yield ListedFile(path, inside, size, is_link=not path.is_file() or path.is_symlink())


def is_result_name(name: str) -> bool:
    """Whether a file with this name can contain results."""
    lower = name.lower()
    return lower.endswith(_RESULT_SUFFIXES) and lower not in _NOT_RESULTS


def can_hold_several(name: str) -> bool:
    """Whether a file with this name can contain several attempts, each with its task's id."""
    return name.lower().endswith(_SEVERAL_SUFFIXES) or is_answers_name(name)


def is_answers_name(name: str) -> bool:
    return name.rsplit("/", 1)[-1].lower() in ANSWERS_NAMES


def candidates_in(files: list[ListedFile]) -> list[Candidate]:
    """The candidates among the files of one folder; answers beside trajectories are separate candidates."""
    answers = [file for file in files if is_answers_name(file.name)]
    rest = [file for file in files if file not in answers]
    found = _candidates_among(rest) if rest else []
    if not rest and not answers:
        return []
    if not any(candidate.file for candidate in found):
        return _candidates_among(files)
    return found + [Candidate(file, None, None, file.parts[:-1], stem_of(file.parts[-1])) for file in answers]


def _candidates_among(files: list[ListedFile]) -> list[Candidate]:
    by_name = {file.parts[-1]: file for file in files}
    folders = files[0].parts[:-1]
    metrics, metadata = by_name.get(METRICS_NAME), by_name.get(METADATA_NAME)
    generic = next((by_name[name] for name in _GENERIC_NAMES if name in by_name), None)
    if generic:
        return [Candidate(generic, metrics, metadata, folders, "")]
    found = [file for file in files if is_result_name(file.parts[-1])]
    if not found and metrics:
        return [Candidate(None, metrics, metadata, folders, "")]
    if len(found) == 1:
        return [Candidate(found[0], metrics, metadata, folders, stem_of(found[0].parts[-1]))]
    return [Candidate(file, None, None, folders, stem_of(file.parts[-1])) for file in found]


def stem_of(name: str) -> str:
    """A file's name without the suffix of its format; empty for a generic name."""
    lower = name.lower()
    suffix = next((suffix for suffix in _RESULT_SUFFIXES if lower.endswith(suffix)), "")
    stem = name[: len(name) - len(suffix)]
    return "" if stem.lower() in _GENERIC_STEMS else stem


def without_trial(word: str) -> str:
    """A name without a random trial suffix (``task`` for ``task__k3Fz9aQ``); empty if it has none."""
    match = _TRIAL.fullmatch(word)
    return match[1] if match else ""


def split_number(word: str) -> tuple[str, int | None]:
    """A name split into base and attempt number: ``("task", 2)`` for ``task__2``; None without a number."""
    if alone := _NUMBER_ALONE.fullmatch(word):
        return "", int(alone[1])
    if match := _NUMBERED.fullmatch(word):
        return match[1], int(match[2])
    return word, None
