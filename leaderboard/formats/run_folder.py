"""A run in the layout of SUPER's authors: a folder per task with trajectory, scores and arguments."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.answers import GivenAnswer
from leaderboard.formats.bundles import Bundle
from leaderboard.formats.documents import as_number, check_size, describe, kind_of_json, parse_json
from leaderboard.formats.shapes import as_object
from leaderboard.scoring.contract import Metric

TRAJECTORY_NAMES: Final = ("history.json", "history.ipynb")
"""The trajectory's file name; of both, the first is read, because it contains more."""

METRICS_NAME: Final = "metrics.json"
METADATA_NAME: Final = "metadata.json"

_GIVE_THE_RUN: Final = "give the folder that contains one folder per task"
_CHECK_PERMISSIONS: Final = "check its permissions"


@dataclass(frozen=True, slots=True)
class AttemptFiles:
    """The files of one attempt; it always has a trajectory or metrics.

    ``name`` is the task folder's path inside the run's folder, with ``/``; ``sample`` is the attempt's key in
    a trajectory file with several; ``answer`` is from a file of answers beside it. ``number`` is which try at
    the task it is.
    """

    task_id: str
    name: str
    trajectory: Path | Bundle | None = None
    metrics: Path | None = None
    metadata: Path | None = None
    sample: str = ""
    answer: GivenAnswer | None = None
    number: int = 1

    def shown(self, path: Path | Bundle) -> str:
        """The name of one of the files for messages."""
        return _shown(path.name) if self.name in ("", ".") else f"{self.name}/{_shown(path.name)}"


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The content of a run's folder: the attempts, sorted by task id, and problems of other folders."""

    attempts: tuple[AttemptFiles, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Metadata:
    """The content of ``metadata.json``: the task's id (may be empty) and the run's arguments."""

    task_id: str
    args: dict[str, JsonValue]


def scan_run(root: Path) -> RunFolder:
    """Find the attempts in a run's folder; no trajectory is read.

    Folders whose name starts with a dot, and files beside the task folders, are ignored.

    Raises:
        InputError: there is no such folder, or no task folder in it.
    """
    label = _shown(root.name or root.resolve().name)
    if not root.is_dir():
        reason = "not a folder" if root.exists() else "there is no such folder"
        raise InputError(Problem(label, "", reason, _GIVE_THE_RUN))
    real_root = root.resolve()
    attempts: list[AttemptFiles] = []
    problems: list[Problem] = []
    for folder in _folders(root, label=label):
        try:
            attempts.append(_attempt(folder, real_root))
        except InputError as error:
            problems.append(error.problem)
    if not attempts and not problems:
        raise InputError(Problem(label, "", "there is no task folder in it", _GIVE_THE_RUN))
    unique, duplicates = _without_duplicates(attempts)
    return RunFolder(attempts=unique, problems=(*problems, *duplicates))


def read_metrics(data: bytes, *, name: str, known: Collection[Metric]) -> dict[str, float | None]:
    """The scores of the ``known`` metrics in a ``metrics.json``, by the metric's own key.

    Null is None, and a missing key stays missing. Where no metric is known, every number is taken.

    Raises:
        InputError: there is no score, or one is not a number in its metric's range; the problem names its
        key.
    """
    document = _object(data, name=name)
    by_key = {metric.reported_as or metric.key: metric for metric in known or _any_metrics(document)}
    scores = {
        metric.key: _reported(document[key], metric, f"$.{key}", name)
        for key, metric in by_key.items()
        if key in document
    }
    if not scores:
        reason, keys = "there is no score in it", ", ".join(by_key)
        raise InputError(
            Problem(name, "", reason, f"the keys are {keys}; leave the file out if there is none")
        )
    return scores


def _any_metrics(document: Mapping[str, JsonValue]) -> list[Metric]:
    numbers = (key for key, value in document.items() if value is None or as_number(value) is not None)
    return [Metric(key=key, label=key, about="", lowest=None, highest=None) for key in numbers]


def _reported(value: JsonValue, metric: Metric, place: str, name: str) -> float | None:
    number = as_number(value)
    if value is None or (number is not None and metric.allows(number)):
        return number
    reason = f"the score is {_score_text(value)}, not a number{metric.range_text}"
    raise InputError(Problem(name, place, reason, "write null if there is no score"))


def _score_text(value: JsonValue) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return kind_of_json(value)
    try:
        return f"{value:.6g}"
    except OverflowError:
        return "a number beyond all floats"


def read_metadata(data: bytes, *, name: str) -> Metadata:
    """The task and the arguments in a ``metadata.json``; the task is an id, or an object with a ``task_id``.

    Raises:
        InputError: the file is not a JSON object, or its task is neither.
    """
    document = _object(data, name=name)
    task, place = document.get("task"), "$.task"
    if isinstance(task, dict):
        task, place = task.get("task_id"), "$.task.task_id"
    if task is not None and not isinstance(task, str):
        reason = f"the task is {kind_of_json(task)}, not a task's id"
        raise InputError(Problem(name, place, reason, "write the task's id as a string"))
    return Metadata(task_id=task or "", args=as_object(document.get("args")))


def _object(data: bytes, *, name: str) -> dict[str, JsonValue]:
    document = parse_json(data, name=name)
    if not isinstance(document, dict):
        reason = f"it is {describe(document)}, not an object"
        raise InputError(Problem(name, "", reason, "write a JSON object"))
    return document


def _folders(root: Path, *, label: str) -> list[Path]:
    try:
        return sorted(path for path in root.iterdir() if path.is_dir() and not path.name.startswith("."))
    except OSError as error:
        reason = f"the folder can't be listed: {error.strerror}"
        raise InputError(Problem(label, "", reason, _CHECK_PERMISSIONS)) from None


def _attempt(folder: Path, real_root: Path) -> AttemptFiles:
    name = _shown(folder.name)
    if name != folder.name:
        reason = "the folder's name is not UTF-8"
        raise InputError(Problem(name, "", reason, "rename it to the task's id"))
    _check_inside(folder, real_root, name=name)
    trajectory = _file(folder, TRAJECTORY_NAMES, real_root)
    metrics = _file(folder, (METRICS_NAME,), real_root)
    metadata = _file(folder, (METADATA_NAME,), real_root)
    if trajectory is None and metrics is None:
        first, second = TRAJECTORY_NAMES
        reason = f"there is no {first}, {second} or {METRICS_NAME} in the folder"
        raise InputError(Problem(name, "", reason, "add one of them, or remove the folder"))
    return AttemptFiles(
        task_id=_named_task(metadata, name=f"{name}/{METADATA_NAME}") or name,
        name=name,
        trajectory=trajectory,
        metrics=metrics,
        metadata=metadata,
    )


def _file(folder: Path, names: tuple[str, ...], real_root: Path) -> Path | None:
    """The first of these files that exists."""
    for name in names:
        path = folder / name
        if path.is_file() or path.is_symlink():
            _check_inside(path, real_root, name=f"{folder.name}/{name}")
            if path.is_file():
                return path
    return None


def _check_inside(path: Path, real_root: Path, *, name: str) -> None:
    """Refuse a link out of the run's folder: it would publish a file of this machine."""
    try:
        inside = path.resolve().is_relative_to(real_root)
    except (OSError, RuntimeError):
        # A loop of links.
        inside = False
    if not inside:
        reason = "a symbolic link that leads out of the run's folder"
        raise InputError(Problem(name, "", reason, "replace it with the file itself"))


def _named_task(metadata: Path | None, *, name: str) -> str:
    if metadata is None:
        return ""
    try:
        check_size(metadata.stat().st_size, name=name)
        data = metadata.read_bytes()
    except OSError as error:
        reason = f"the file can't be read: {error.strerror}"
        raise InputError(Problem(name, "", reason, _CHECK_PERMISSIONS)) from None
    return read_metadata(data, name=name).task_id


def _without_duplicates(attempts: list[AttemptFiles]) -> tuple[tuple[AttemptFiles, ...], list[Problem]]:
    """The attempts with a unique task, sorted by task id, and a problem for each task with several."""
    by_task: defaultdict[str, list[AttemptFiles]] = defaultdict(list)
    for attempt in attempts:
        by_task[attempt.task_id].append(attempt)
    unique, problems = [], []
    for task_id, same_task in sorted(by_task.items()):
        if len(same_task) == 1:
            unique.append(same_task[0])
            continue
        others = ", ".join(attempt.name for attempt in same_task[1:])
        # None is used: only the submitter knows which one is right.
        reason = f"this folder and {others} are both attempts at the task {task_id}"
        problems.append(Problem(same_task[0].name, "", reason, "keep one of them"))
    return tuple(unique), problems


def _shown(name: str) -> str:
    """A file's name, safe to print and store: bytes that are not UTF-8 become escapes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
