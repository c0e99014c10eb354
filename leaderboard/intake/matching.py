"""Finds the task and attempt number of a file: by id, folder, file name, or the metadata.json beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.formats.run_folder import read_metadata
from leaderboard.intake.known_tasks import KnownTasks, normalised
from leaderboard.intake.layout import Candidate, split_number, without_trial


class MatchedBy(StrEnum):
    """How a task was found: an id inside the file, a folder's name, the file's name, or metadata.json."""

    ID = "id"
    FOLDER = "folder"
    NAME = "name"
    METADATA = "metadata"


@dataclass(frozen=True, slots=True)
class Match:
    """A task, how it was found, and the attempt's number if known.

    ``is_trial``: the name marks it as one of several trials, without a number.
    """

    task_id: str
    matched_by: MatchedBy
    number: int | None = None
    is_trial: bool = False

    def numbered(self, number: int | None) -> Match:
        """The match with the number that the file itself has, if it has one."""
        return self if number is None else replace(self, number=number, is_trial=False)


METADATA_BYTES: Final = 1 << 20
"""The largest metadata.json that is searched for a task."""


class UnmatchedError(InputError):
    """No task of the set matches, or several do."""


def words_of(candidate: Candidate) -> Iterator[str]:
    """Every word in a candidate's path that may be a task's id."""
    for word in (*candidate.folders, candidate.stem):
        if word:
            yield word
            base, number = split_number(word)
            if number is not None and base:
                yield base
            if trial := without_trial(word):
                yield trial


def match_id(task_id: str, known_tasks: KnownTasks, key: str, *, file: str, place: str) -> Match:
    """The task with the id that is inside a file.

    Raises:
        UnmatchedError: no task of the set matches, or several do.
    """
    found = _find(task_id, known_tasks=known_tasks, key=key, file=file, place=place)
    if found is None:
        raise UnmatchedError(Problem(file, place, *_unknown(task_id, known_tasks, key)))
    return Match(found, MatchedBy.ID)


def match_path(candidate: Candidate, known_tasks: KnownTasks, key: str, *, wrapping: int) -> Match:
    """The task and attempt number in a candidate's path, or the task in its metadata.json.

    ``wrapping`` is how many of the outermost folders contain all candidates: no attempt number is read there.

    Raises:
        UnmatchedError: no task of the set matches, or several do.
    """
    words = (*candidate.folders, candidate.stem)
    file = candidate.main.name
    find = partial(_find, known_tasks=known_tasks, key=key, file=file, place="")
    # The innermost folder first, the file's own name last.
    for index in (*reversed(range(len(candidate.folders))), len(candidate.folders)):
        word = words[index]
        by = MatchedBy.NAME if index == len(candidate.folders) else MatchedBy.FOLDER
        base, number = split_number(word)
        if task := find(word):
            return Match(task, by, _number(words, index, task, wrapping))
        if number is not None and (task := find(base)):
            return Match(task, by, number)
        if task := find(without_trial(word)):
            return Match(task, by, is_trial=True)
    named = task_in_metadata(candidate)
    if task := find(named):
        return Match(task, MatchedBy.METADATA, _number(words, len(words), task, wrapping))
    word = named or candidate.stem or (candidate.folders[-1] if candidate.folders else "")
    raise UnmatchedError(Problem(file, "", *_unknown(word, known_tasks, key)))


def task_in_metadata(candidate: Candidate) -> str:
    """The task that a metadata.json beside the trajectory names, or an empty string.

    Raises:
        UnmatchedError: it can't be read.
    """
    file = candidate.metadata
    if file is None:
        return ""
    try:
        if file.size > METADATA_BYTES:
            reason = f"it is larger than the limit of {METADATA_BYTES >> 20:,} MB"
            raise InputError(Problem(file.name, "", reason, "keep only the task and its arguments in it"))
        return read_metadata(file.path.read_bytes(), name=file.name).task_id
    except InputError as error:
        raise UnmatchedError(error.problem) from None


def _find(word: str, *, known_tasks: KnownTasks, key: str, file: str, place: str) -> str | None:
    tasks = [task for _key, task in known_tasks.find_tasks(word, (key,))] if word else []
    if len(tasks) > 1:
        reason = f"“{word[:100]}” may be any of {', '.join(tasks)}"
        raise UnmatchedError(Problem(file, place, reason, "write the task's id exactly"))
    return tasks[0] if tasks else None


def _number(words: tuple[str, ...], matched: int, task_id: str, wrapping: int) -> int | None:
    """The attempt's number in the words around the one that names the task, innermost first."""
    inner = words[matched + 1 :]
    outer = words[min(wrapping, matched) : matched]
    for word in (*reversed(inner), *reversed(outer)):
        base, number = split_number(word)
        if number is not None and normalised(base) in ("", normalised(task_id)):
            return number
    return None


def _unknown(word: str, known_tasks: KnownTasks, key: str) -> tuple[str, str]:
    """Reason and remedy if no task of the set matches."""
    if not word:
        return (
            "neither its path nor its content names a task",
            "put it into a folder named after the task's id",
        )
    reason = f"“{word[:100]}” is not a task of {key}"
    elsewhere = known_tasks.find_tasks(word, known_tasks.sets)
    if elsewhere:
        return reason, f"it is a task of {elsewhere[0][0]}: upload it there"
    nearest = known_tasks.nearest(word, (key,))
    if nearest:
        return reason, f"the nearest ids are {', '.join(nearest)}"
    return reason, "name its folder after the task's id"
