"""Answers without trajectories: ``{task_id, answer}``, with ``attempt`` if there are several per task.

One object, a JSON list of them, or JSON Lines. Each is read as a trajectory without steps; `read_answers`
reads all answers in a file and reports every invalid one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import Ending, JsonValue, Trajectory
from leaderboard.formats.documents import MAX_BYTES, Notes, kind_of_json, note_non_finite
from leaderboard.formats.opening import Content, Lines, describe_content, open_content
from leaderboard.formats.samples import attempt_fault
from leaderboard.formats.shapes import expect

NAME: Final = "answers"
PRIORITY: Final = -20
"""After all trajectories: they may name their task and have an answer, too."""

MAX_PROBLEMS: Final = 50
"""How many invalid answers of one file are listed."""

_STEPS: Final = frozenset({"history", "trajectory", "messages", "steps", "events", "cells", "samples"})
_WANTED: Final = "write each answer as an object with task_id and answer"


@dataclass(frozen=True, slots=True)
class Answer:
    """One task's answer; ``attempt`` counts from 1, None if the file has no number."""

    task_id: str
    attempt: int | None
    answer: JsonValue
    place: str


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer, as JSON ``text``, from a file of answers beside a trajectory.

    ``task_id`` is as in the task set; ``place`` is empty if the file has only one answer.
    """

    task_id: str
    text: str
    file: str
    place: str = ""

    @property
    def where(self) -> str:
        """File and place, for messages."""
        return f"{self.file}, {self.place}" if self.place else self.file

    def answer(self) -> JsonValue:
        return json.loads(self.text)

    def as_bytes(self) -> bytes:
        """A file with only this answer, for `from_bytes`."""
        known = {"task_id": self.task_id, "file": self.file, "place": self.place}
        return f'{json.dumps(known)[:-1]}, "answer": {self.text}}}'.encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> GivenAnswer:
        kept = json.loads(data)
        return cls(kept["task_id"], json.dumps(kept["answer"]), kept["file"], kept["place"])


def detect(document: JsonValue) -> bool:
    return is_answer_like(document) and "answer" in document


def is_answer_like(document: JsonValue) -> bool:
    """Whether the document names a task and has no steps: an answer, valid or not."""
    return isinstance(document, dict) and "task_id" in document and not _STEPS & document.keys()


def holds_answers(content: Content) -> bool:
    """Whether a file contains answers, valid or not, and no trajectories."""
    if isinstance(content, Lines):
        return is_answer_like(content.first())
    if isinstance(content, list):
        return bool(content) and is_answer_like(content[0])
    return detect(content)


def read(document: JsonValue, *, name: str) -> Trajectory:
    """The answer as a trajectory without steps."""
    answer = _answer(document, "$", name=name)
    notes = Notes(name)
    note_non_finite(answer.answer, place="$.answer", notes=notes)
    return Trajectory(
        steps=(), format=NAME, answer=answer.answer, ending=Ending.SUBMITTED, warnings=notes.all()
    )


def read_answers(data: bytes, *, name: str, max_bytes: int = MAX_BYTES) -> tuple[Answer, ...]:
    """All answers in a file, in order.

    Raises:
        InputError: the file is not JSON, or contains something other than answers; or with every problem of
            the answers: invalid ones, and several for the same attempt at the same task.
    """
    content = open_content(data, name=name, max_bytes=max_bytes)
    if not holds_answers(content):
        reason = f"not a file of answers: it is {describe_content(content)}"
        raise InputError(Problem(name, "", reason, _WANTED))
    answers: list[Answer] = []
    problems: list[Problem] = []
    for place, item in _items(content):
        try:
            answers.append(_answer(item, place, name=name))
        except InputError as error:
            problems.append(error.problem)
    problems += _duplicates(answers, name=name)
    if problems:
        raise InputError(*problems[:MAX_PROBLEMS])
    return tuple(answers)


def _items(content: Content) -> Iterator[tuple[str, JsonValue]]:
    if isinstance(content, Lines):
        yield from ((f"line {number}", item) for number, item in content)
    elif isinstance(content, list):
        yield from ((f"$[{index}]", item) for index, item in enumerate(content))
    else:
        yield "$", content


def _answer(item: JsonValue, place: str, *, name: str) -> Answer:
    root = place if place.startswith("$") else f"{place}, $"
    item = expect(dict, item, "the answer is {}, not an object", name=name, place=root, remedy=_WANTED)
    task, attempt = item.get("task_id"), item.get("attempt")
    if not isinstance(task, str) or not task.strip():
        found = "empty" if isinstance(task, str) else kind_of_json(task)
        reason = f"the task's id is {found}, not a text"
        raise InputError(Problem(name, f"{root}.task_id", reason, _WANTED))
    if "answer" not in item:
        reason = f"there is no answer to {task[:80]}"
        raise InputError(Problem(name, root, reason, "write null if there is none"))
    if fault := attempt_fault(attempt, name=name, place=f"{root}.attempt"):
        raise InputError(fault)
    return Answer(task.strip(), attempt, item["answer"], place)


def _duplicates(answers: Iterable[Answer], *, name: str) -> Iterator[Problem]:
    """A problem for each answer to an attempt that already has one; without a number it is attempt 1."""
    first: dict[tuple[str, int], Answer] = {}
    for answer in answers:
        number = answer.attempt or 1
        before = first.setdefault((answer.task_id, number), answer)
        if before is not answer:
            reason = f"{answer.task_id[:80]}, attempt {number:,}, already has an answer at {before.place}"
            remedy = "keep one of them, or number the attempts with the key attempt"
            yield Problem(name, answer.place, reason, remedy)
