"""Reads tasks from a file or from the Hugging Face hub: SUPER's, or AutoExperiment's data points.

One bad record refuses the whole file; the error lists every problem.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.autoexperiment_tasks import data_point_of, is_data_point, level_in_name
from leaderboard.formats.documents import Notes, decode, empty, parse_json_text
from leaderboard.formats.shapes import as_object
from leaderboard.formats.task_records import task_of, task_place

_PARQUET: Final = b"PAR1"


@dataclass(frozen=True, slots=True)
class TaskFile:
    """The tasks of one source, each with the slug of its set, in the source's order.

    ``level`` is the number of masked functions in each, if they are data points of AutoExperiment; where
    nothing names their set, its slug is empty, and it is the benchmark's set of that level.
    """

    tasks: tuple[tuple[str, TaskSpec], ...]
    warnings: tuple[Problem, ...] = ()
    level: int | None = None


_Record = tuple[str, JsonValue, str | None]
"""The place of a record in its file, the record, and its set if known."""


def read_tasks(path: Path, *, sets: Collection[str] = (), set_name: str | None = None) -> TaskFile:
    """Read a file of tasks: Parquet, JSON lines or a JSON list, detected by content.

    Args:
        path: the file.
        sets: the slugs of the task sets that names may say.
        set_name: the set of all its tasks; if None, it is taken from the file's name (``Expert.jsonl``), else
            from each record's ``set`` or ``split``, else from the folder's name. Data points of
            AutoExperiment are of the set of their level, whatever names say.

    Raises:
        InputError: with every problem of the file.
    """
    name = path.name
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = f"the file can't be read: {error.strerror}"
        raise InputError(Problem(name, "", reason, "check its path and permissions")) from None
    known_set = set_name or _set_in(path.stem, sets)
    folder_set = _set_in(path.parent.name, sets)
    problems: list[Problem] = []
    records = [
        (place, fields, known_set or _set_of(fields, sets) or folder_set)
        for place, fields in _records(data, name=name, problems=problems)
    ]
    if any(is_data_point(fields) for _place, fields, _set in records):
        return _level_file(records, name=name, stem=path.stem, set_name=set_name, problems=problems)
    return _task_file(records, name=name, problems=problems)


def read_hub(
    dataset: str, *, sets: Collection[str], set_name: str | None = None, datasets: Any = None
) -> TaskFile:
    """Read a public dataset with the optional ``datasets`` library: its configs or its splits are task sets.

    Args:
        dataset: its name on the hub, such as ``allenai/super``.
        sets: the slugs of the task sets that its configs, splits and records may say.
        set_name: the set of all its tasks, if there is only one.
        datasets: replaces the library in tests.

    Raises:
        InputError: the library is not installed, or the dataset can't be downloaded or read.
    """
    records: list[_Record] = []
    try:
        library = datasets or importlib.import_module("datasets")
        for config in library.get_dataset_config_names(dataset):
            for split, rows in library.load_dataset(dataset, config).items():
                slug = set_name or _set_in(config, sets) or _set_in(split, sets)
                records += [
                    (f"{config}/{split}, row {number}", row, slug or _set_of(row, sets))
                    for number, row in enumerate(rows, start=1)
                ]
    except ModuleNotFoundError:
        reason, remedy = "the datasets library is not installed", "pip install superboard[hub]"
        raise InputError(Problem(dataset, "", reason, remedy)) from None
    except (OSError, ValueError) as error:
        reason = f"the dataset could not be downloaded: {str(error)[:200]}"
        remedy = "check the network, or import files instead"
        raise InputError(Problem(dataset, "", reason, remedy)) from None
    return _task_file(records, name=dataset, problems=[])


def _task_file(records: Iterable[_Record], *, name: str, problems: list[Problem]) -> TaskFile:
    tasks: list[tuple[str, TaskSpec]] = []
    places: dict[tuple[str, str], str] = {}
    notes = Notes(name)
    for record_place, fields, set_name in records:
        try:
            task = task_of(fields, set_name=set_name, place=record_place, notes=notes)
        except InputError as error:
            problems += error.problems
            continue
        place = task_place(record_place, task.task_id)
        if set_name is None:
            problems.append(Problem(name, place, "the task's set is unknown", "give --set"))
            continue
        problems += _again(places, (set_name, task.task_id), record_place, name=name)
        tasks.append((set_name, task))
    if not tasks and not problems:
        problems.append(Problem(name, "", "there is no task in it", "give a file of tasks"))
    if problems:
        raise InputError(*problems)
    return TaskFile(tasks=tuple(tasks), warnings=notes.all())


def _level_file(
    records: Iterable[_Record], *, name: str, stem: str, set_name: str | None, problems: list[Problem]
) -> TaskFile:
    """The data points of a file, which are all of one level: a level is a task set."""
    tasks: list[tuple[str, TaskSpec]] = []
    places: dict[tuple[str, str], str] = {}
    notes = Notes(name)
    level, known_from = level_in_name(stem), "the file's name"
    for record_place, fields, _set in records:
        try:
            point = data_point_of(as_object(fields), place=record_place, notes=notes)
        except InputError as error:
            problems += error.problems
            continue
        if level is None:
            level, known_from = point.level, record_place
        if point.level != level:
            reason = f"it masks {point.level:,} functions, and by {known_from} the level is {level:,}"
            problems.append(Problem(name, f"{record_place}, func_ids", reason, "write a file for each level"))
        slug = set_name or ""
        problems += _again(places, (slug, point.task.task_id), record_place, name=name)
        tasks.append((slug, point.task))
    if problems:
        raise InputError(*problems)
    return TaskFile(tasks=tuple(tasks), warnings=notes.all(), level=level)


def _again(
    places: dict[tuple[str, str], str], task: tuple[str, str], place: str, *, name: str
) -> Iterator[Problem]:
    """A problem if a task was in the file before; ``places`` has where each was."""
    first = places.setdefault(task, place)
    if first != place:
        reason = f"the task is already in the file, at {first}"
        yield Problem(name, task_place(place, task[1]), reason, "remove one of them")


def _records(data: bytes, *, name: str, problems: list[Problem]) -> Iterator[tuple[str, JsonValue]]:
    """Each record with its place; problems of the file or its lines are added to ``problems``."""
    try:
        if not data:
            raise InputError(empty(name))
        if data.startswith(_PARQUET):
            for number, row in enumerate(_parquet(data, name=name), start=1):
                yield f"row {number}", row
            return
        text = decode(data, name=name)
        if text.lstrip().startswith("["):
            rows = parse_json_text(text, name=name)
            yield from ((f"$[{index}]", row) for index, row in enumerate(rows))
            return
    except InputError as error:
        problems.append(error.problem)
        return
    # Not splitlines(): JSON strings may contain Unicode's other line ends.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield f"line {number}", parse_json_text(line, name=name, first_line=number)
        except InputError as error:
            problems.append(error.problem)


def _parquet(data: bytes, *, name: str) -> list[dict[str, JsonValue]]:
    try:
        pa, pq = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ModuleNotFoundError:
        reason = "reading Parquet files needs the pyarrow library, which is not installed"
        remedy = "pip install superboard[parquet]"
        raise InputError(Problem(name, "", reason, remedy)) from None
    try:
        rows: list[dict[str, JsonValue]] = pq.read_table(pa.BufferReader(data)).to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = f"not a readable Parquet file: {str(error)[:200]}"
        raise InputError(Problem(name, "", reason, "download or write it again")) from None
    return rows


def _set_of(fields: JsonValue, sets: Collection[str]) -> str | None:
    """The set that a record names."""
    named = (as_object(fields).get(key) for key in ("set", "split"))
    return next((slug for text in named if isinstance(text, str) and (slug := _set_in(text, sets))), None)


def _set_in(text: str, sets: Collection[str]) -> str | None:
    """The set whose slug is a word in ``text``; None if there is none, or several."""
    found = [slug for slug in sets if _is_word(slug, text.lower())]
    # Of “n1” and “n1-hard”, the longer one is meant where both are seen.
    longest = max(found, key=len, default=None)
    return longest if longest and all(slug in longest for slug in found) else None


def _is_word(slug: str, text: str) -> bool:
    # A digit ends a word of letters, as in “masked2.jsonl”.
    before, after = ("[a-z0-9]" if edge.isdigit() else "[a-z]" for edge in (slug[0], slug[-1]))
    return re.search(f"(?<!{before}){re.escape(slug)}(?!{after})", text) is not None
