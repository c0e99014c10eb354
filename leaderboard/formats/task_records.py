"""Converts a record of SUPER's dataset to a task; every field except the id may be missing or null."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import MISSING, JsonValue, Missing
from leaderboard.formats.documents import Notes, kind_of_json, note_non_finite, parse_json_text
from leaderboard.formats.shapes import as_object

CATEGORIES: Final = ("dependency", "data", "cpu", "issue", "goal", "configuration")
"""The categories that the ids of SUPER's Masked tasks may name."""
_CATEGORY_ALIASES: Final = {"dependencies": "dependency", "custom": "goal", "customgoal": "goal"}


def task_place(place: str, task_id: str) -> str:
    """A task's place in its file, with its id."""
    return f"{place}, task {task_id}"


def categories_of(task_id: str) -> tuple[str, ...]:
    """The categories that a Masked task's id names after its last ``_``, in the order of ``CATEGORIES``."""
    words = (word.strip().lower() for word in task_id.rpartition("_")[2].split(","))
    named = {_CATEGORY_ALIASES.get(word, word) for word in words}
    return tuple(category for category in CATEGORIES if category in named)


def task_of(fields: JsonValue, *, set_name: str | None, place: str, notes: Notes) -> TaskSpec:
    """The task in a record.

    Args:
        fields: the record; two fields beyond the dataset's, ``title`` and ``categories``, are optional.
        set_name: the set's slug; Masked tasks have their categories in their ids.
        place: of the record in its file.
        notes: warnings are added to it.

    Raises:
        InputError: with every problem of the record.
    """
    if not isinstance(fields, dict):
        reason = f"{kind_of_json(fields)}, not a task"
        raise InputError(Problem(notes.name, place, reason, "write one object per task"))
    task_id = fields.get("task_id")
    if not isinstance(task_id, str) or not task_id.strip():
        raise InputError(Problem(notes.name, place, "the task has no task_id", "give it one"))
    record = _Record(fields, place=task_place(place, task_id), notes=notes)
    task = TaskSpec(
        task_id=task_id,
        query=record.text("query"),
        title=record.text("title"),
        repository=record.text("github_repo"),
        commit=record.text("git_commit"),
        entrypoint=record.text("entrypoint"),
        gold=record.gold(),
        landmarks=record.texts("landmarks"),
        categories=record.categories(set_name),
        pre_execute_cells=record.cells("pre_execute_cells"),
        query_components=fields.get("query_components"),
        solution=fields.get("solution"),
    )
    if record.problems:
        raise InputError(*record.problems)
    return task


class _Record:
    """Reads typed fields from one record and collects their problems."""

    def __init__(self, fields: dict[str, JsonValue], *, place: str, notes: Notes) -> None:
        self._fields = fields
        self._place = place
        self._notes = notes
        self.problems: list[Problem] = []

    def text(self, key: str) -> str:
        value = self._fields.get(key)
        if value is None or isinstance(value, str):
            return value or ""
        self._refuse(f"{key} is {kind_of_json(value)}, not text", "write it as a string")
        return ""

    def gold(self) -> JsonValue | Missing:
        """The gold answer: a JSON document in a string; an empty one is none."""
        text = self.text("answer")
        if not text.strip():
            return MISSING
        answer = self._parsed("answer", text)
        note_non_finite(answer, place=self._place, notes=self._notes)
        return answer

    def texts(self, key: str) -> tuple[str, ...]:
        items = self._items(key)
        if all(isinstance(item, str) for item in items):
            return tuple(items)
        self._refuse(f"{key} contains something other than text", "write a list of strings")
        return ()

    def categories(self, set_name: str | None) -> tuple[str, ...]:
        if self._fields.get("categories") is None:
            return categories_of(self._fields["task_id"]) if set_name == "masked" else ()
        # Whether the benchmark has them is checked when they are stored.
        return tuple(dict.fromkeys(word.strip().lower() for word in self.texts("categories")))

    def cells(self, key: str) -> tuple[tuple[str, str], ...]:
        """Cells as (type, content); each an object, or JSON text of one."""
        cells = []
        for number, item in enumerate(self._items(key), start=1):
            which = f"{key}, cell {number},"
            cell = self._parsed(which, item) if isinstance(item, str) else item
            kind, content = as_object(cell).get("type"), as_object(cell).get("content")
            if isinstance(kind, str) and isinstance(content, str):
                cells.append((kind, content))
            elif cell is not MISSING:
                self._refuse(f"{which} has no type and content", "write both as strings")
        return tuple(cells)

    def _items(self, key: str) -> list[JsonValue]:
        """A list, JSON text of a list, or nothing."""
        value = self._fields.get(key)
        if isinstance(value, str) and value.strip():
            value = self._parsed(key, value)
        if value is None or value is MISSING or value == "":
            return []
        if isinstance(value, list):
            return value
        self._refuse(f"{key} is {kind_of_json(value)}, not a list", "write a list")
        return []

    def _parsed(self, what: str, text: str) -> JsonValue | Missing:
        try:
            return parse_json_text(text, name="")
        except InputError as error:
            place = error.problem.place
            reason = f"{what} is not valid JSON ({place} of it)" if place else f"{what} is not valid JSON"
            self._refuse(reason, "write it with a JSON library")
            return MISSING

    def _refuse(self, reason: str, remedy: str) -> None:
        self.problems.append(Problem(self._notes.name, self._place, reason, remedy))
