"""AutoExperiment's data points: what they become, and what is refused with its line and field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leaderboard.domain.errors import InputError
from leaderboard.domain.trajectory import MISSING
from leaderboard.formats.super_tasks import TaskFile, read_tasks

FUNCTIONS = [
    {"paper_id": "2309.05569", "func_id": "0", "file": "iti/model.py", "name": "Model.fit", "header_line": 30,
     "line_start": 31, "line_end": 57, "relevant_paper": "We fit it.", "description": "Fits the model."},
    {"paper_id": "2309.05569", "func_id": "2", "file": "iti/loss.py", "name": "loss", "header_line": 9},
]  # fmt: skip
POINT = {
    "paper_id": "2309.05569",
    "func_ids": "0,2",
    "func_details": FUNCTIONS,
    "experiments": 'Experiment 1: Train. Return {"loss": 0.0}.\nReturn final answer as a json.',
    "solution": "echo Experiment 1\npython the_secret.py\n",
    "results": {"Experiment 1": {"loss": 0.58226, "curve": [0.25, 0.125]}},
}
COMPLETE = {**POINT, "func_ids": "", "func_details": []}


def read(tmp_path: Path, *records: Any, name: str = "points.jsonl", set_name: str | None = None) -> TaskFile:
    path = tmp_path / name
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return read_tasks(path, set_name=set_name)


def problems(tmp_path: Path, *records: Any, name: str = "points.jsonl") -> list[str]:
    with pytest.raises(InputError) as caught:
        read(tmp_path, *records, name=name)
    return [str(problem) for problem in caught.value.problems]


def test_a_data_point_is_a_task_of_the_set_of_its_level_unless_a_set_is_named(tmp_path: Path) -> None:
    file = read(tmp_path, POINT, name="mlrc_n=2.jsonl")

    assert file.level == 2
    ((slug, task),) = file.tasks
    assert (slug, task.task_id, task.categories) == ("", "2309.05569_0,2", ("2309.05569",))
    assert task.title == "2309.05569 without Model.fit, loss"
    assert task.gold == POINT["results"]
    assert task.solution == {"solution": POINT["solution"]}
    assert [slug for slug, _task in read(tmp_path, POINT, set_name="hard").tasks] == ["hard"]


def test_without_masked_functions_the_id_ends_with_the_underscore(tmp_path: Path) -> None:
    file = read(tmp_path, COMPLETE)

    ((_slug, task),) = file.tasks
    assert (file.level, task.task_id, task.title) == (0, "2309.05569_", "2309.05569, complete")


def test_the_authors_older_and_newer_files_say_the_same(tmp_path: Path) -> None:
    newer = {**POINT, "func_ids": ["0", 2], "results": json.dumps(POINT["results"])}

    assert read(tmp_path, newer).tasks == read(tmp_path, POINT).tasks


@pytest.mark.parametrize("ids", ["2,0", ["02", 0], "2, 0"])
def test_the_same_functions_in_another_order_are_the_same_task(tmp_path: Path, ids: Any) -> None:
    turned = {**POINT, "func_ids": ids, "func_details": FUNCTIONS[::-1]}

    assert read(tmp_path, turned).tasks == read(tmp_path, POINT).tasks
    (problem,) = problems(tmp_path, POINT, turned)
    assert "line 2, task 2309.05569_0,2: the task is already in the file, at line 1" in problem


def test_functions_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    unordered = [{**FUNCTIONS[0], "func_id": each} for each in ("b", "10", "9", "a")]
    ((_, task),) = read(tmp_path, {**POINT, "func_ids": "b,10,9,a", "func_details": unordered}).tasks

    assert task.task_id == "2309.05569_9,10,a,b"


def test_an_agent_is_asked_for_experiments_and_functions_and_told_no_result(tmp_path: Path) -> None:
    ((_, task),) = read(
        tmp_path, {**POINT, "repository": "repositories/x/iti", "removed": {"0": "a = 1"}}
    ).tasks

    head, asked, masked = task.query.partition(str(POINT["experiments"]))
    assert head == (
        "This task is about the code of the paper 2309.05569 in the folder iti. 2 functions are masked in it:"
        " they raise NotImplementedError. Implement what is masked, then run these experiments and report "
        "their results.\n\n"
    )
    assert asked
    assert masked == (
        "\n\nMasked:\n\n1. Model.fit (iti/model.py, line 30)\nFits the model.\nFrom the paper:\nWe fit it."
        "\n\n2. loss (iti/loss.py, line 9)"
    )
    assert not {"0.58226", "the_secret", "a = 1"} & set(task.query.split())
    assert "0.58226" not in json.dumps(task.query_components)


def test_experiments_may_be_a_list(tmp_path: Path) -> None:
    ((_, task),) = read(tmp_path, {**COMPLETE, "experiments": ["Train.", "Test."]}).tasks

    assert "Experiment 1: Train.\nExperiment 2: Test.\nReturn final answer as a json" in task.query


def test_a_data_point_without_results_is_read_with_a_warning(tmp_path: Path) -> None:
    file = read(tmp_path, {**POINT, "results": None})

    assert file.tasks[0][1].gold is MISSING
    assert "can't be scored" in str(file.warnings[0])


NO_NUMBER = "not a number or a list of numbers"
REFUSALS: dict[str, tuple[dict[str, Any], str]] = {
    "a paper's id as a number": ({"paper_id": 2309.05569}, "line 1, paper_id: it is a number, not text"),
    "no paper": ({"paper_id": None}, "line 1, paper_id: it is missing or empty"),
    "a paper's id with a slash": ({"paper_id": "../x"}, "paper_id: it can't be a part of an address"),
    "an id twice": ({"func_ids": "0,0"}, "func_ids: an id is empty, is there twice"),
    "an empty id": ({"func_ids": "0,"}, "func_ids: an id is empty"),
    "ids that are no list": ({"func_ids": 0}, "func_ids: it is no list of ids"),
    "ids that are objects": ({"func_ids": [{}, True]}, "func_ids: it is no list of ids"),
    "a function too few": (
        {"func_details": FUNCTIONS[:1]}, "func_details: it describes 1 functions, and func_ids names 2",
    ),
    "functions in another order": (
        {"func_details": [FUNCTIONS[0], {**FUNCTIONS[1], "func_id": "3"}]},
        "func_details[1].func_id: it is '3', and func_ids has '2' in its place",
    ),
    "a function without a file": (
        {"func_details": [{**FUNCTIONS[0], "file": 3}, FUNCTIONS[1]]},
        "func_details[0].file: it is missing or no text",
    ),
    "functions that are texts": ({"func_details": ["a", "b"]}, "func_details: it is no list of objects"),
    "no experiments": ({"experiments": " "}, "experiments: it is missing or empty"),
    "experiments that are no text": ({"experiments": [1]}, "experiments: it is a list, not text"),
    "results that are a list": ({"results": [1]}, "results: it is a list, not an object with an experiment"),
    "results that are cut off": ({"results": '{"Experiment 1": {'}, "results: the file ends in the middle"),
    "results without experiments": ({"results": {}}, "results: it is an empty object"),
    "an experiment that is a number": (
        {"results": {"Experiment 1": 0.5}}, "results, Experiment 1: the experiment is a number",
    ),
    "a metric that is text": (
        {"results": {"E 1": {"a": "0.5"}}}, f"results, E 1, a: the metric is a string, {NO_NUMBER}",
    ),
    "a metric that is a bool": ({"results": {"E": {"a": True}}}, "results, E, a: the metric is a boolean"),
    "a metric without numbers": ({"results": {"E": {"a": []}}}, "results, E, a: the metric is an empty list"),
    "a list with NaN": (
        {"results": {"E": {"a": [1, float("nan")]}}}, "results, E, a: the metric is NaN or infinite",
    ),
    "a repository that is no text": ({"repository": ["x"]}, "repository: it is a list, not text"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "said"), REFUSALS.values(), ids=REFUSALS)
def test_a_data_point_is_refused_with_its_line_and_field(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    (problem,) = problems(tmp_path, {**POINT, **changes})

    assert said in problem


def test_every_problem_of_every_line_is_listed(tmp_path: Path) -> None:
    found = problems(tmp_path, {**POINT, "results": [], "experiments": None}, "no object", POINT, POINT)

    assert [problem.partition(":")[0] for problem in found] == [
        "points.jsonl, line 1, experiments",
        "points.jsonl, line 1, results",
        "points.jsonl, line 2, paper_id",
        "points.jsonl, line 2, experiments",
        "points.jsonl, line 4, task 2309.05569_0,2",
    ]


def test_levels_are_never_mixed_in_a_file(tmp_path: Path) -> None:
    assert problems(tmp_path, POINT, COMPLETE) == [
        "points.jsonl, line 2, func_ids: it masks 0 functions, and by line 1 the level is 2 (write a file for"
        " each level)"
    ]
    assert "by the file's name the level is 3" in problems(tmp_path, POINT, name="mlrc_n=3.jsonl")[0]
    assert read(tmp_path, POINT, name="train3.jsonl").level == 2


def test_a_file_that_was_cut_off_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "n=2.jsonl"
    path.write_text(f"{json.dumps(POINT)}\n{json.dumps(POINT)[:200]}")

    with pytest.raises(InputError, match=r"n=2\.jsonl, line 2, column \d+: the file ends in the middle"):
        read_tasks(path)


def test_a_long_title_is_cut(tmp_path: Path) -> None:
    long = [{**FUNCTIONS[0], "name": "f" * 300}, FUNCTIONS[1]]
    ((_, task),) = read(tmp_path, {**POINT, "func_details": long}).tasks

    assert len(task.title) == 200
