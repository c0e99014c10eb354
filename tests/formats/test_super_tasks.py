"""SUPER's tasks, from files and from the hub."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import MISSING
from leaderboard.formats.super_tasks import TaskFile, read_hub, read_tasks
from leaderboard.formats.task_records import categories_of

SETS = ("expert", "masked", "auto", "n1", "n1-hard")
FULL = {
    "task_id": "tiny_net_data,dependencies",
    "query": "Train it.",
    "github_repo": "https://github.com/example/tiny-net",
    "git_commit": "abc123",
    "entrypoint": "train.py",
    "answer": '{"loss": 0.5}',
    "landmarks": ["loss=\\d+", "done"],
    "pre_execute_cells": ['{"type": "execute", "content": "!ls"}'],
    "query_components": "goal",
    "solution": ["!python train.py"],
    "solution_dependencies": None,
}


def lines(path: Path, *records: Any) -> Path:
    path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in records))
    return path


def problems_of(path: Path, set_name: str | None = "masked") -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        read_tasks(path, sets=SETS, set_name=set_name)
    assert caught.value.problem == caught.value.problems[0]
    return caught.value.problems


def write_parquet(path: Path) -> Path:
    pq.write_table(pa.Table.from_pylist([FULL]), path)
    return path


def write_list(path: Path) -> Path:
    path.write_text(json.dumps([FULL], indent=1))
    return path


@pytest.mark.parametrize("write", [write_parquet, write_list, lambda path: lines(path, "", FULL, "")])
def test_a_record_reads_the_same_from_every_kind_of_file(tmp_path: Path, write: Any) -> None:
    assert read_tasks(write(tmp_path / "file"), set_name="masked").tasks == (
        (
            "masked",
            TaskSpec(
                task_id="tiny_net_data,dependencies",
                query="Train it.",
                repository="https://github.com/example/tiny-net",
                commit="abc123",
                entrypoint="train.py",
                gold={"loss": 0.5},
                landmarks=("loss=\\d+", "done"),
                categories=("dependency", "data"),
                pre_execute_cells=(("execute", "!ls"),),
                query_components="goal",
                solution=["!python train.py"],
            ),
        ),
    )


@pytest.mark.parametrize(
    "record", [{"task_id": "t"}, {**dict.fromkeys(FULL), "task_id": "t"}, {"task_id": "t", "answer": ""}]
)
def test_any_field_but_the_id_can_be_missing_or_null(tmp_path: Path, record: Any) -> None:
    (task,) = read_tasks(lines(tmp_path / "Auto.jsonl", record), sets=SETS).tasks
    assert task == ("auto", TaskSpec(task_id="t"))
    assert task[1].gold is MISSING


def test_a_null_answer_is_gold(tmp_path: Path) -> None:
    (task,) = read_tasks(
        lines(tmp_path / "Expert.jsonl", {"task_id": "t", "answer": "null"}), sets=SETS
    ).tasks
    assert task[1].gold is None


def test_lists_can_be_json_text_and_cells_objects(tmp_path: Path) -> None:
    cell = {"type": "execute", "content": "ls"}
    record = {"task_id": "t", "landmarks": '["a"]', "pre_execute_cells": [cell]}
    (task,) = read_tasks(lines(tmp_path / "masked.jsonl", record), sets=SETS).tasks
    assert task[1].landmarks == ("a",)
    assert task[1].pre_execute_cells == (("execute", "ls"),)


def test_title_and_categories_of_our_own_count(tmp_path: Path) -> None:
    record = {"task_id": "a_data", "title": "A title", "categories": ["goal", "CPU"]}
    (task,) = read_tasks(lines(tmp_path / "f.jsonl", record), set_name="masked").tasks
    assert (task[1].title, task[1].categories) == ("A title", ("goal", "cpu"))


def test_only_masked_ids_name_categories(tmp_path: Path) -> None:
    (task,) = read_tasks(lines(tmp_path / "Expert.jsonl", {"task_id": "a_data"}), sets=SETS).tasks
    assert task[1].categories == ()


@pytest.mark.parametrize(
    ("task_id", "categories"),
    [
        ("a_dependencies", ("dependency",)),
        ("a_custom", ("goal",)),
        ("a_customgoal", ("goal",)),
        ("conv_graph_configuration,data", ("data", "configuration")),
        ("conv_graph", ()),
        ("pet", ()),
    ],
)
def test_categories_come_from_the_end_of_the_id(task_id: str, categories: tuple[str, ...]) -> None:
    assert categories_of(task_id) == categories


@pytest.mark.parametrize(
    ("path", "record", "slug"),
    [
        ("Expert.jsonl", {"split": "Masked"}, "expert"),
        ("super-masked-v1.json", {}, "masked"),
        ("tasks.jsonl", {"split": "Masked"}, "masked"),
        ("tasks.jsonl", {"set": "auto"}, "auto"),
        ("Expert/all_examples-00000-of-00001.parquet", {}, "expert"),
        ("Expert/part.jsonl", {"set": "Auto"}, "auto"),
        ("tasks.jsonl", {"set": "n1"}, "n1"),
        ("n1-hard.jsonl", {}, "n1-hard"),
    ],
)
def test_the_set_comes_from_the_file_the_record_or_the_folder(
    tmp_path: Path, path: str, record: dict[str, str], slug: str
) -> None:
    (tmp_path / path).parent.mkdir(exist_ok=True)
    file = lines(tmp_path / path, {"task_id": "t", **record})
    assert read_tasks(file, sets=SETS).tasks[0][0] == slug
    assert read_tasks(file, set_name="warm-up").tasks[0][0] == "warm-up"


@pytest.mark.parametrize("name", ["f.jsonl", "expert-and-masked.jsonl", "n10.jsonl"])
def test_a_task_of_an_unknown_set_asks_for_the_option(tmp_path: Path, name: str) -> None:
    (problem,) = problems_of(lines(tmp_path / name, {"task_id": "t"}), set_name=None)
    assert (problem.place, problem.remedy) == ("line 1, task t", "give --set")


def test_all_problems_of_a_file_come_at_once(tmp_path: Path) -> None:
    bad_answer, bad_lists = {"task_id": "b", "answer": "{0.5"}, {"task_id": "c", "landmarks": [1], "query": 2}
    problems = problems_of(
        lines(tmp_path / "f.jsonl", FULL, "{oops", bad_answer, bad_lists, {"query": "q"}, "3")
    )
    assert [problem.place for problem in problems] == [
        "line 2, column 2",
        "line 3, task b",
        "line 4, task c",
        "line 4, task c",
        "line 5",
        "line 6",
    ]
    assert all(problem.file == "f.jsonl" and problem.remedy for problem in problems)
    assert "answer is not valid JSON" in problems[1].reason


@pytest.mark.parametrize(
    "fields",
    [
        {"answer": {"loss": 1}},
        {"landmarks": "["},
        {"landmarks": '{"a": 1}'},
        {"pre_execute_cells": ["{"]},
        {"pre_execute_cells": [{"type": "execute"}]},
        {"pre_execute_cells": [3]},
        {"categories": "data"},
    ],
)
def test_a_field_of_another_shape_is_one_problem(tmp_path: Path, fields: dict[str, Any]) -> None:
    (problem,) = problems_of(lines(tmp_path / "f.jsonl", {"task_id": "t", **fields}))
    assert problem.place == "line 1, task t"
    assert next(iter(fields)) in problem.reason or "category" in problem.reason


def test_a_task_that_comes_twice_names_both_places(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text(json.dumps([{"task_id": "t"}, {"task_id": "t"}]))
    (problem,) = problems_of(path)
    assert problem.place == "$[1], task t"
    assert "$[0]" in problem.reason


@pytest.mark.parametrize("data", [b"", b"[]", b"\n\n", b"PAR1 and no more", b"\xff", b"[1"])
def test_a_file_without_tasks_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "f"
    path.write_bytes(data)
    assert len(problems_of(path)) == 1


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert "can't be read" in problems_of(tmp_path / "missing.jsonl")[0].reason


def test_gold_that_nothing_matches_is_noted(tmp_path: Path) -> None:
    file = read_tasks(lines(tmp_path / "Expert.jsonl", {"task_id": "t", "answer": '{"a": NaN}'}), sets=SETS)
    assert "matches nothing" in file.warnings[0].reason


class Library:
    """Stands in for the datasets library: configs, in each its splits."""

    def __init__(self, layout: dict[str, dict[str, list[dict[str, Any]]]]) -> None:
        self._layout = layout

    def get_dataset_config_names(self, name: str) -> list[str]:
        assert name == "allenai/super"
        return list(self._layout)

    def load_dataset(self, name: str, config: str) -> dict[str, list[dict[str, Any]]]:
        return self._layout[config]


def hub(library: Any = None) -> TaskFile:
    return read_hub("allenai/super", sets=SETS, datasets=library)


def ids(file: TaskFile) -> list[tuple[str, str]]:
    return [(slug, task.task_id) for slug, task in file.tasks]


def test_both_layouts_of_the_hub_give_the_same_tasks() -> None:
    rows = {name: [{"task_id": f"{name}-task"}] for name in ("Expert", "Masked", "Auto")}
    by_config = {name: {"all_examples": tasks} for name, tasks in rows.items()}
    expected = [("expert", "Expert-task"), ("masked", "Masked-task"), ("auto", "Auto-task")]
    assert ids(hub(Library(by_config))) == expected
    assert ids(hub(Library({"default": rows}))) == expected


def test_a_missing_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(InputError) as caught:
        hub()
    assert caught.value.problem.remedy == "pip install superboard[hub]"


def test_parquet_without_its_library_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_parquet(tmp_path / "file")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)

    with pytest.raises(InputError) as caught:
        read_tasks(path, sets=SETS, set_name="masked")

    assert caught.value.problem.remedy == "pip install superboard[parquet]"


def test_a_hub_out_of_reach_is_an_input_error() -> None:
    class Unreachable(Library):
        def load_dataset(self, name: str, config: str) -> Any:
            raise ConnectionError("no route")

    with pytest.raises(InputError, match="no route"):
        hub(Unreachable({"Expert": {}}))
