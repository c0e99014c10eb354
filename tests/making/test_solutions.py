"""The cells of a solved task are found in a record, a notebook and a recorded attempt."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboard.domain.errors import InputError
from runner.making.solutions import MAX_CELLS, Cell, read_solution, solution_cells
from tests.formats.samples import as_bytes

EDIT = "train.py\n<<<BEFORE_EDIT>>>\na\n<<<AFTER_EDIT>>>\nb"


def notebook(*cells: tuple[str, str]) -> dict[str, Any]:
    code: dict[str, Any] = {"outputs": [], "execution_count": None}
    made: list[dict[str, Any]] = [
        {"cell_type": kind, "source": source, "metadata": {}, **(code if kind == "code" else {})}
        for kind, source in cells
    ]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made}


def step(kind: str, content: str) -> dict[str, Any]:
    return {"thought": "", "action": {"type": kind, "content": content}, "observation": ""}


def test_a_notebook_s_cells_are_counted_with_those_that_are_no_code() -> None:
    solved = notebook(
        ("markdown", "# Setup"), ("code", "%cd repo"), ("code", "  "), ("code", "!python train.py")
    )

    found = read_solution(as_bytes(solved), name="solved.ipynb")

    assert found == [Cell(2, "execute", "%cd repo"), Cell(4, "execute", "!python train.py")]


def test_a_recorded_attempt_gives_its_cells_and_edits_by_their_steps() -> None:
    steps = [step("execute", "ls"), step("edit", EDIT), step("execute", "run"), step("submit", "1")]

    found = read_solution(as_bytes({"query": "", "history": steps}), name="history.json")

    assert found == [Cell(1, "execute", "ls"), Cell(2, "edit", EDIT), Cell(3, "execute", "run")]


@pytest.mark.parametrize("wrap", [lambda cells: cells, json.dumps], ids=["list", "text"])
def test_a_record_s_solution_is_code_or_cells_with_a_type(wrap: Any) -> None:
    cells = [
        "%cd repo",
        {"type": "edit", "content": EDIT},
        json.dumps({"type": "execute", "content": "run"}),
        "{1}",
    ]

    found = solution_cells(wrap(cells), name="task")

    assert found == [
        Cell(1, "execute", "%cd repo"),
        Cell(2, "edit", EDIT),
        Cell(3, "execute", "run"),
        Cell(4, "execute", "{1}"),
    ]


@pytest.mark.parametrize(
    ("solution", "reason"),
    [
        (None, "the solution is null, not a list of cells"),
        ([], "no cell that can be executed"),
        (["", "  "], "no cell that can be executed"),
        ([{"type": "submit", "content": "1"}], "cell 1 of the solution: a cell is neither code nor"),
        (["x"] * (MAX_CELLS + 1), "more than the limit of 1,000"),
        ('["a", "b', "the file ends in the middle"),
    ],
)
def test_what_is_no_solution_is_refused_with_the_reason(solution: Any, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        solution_cells(solution, name="task pet")
