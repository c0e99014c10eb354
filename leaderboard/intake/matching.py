"""Which task a file is about, and which attempt at it: by id, folder, file name, or what lies beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from leaderboard.domain.errors import InputError, Problem
from leaderboard.formats.documents import check_size
from leaderboard.formats.run_folder import read_metadata
from leaderboard.intake.known_tasks import Catalogue, normalised
from leaderboard.intake.layout import Candidate, numbered, without_trial


class MatchedBy(StrEnum):
    """What told the task: the file's own word for it, a folder's name, its name, or metadata.json."""

    ID = "id"
    FOLDER = "folder"
    NAME = "name"
    METADATA = "metadata"


@dataclass(frozen=True, slots=True)
class Match:
    """A task, what told it, and the attempt's number where something told that.

    ``is_trial``: its name says that it is one of several trials, and not which.
    """

    task_id: str
    matched_by: MatchedBy
    number: int | None = None
    is_trial: bool = False


class UnmatchedError(InputError):
    """No task, or several, are meant."""


def words_of(candidate: Candidate) -> Iterator[str]:
    """Every word that can be a task's id in a candidate's path."""
    for word in (*candidate.folders, candidate.stem):
        if word:
            yield word
            base, number = numbered(word)
            if number is not None and base:
                yield base
            if trial := without_trial(word):
                yield trial


def match_id(task_id: str, catalogue: Catalogue, key: str, *, file: str, place: str) -> Match:
    """The task that a file names itself.

    Raises:
        UnmatchedError: it is none of the set, or could be several.
    """
    found = _find(task_id, catalogue, key, file=file, place=place)
    if found is None:
        raise UnmatchedError(Problem(file, place, *_unknown(task_id, catalogue, key)))
    return Match(found, MatchedBy.ID)


def match_path(candidate: Candidate, catalogue: Catalogue, key: str, *, wrapping: int) -> Match:
    """The task that a candidate's place tells, and the attempt.

    Args:
        candidate: what to match.
        catalogue: knows the tasks.
        key: of the task set.
        wrapping: how many of the outermost folders hold everything, and so tell nothing of attempts.

    Raises:
        UnmatchedError: nothing tells a task, or could tell several.
    """
    words = (*candidate.folders, candidate.stem)
    file = candidate.main.name
    # The innermost folder first, the file's own name last.
    for index in (*reversed(range(len(candidate.folders))), len(candidate.folders)):
        word = words[index]
        by = MatchedBy.NAME if index == len(candidate.folders) else MatchedBy.FOLDER
        base, number = numbered(word)
        task = _find(word, catalogue, key, file=file, place="")
        if task is not None:
            return Match(task, by, _number(words, index, task, wrapping))
        task = _find(base, catalogue, key, file=file, place="") if base and number is not None else None
        if task is not None:
            return Match(task, by, number)
        task = _find(without_trial(word), catalogue, key, file=file, place="")
        if task is not None:
            return Match(task, by, is_trial=True)
    named = task_in_metadata(candidate)
    task = _find(named, catalogue, key, file=file, place="") if named else None
    if task is not None:
        return Match(task, MatchedBy.METADATA, _number(words, len(words), task, wrapping))
    told = named or candidate.stem or (candidate.folders[-1] if candidate.folders else "")
    raise UnmatchedError(Problem(file, "", *_unknown(told, catalogue, key)))


def task_in_metadata(candidate: Candidate) -> str:
    """The task that a metadata.json beside the trajectory names, or an empty string.

    Raises:
        UnmatchedError: it can't be read.
    """
    file = candidate.metadata
    if file is None:
        return ""
    try:
        check_size(file.size, name=file.name)
        return read_metadata(file.path.read_bytes(), name=file.name).task_id
    except InputError as error:
        raise UnmatchedError(error.problem) from None


def _find(word: str, catalogue: Catalogue, key: str, *, file: str, place: str) -> str | None:
    tasks = [task for _key, task in catalogue.find_tasks(word, (key,))] if word else []
    if len(tasks) > 1:
        reason = f"“{word[:100]}” can mean {', '.join(tasks)}"
        raise UnmatchedError(Problem(file, place, reason, "write the task's id exactly"))
    return tasks[0] if tasks else None


def _number(words: tuple[str, ...], matched: int, task_id: str, wrapping: int) -> int | None:
    """The attempt's number in the words around the one that told the task: inner ones first."""
    inner = words[matched + 1 :]
    outer = words[min(wrapping, matched) : matched]
    for word in (*reversed(inner), *reversed(outer)):
        base, number = numbered(word)
        if number is not None and normalised(base) in ("", normalised(task_id)):
            return number
    return None


def _unknown(word: str, catalogue: Catalogue, key: str) -> tuple[str, str]:
    """Reason and remedy where no task of the set is meant."""
    if not word:
        return (
            "nothing tells which task it is an attempt at",
            "put it into a folder named by the task's id",
        )
    reason = f"“{word[:100]}” is no task of {key}"
    elsewhere = catalogue.find_tasks(word, catalogue.sets)
    if elsewhere:
        return reason, f"it is a task of {elsewhere[0][0]}: upload it there"
    nearest = catalogue.nearest(word, (key,))
    if nearest:
        return reason, f"the nearest ids are {', '.join(nearest)}"
    return reason, "name its folder by the task's id"
