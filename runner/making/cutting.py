"""Cuts Masked tasks out of a solved one: some cells run beforehand, the agent has to find the others."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.landmarks import InvalidLandmark, compile_landmark
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import MISSING, JsonValue
from leaderboard.formats.documents import Notes, decode, parse_json_text, read_file
from leaderboard.formats.task_records import CATEGORIES, task_of
from leaderboard.intake.yaml_files import Document, read_yaml
from runner.making.solutions import Cell

MAX_BYTES = 1 << 20
"""The longest description of cuts."""

DONE = "Some of the steps have been executed already: their cells and outputs come first."
GOAL = "Complete the remaining steps and submit the answer."


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Masked(_Part):
    """A Masked task to cut: what it has in place of the full task's; cells are given by their numbers.

    ``cells`` are masked; ``pre_execute`` run before the agent starts, by default all before the first masked
    one. ``goal`` is added to the query.
    """

    cells: list[int] = Field(min_length=1)
    pre_execute: list[int] | None = None
    id: str = ""
    categories: list[str] = Field(default=[])
    query: str = ""
    goal: str = GOAL
    answer: JsonValue = MISSING
    answer_from: JsonValue = None
    landmarks: list[str] | None = None
    entrypoint: str | None = None


class Cuts(_Part):
    """A description: the full task's id, where its solution prints the answer, and what to mask.

    ``answer_from`` has the shape of the answer, with a regular expression for each value, or for a whole part
    that is printed as JSON. Cells in ``may_fail`` fail on purpose, such as to see an error.
    """

    task: str = Field(min_length=1)
    notebook: str = ""
    answer_from: JsonValue = None
    may_fail: list[int] = Field(default=[])
    masked: list[Masked] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class CutTask:
    """A Masked task with all that its proof needs; ``record`` has the public dataset's fields."""

    record: Mapping[str, Any]
    spec: TaskSpec
    prefix: tuple[Cell, ...]
    solution: tuple[Cell, ...]
    answer_from: JsonValue
    may_fail: frozenset[int]


def read_cuts(path: Path) -> tuple[Cuts, Document]:
    """The description in a YAML or JSON file, and the document for the places of problems.

    Raises:
        InputError: with every problem, each with its line or path.
    """
    name = path.name
    text = decode(read_file(path, name=name, max_bytes=MAX_BYTES), name=name)
    is_json = text.lstrip().startswith("{")
    document = Document(parse_json_text(text, name=name)) if is_json else read_yaml(text, name=name)
    try:
        return Cuts.model_validate(document.value), document
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False)
    raise InputError(*(_problem(each, document, name) for each in found))


def _problem(error: ErrorDetails, document: Document, name: str) -> Problem:
    *above, last = error["loc"] or ("",)
    if error["type"] == "extra_forbidden":
        kind = Masked if above else Cuts
        reason, remedy = f"there is no key {str(last)[:40]}", f"the keys are {', '.join(kind.model_fields)}"
        return Problem(name, document.place(tuple(above)), reason, remedy)
    if error["type"] == "missing":
        return Problem(name, document.place(tuple(above)), f"the key {last} is missing")
    reason = error["msg"].replace("Input should", "it should")
    return Problem(name, document.place(error["loc"]), reason[:200])


def cut_tasks(
    full: TaskSpec, cells: Sequence[Cell], cuts: Cuts, document: Document, name: str
) -> list[CutTask]:
    """The Masked tasks that a description cuts out of ``full``, solved by ``cells``.

    Raises:
        InputError: with every problem of every task.
    """
    made: list[CutTask] = []
    problems = [
        Problem(name, document.place(("may_fail",)), f"the solution has no cell {number:,}")
        for number in _unknown(cuts.may_fail, cells)
    ]
    for index, masked in enumerate(cuts.masked):
        place = document.place(("masked", index))
        faults = list(_faults(full, cells, cuts, masked))
        problems += [Problem(name, place, reason, remedy) for reason, remedy in faults]
        if faults:
            continue
        try:
            made.append(_cut(full, cells, cuts, masked, Notes(name), place))
        except InputError as error:
            problems += error.problems
    ids = [cut.spec.task_id for cut in made]
    for twice in sorted({task_id for task_id in ids if ids.count(task_id) > 1}):
        problems.append(Problem(name, "", f"two tasks have the id {twice}", "give one of them another id"))
    if problems:
        raise InputError(*problems)
    return made


def _category_faults(masked: Masked) -> Iterator[tuple[str, str]]:
    for category in masked.categories:
        if category not in CATEGORIES:
            yield f"unknown category {category[:50]!r}", f"the categories are {', '.join(CATEGORIES)}"


def _faults(full: TaskSpec, cells: Sequence[Cell], cuts: Cuts, masked: Masked) -> Iterator[tuple[str, str]]:
    """What is wrong with a cut, each with its remedy."""
    given = [*masked.cells, *(masked.pre_execute or ())]
    for number in _unknown(given, cells):
        yield f"the solution has no cell {number:,} that can be executed", "--list shows the cells"
    for number in sorted(set(masked.cells) & set(masked.pre_execute or ())):
        yield f"cell {number:,} is masked and pre-executed", "choose one"
    if not _prefix(cells, masked):
        yield "no cell is pre-executed: that is the full task", "mask later cells"
    if not (masked.id or masked.categories):
        yield "it has neither id nor categories", "name at least one category"
    yield from _category_faults(masked)
    if "/" in _id_of(full, masked):
        yield "the id has a slash, which an address can't hold", "give it another id"
    if masked.answer is MISSING and full.gold is MISSING:
        yield "the full task has no gold answer", "give an answer"
    if masked.answer is not MISSING and not masked.query:
        yield "its answer is not the full task's, but the query is", "give it a query, too"
    patterns = masked.answer_from if masked.answer_from is not None else cuts.answer_from
    if patterns is None:
        yield (
            "it is not said where the solution prints the answer",
            "give answer_from: the answer's shape, with a regular expression for each value",
        )
    else:
        remedy = "write texts in the answer's shape"
        yield from ((f"in answer_from {fault}", remedy) for fault in _pattern_faults(patterns))


def _pattern_faults(patterns: JsonValue) -> Iterator[str]:
    if isinstance(patterns, dict | list):
        for item in patterns.values() if isinstance(patterns, dict) else patterns:
            yield from _pattern_faults(item)
    elif isinstance(patterns, str):
        try:
            compile_landmark(patterns)
        except InvalidLandmark as error:
            yield f"{patterns[:60]!a} is {error}"
    else:
        yield f"{str(patterns)[:60]!a} is no regular expression"


def _cut(
    full: TaskSpec, cells: Sequence[Cell], cuts: Cuts, masked: Masked, notes: Notes, place: str
) -> CutTask:
    prefix = _prefix(cells, masked)
    solution = tuple(cell for cell in cells if cell not in prefix)
    gold = full.gold if masked.answer is MISSING else masked.answer
    record: dict[str, Any] = {
        "task_id": _id_of(full, masked),
        "title": full.title,
        "query": "\n\n".join((masked.query or full.query, f"{DONE} {masked.goal}")),
        "github_repo": full.repository,
        "git_commit": full.commit,
        "entrypoint": full.entrypoint if masked.entrypoint is None else masked.entrypoint,
        "answer": json.dumps(gold),
        "landmarks": list(full.landmarks) if masked.landmarks is None else masked.landmarks,
        "pre_execute_cells": [_as_json(cell) for cell in prefix],
        "query_components": None if masked.query else full.query_components,
        "solution": [_as_json(cell) for cell in solution],
    }
    if masked.categories:
        record["categories"] = masked.categories
    spec = task_of(record, set_name="masked", place=place, notes=notes)
    patterns = cuts.answer_from if masked.answer_from is None else masked.answer_from
    return CutTask(record, spec, prefix, solution, patterns, frozenset(cuts.may_fail))


def _prefix(cells: Sequence[Cell], masked: Masked) -> tuple[Cell, ...]:
    if masked.pre_execute is None:
        return tuple(cell for cell in cells if cell.number < min(masked.cells))
    return tuple(cell for cell in cells if cell.number in masked.pre_execute)


def _id_of(full: TaskSpec, masked: Masked) -> str:
    """As the public dataset's: the full task's id, and the categories."""
    return masked.id or f"{full.task_id}_{','.join(masked.categories)}"


def _unknown(numbers: Sequence[int], cells: Sequence[Cell]) -> list[int]:
    return sorted(set(numbers) - {cell.number for cell in cells})


def _as_json(cell: Cell) -> str:
    return json.dumps({"type": cell.kind, "content": cell.content}, ensure_ascii=False)
