"""A description of cuts becomes task records that are imported as they are, or is refused with reasons."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leaderboard.domain.errors import InputError
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import MISSING
from leaderboard.formats.super_tasks import read_tasks
from runner.making.cutting import MAX_BYTES, CutTask, cut_tasks, read_cuts
from runner.making.solutions import Cell

FULL = TaskSpec(
    task_id="pet",
    query="Train PET and report its loss.",
    repository="https://github.com/example/pet",
    commit="abc",
    entrypoint="train.py",
    gold={"loss": 0.5},
    landmarks=("epoch 1",),
    query_components={"task": "Train PET."},
)
CELLS = [
    Cell(1, "execute", "%cd pet"),
    Cell(2, "edit", "fix"),
    Cell(4, "execute", "data"),
    Cell(5, "execute", "run"),
]
CUT = {"cells": [4], "categories": ["data"]}
CUTS: dict[str, Any] = {"task": "pet", "answer_from": {"loss": r"loss ([\d.]+)"}, "masked": [CUT]}


def cut(tmp_path: Path, description: Any = CUTS, full: TaskSpec = FULL) -> list[CutTask]:
    path = tmp_path / "cuts.yaml"
    path.write_text(description if isinstance(description, str) else json.dumps(description))
    cuts, document = read_cuts(path)
    return cut_tasks(full, CELLS, cuts, document, path.name)


def changed(**masked: Any) -> dict[str, Any]:
    return {**CUTS, "masked": [{**CUT, **masked}]}


def test_a_cut_task_has_the_dataset_s_fields_and_is_read_as_it_is(tmp_path: Path) -> None:
    (made,) = cut(tmp_path)
    file = tmp_path / "Masked.jsonl"
    file.write_text(json.dumps(made.record))

    ((task_set, spec),) = read_tasks(file, sets=("expert", "masked")).tasks

    assert (task_set, spec) == ("masked", made.spec)
    assert made.record["pre_execute_cells"] == [
        '{"type": "execute", "content": "%cd pet"}',
        '{"type": "edit", "content": "fix"}',
    ]
    assert (spec.task_id, spec.categories, spec.gold) == ("pet_data", ("data",), {"loss": 0.5})
    assert (spec.repository, spec.commit, spec.entrypoint) == (FULL.repository, "abc", "train.py")
    assert spec.query.startswith(f"{FULL.query}\n\nSome of the steps have been executed already")
    assert spec.landmarks == FULL.landmarks


def test_what_the_agent_has_to_find_is_all_that_is_not_pre_executed(tmp_path: Path) -> None:
    (made,) = cut(tmp_path)
    (chosen,) = cut(tmp_path, changed(pre_execute=[1, 5]))

    assert [cell.number for cell in made.solution] == [4, 5]
    assert ([c.number for c in chosen.prefix], [c.number for c in chosen.solution]) == ([1, 5], [2, 4])


def test_a_sub_problem_can_have_an_answer_and_a_query_of_its_own(tmp_path: Path) -> None:
    own = {
        "query": "Count the rows.",
        "answer": 7,
        "answer_from": r"(\d+) rows",
        "landmarks": ["rows"],
        "id": "rows",
    }

    (made,) = cut(tmp_path, changed(**own, entrypoint="", goal="Submit the count."))

    assert (made.spec.task_id, made.spec.gold, made.spec.landmarks) == ("rows", 7, ("rows",))
    assert made.spec.query.startswith("Count the rows.\n\n")
    assert made.spec.query.endswith("Submit the count.")
    assert (made.spec.entrypoint, made.answer_from) == ("", r"(\d+) rows")


@pytest.mark.parametrize(
    ("description", "reason"),
    [
        ("", "the file is empty"),
        ("[]", "it should be a valid dictionary"),
        ("task: pet\nmasked: [{cells: [4", "not valid YAML"),
        ('{"task": "pet", "masked": [', "the file ends in the middle"),
        ("a: &x [1]\nb: *x", "anchors and aliases"),
        ("x" * (MAX_BYTES + 1), "more than the limit of 1 MB"),
        ({**CUTS, "tsk": 1}, "there is no key tsk"),
        ({"task": "pet"}, "the key masked is missing"),
        ({**CUTS, "masked": []}, "at least 1 item"),
        (changed(cells=["4"]), "a valid integer"),
        (changed(cells=[3]), "no cell 3 that can be executed (--list shows the cells)"),
        (changed(cells=[1]), "no cell is pre-executed"),
        (changed(pre_execute=[1, 4]), "cell 4 is masked and pre-executed"),
        (changed(categories=[]), "neither id nor categories"),
        (changed(categories=["speed"]), "unknown category 'speed'"),
        (changed(id="a/b"), "the id has a slash"),
        (changed(answer=3), "its answer is not the full task's, but the query is"),
        ({**CUTS, "answer_from": None}, "not said where the solution prints the answer"),
        ({**CUTS, "answer_from": {"loss": "("}}, "not a regular expression"),
        ({**CUTS, "answer_from": {"loss": 0.5}}, "'0.5' is no regular expression"),
        ({**CUTS, "may_fail": [9]}, "the solution has no cell 9"),
        ({**CUTS, "masked": [CUT, CUT]}, "two tasks have the id pet_data"),
    ],
)
def test_a_description_that_is_wrong_is_refused_with_the_reason(
    tmp_path: Path, description: Any, reason: str
) -> None:
    with pytest.raises(InputError) as refused:
        cut(tmp_path, description)

    assert any(reason in str(problem) for problem in refused.value.problems)


def test_every_problem_is_named_with_its_line(tmp_path: Path) -> None:
    lines = ["task: pet", "answer_from: {loss: x}", "masked:"]
    lines += [f"  - {{cells: [{number}], categories: [data]}}" for number in (3, 9)]

    with pytest.raises(InputError) as refused:
        cut(tmp_path, "\n".join(lines))

    places = [problem.place for problem in refused.value.problems]
    assert places == ["line 4, $.masked[0]", "line 5, $.masked[1]"]


def test_a_task_without_a_gold_answer_needs_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the full task has no gold answer"):
        cut(tmp_path, full=replace(FULL, gold=MISSING))
