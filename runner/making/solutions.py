"""The cells of a solved task: from its record, a notebook, or a recorded attempt."""

from __future__ import annotations

from typing import NamedTuple

from leaderboard import formats
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import JsonValue, StepKind
from leaderboard.formats import super_notebook
from leaderboard.formats.documents import kind_of_json, parse_json
from leaderboard.formats.notebooks import cells_of
from leaderboard.formats.shapes import as_object
from runner.agents.base import EDIT, EXECUTE

MAX_CELLS = 1_000
"""Cells of a solution: the experts' have 14 on average."""


class Cell(NamedTuple):
    """A cell of a solution; ``number`` counts from 1, ``kind`` is ``execute`` or ``edit``."""

    number: int
    kind: str
    content: str


def read_solution(data: bytes, *, name: str) -> list[Cell]:
    """The cells of a solved notebook, or of a recorded attempt in any format.

    A notebook's cells are counted with those that are not code; an attempt's are its steps. What can't be
    executed (Markdown, submissions, format errors) is left out.

    Raises:
        InputError: the file can't be read, or has no cell to execute.
    """
    document = parse_json(data, name=name)
    if super_notebook.detect(document):
        cells = cells_of(document, name=name)
        if not super_notebook.holds_steps(cells):
            code = [
                Cell(number, EXECUTE, cell.source)
                for number, cell in enumerate(cells, start=1)
                if cell.kind == "code" and cell.source.strip()
            ]
            return _checked(code, name=name)
    elif isinstance(document, list):
        return solution_cells(document, name=name)
    kinds = {StepKind.EXECUTE: EXECUTE, StepKind.EDIT: EDIT}
    steps = formats.read(data, name=name).steps
    return _checked(
        [Cell(step.number, kinds[step.kind], step.action) for step in steps if step.kind in kinds], name=name
    )


def solution_cells(solution: JsonValue, *, name: str) -> list[Cell]:
    """The cells of a record's ``solution``: a list with the code of each, or its type and content.

    These may be JSON in a string, as in ``pre_execute_cells``; so may the list be, or a notebook instead.

    Raises:
        InputError: it is none of these, or empty.
    """
    if isinstance(solution, str) and solution.strip():
        return read_solution(solution.encode("utf-8", "replace"), name=name)
    if not isinstance(solution, list):
        reason = f"the solution is {kind_of_json(solution)}, not a list of cells"
        raise InputError(Problem(name, "", reason, "name a solved notebook in the description"))
    cells = [_cell(number, item, name=name) for number, item in enumerate(solution, start=1)]
    return _checked([cell for cell in cells if cell.content.strip()], name=name)


def _cell(number: int, item: JsonValue, *, name: str) -> Cell:
    if isinstance(item, str) and not item.lstrip().startswith("{"):
        return Cell(number, EXECUTE, item)
    try:
        known = as_object(parse_json(item.encode(), name=name) if isinstance(item, str) else item)
    except (InputError, UnicodeEncodeError):
        # Code that begins with a brace.
        return Cell(number, EXECUTE, str(item))
    kind, content = known.get("type"), known.get("content")
    if kind in (EXECUTE, EDIT) and isinstance(content, str):
        return Cell(number, kind, content)
    reason = "a cell is neither code nor an object with a type (execute or edit) and a content"
    raise InputError(Problem(name, f"cell {number:,} of the solution", reason, "write both as strings"))


def _checked(cells: list[Cell], *, name: str) -> list[Cell]:
    if not cells:
        raise InputError(Problem(name, "", "it has no cell that can be executed", "give a solved notebook"))
    if len(cells) > MAX_CELLS:
        reason = f"it has {len(cells):,} cells, more than the limit of {MAX_CELLS:,}"
        raise InputError(Problem(name, "", reason, "join cells that belong together"))
    return cells
