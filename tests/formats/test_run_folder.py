"""A run's folder in the authors' layout."""

from __future__ import annotations

import json
import os
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from leaderboard.domain.errors import InputError, Problem
from leaderboard.formats.run_folder import AttemptFiles, read_metadata, read_metrics, scan_run
from leaderboard.scoring.super import SCORING
from tests.formats.samples import as_bytes


def add(root: Path, folder: str, *names: str, metadata: Any = None) -> Path:
    path = root / folder
    path.mkdir(parents=True)
    for name in names:
        (path / name).write_text("{}")
    if metadata is not None:
        (path / "metadata.json").write_text(json.dumps(metadata))
    return path


def refusal(root: Path) -> Problem:
    with pytest.raises(InputError) as caught:
        scan_run(root)
    return caught.value.problem


def test_each_task_folder_is_an_attempt_sorted_by_task(tmp_path: Path) -> None:
    second = add(tmp_path, "pet", "history.ipynb", "metrics.json", "stdout.txt")
    first = add(tmp_path, "cet_data", "metrics.json")
    (tmp_path / "notes.txt").touch()
    (tmp_path / ".cache").mkdir()
    run = scan_run(tmp_path)
    assert run.problems == ()
    assert run.attempts == (
        AttemptFiles("cet_data", "cet_data", metrics=first / "metrics.json"),
        AttemptFiles("pet", "pet", trajectory=second / "history.ipynb", metrics=second / "metrics.json"),
    )


def test_history_json_goes_before_the_notebook(tmp_path: Path) -> None:
    folder = add(tmp_path, "pet", "history.ipynb", "history.json")
    assert scan_run(tmp_path).attempts[0].trajectory == folder / "history.json"


@pytest.mark.parametrize("task", ["pet", {"task_id": "pet", "query": "q"}])
def test_metadata_names_the_task(tmp_path: Path, task: Any) -> None:
    add(tmp_path, "run-7", "history.json", metadata={"task": task})
    attempt = scan_run(tmp_path).attempts[0]
    assert (attempt.task_id, attempt.name) == ("pet", "run-7")


def test_metadata_without_a_task_leaves_the_folders_name(tmp_path: Path) -> None:
    add(tmp_path, "pet", "history.json", metadata={"args": {"seed": 1}})
    assert scan_run(tmp_path).attempts[0].task_id == "pet"


def test_of_two_folders_for_one_task_neither_is_used(tmp_path: Path) -> None:
    add(tmp_path, "a", "history.json", metadata={"task": "pet"})
    add(tmp_path, "b", "history.json", metadata={"task": "pet"})
    add(tmp_path, "cet", "history.json")
    run = scan_run(tmp_path)
    assert [attempt.task_id for attempt in run.attempts] == ["cet"]
    (problem,) = run.problems
    assert problem.file == "a"
    assert "this folder and b are both attempts at the task pet" in problem.reason


def test_a_folder_without_anything_to_read_is_a_problem_and_the_rest_is_read(tmp_path: Path) -> None:
    add(tmp_path, "cet", "stdout.txt")
    add(tmp_path, "pet", "history.json")
    run = scan_run(tmp_path)
    assert [attempt.task_id for attempt in run.attempts] == ["pet"]
    assert [problem.file for problem in run.problems] == ["cet"]


def test_broken_metadata_is_a_problem_of_its_file(tmp_path: Path) -> None:
    (add(tmp_path, "pet", "history.json") / "metadata.json").write_text('{"task"')
    run = scan_run(tmp_path)
    assert run.attempts == ()
    assert [problem.file for problem in run.problems] == ["pet/metadata.json"]


@pytest.mark.parametrize("name", ["history.json", "history.ipynb", "metrics.json", "metadata.json"])
def test_a_file_that_links_out_of_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text("{}")
    folder = add(tmp_path / "run", "pet", *({"history.json", "metrics.json"} - {name}))
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(secret)
    run = scan_run(tmp_path / "run")
    if name == "history.ipynb":
        (folder / "history.json").unlink()
        run = scan_run(tmp_path / "run")
    assert run.attempts == ()
    assert [problem.file for problem in run.problems] == [f"pet/{name}"]


def test_a_task_folder_that_links_out_is_refused(tmp_path: Path) -> None:
    target = add(tmp_path, "elsewhere", "history.json")
    add(tmp_path / "run", "pet", "history.json")
    (tmp_path / "run" / "cet").symlink_to(target)
    run = scan_run(tmp_path / "run")
    assert [attempt.task_id for attempt in run.attempts] == ["pet"]
    assert [problem.file for problem in run.problems] == ["cet"]


def test_a_link_within_the_folder_is_followed(tmp_path: Path) -> None:
    folder = add(tmp_path, "pet", "history.json")
    add(tmp_path, "cet")
    (tmp_path / "cet" / "history.json").symlink_to(folder / "history.json")
    assert [attempt.task_id for attempt in scan_run(tmp_path).attempts] == ["cet", "pet"]


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    folder = add(tmp_path, "pet")
    (folder / "history.json").symlink_to(folder / "history.json")
    assert [problem.file for problem in scan_run(tmp_path).problems] == ["pet/history.json"]


def test_a_name_that_is_not_utf8_is_shown_escaped(tmp_path: Path) -> None:
    add(tmp_path, os.fsdecode(b"caf\xe9"), "history.json")
    run = scan_run(tmp_path)
    assert run.attempts == ()
    assert [problem.file for problem in run.problems] == ["caf\\xe9"]


def test_a_root_that_is_no_run_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file.json"
    file.touch()
    (tmp_path / "empty").mkdir()
    assert refusal(tmp_path / "missing").reason == "there is no such folder"
    assert refusal(file).reason == "not a folder"
    assert refusal(tmp_path / "empty").reason == "there is no task folder in it"


def test_folders_that_may_not_be_read_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    add(tmp_path, "pet", "history.json", metadata={"task": "pet"})
    # Not by chmod: who runs tests as root may read anything.
    monkeypatch.setattr(Path, "read_bytes", forbidden)
    (problem,) = scan_run(tmp_path).problems
    assert (problem.file, problem.reason) == (
        "pet/metadata.json",
        "the file can't be read: Permission denied",
    )
    monkeypatch.setattr(Path, "iterdir", forbidden)
    assert "can't be listed" in refusal(tmp_path).reason


def test_metrics_tell_missing_from_null() -> None:
    data = as_bytes({"output_match": 0.5, "checkpoints": None, "submitted": 1, "cost": "high"})
    assert read_metrics(data, name="metrics.json", known=SCORING.scored) == {
        "accuracy": 0.5,
        "landmarks": None,
        "submitted": 1.0,
    }


@pytest.mark.parametrize("value", ["NaN", "1e400", "-0.1", "1.5", "true", '"1"', "[]"])
def test_a_metric_that_is_no_share_is_refused_with_its_key(value: str) -> None:
    with pytest.raises(InputError) as caught:
        read_metrics(f'{{"entrypoint": {value}}}'.encode(), name="pet/metrics.json", known=SCORING.scored)
    assert (caught.value.problem.file, caught.value.problem.place) == ("pet/metrics.json", "$.entrypoint")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("2", "2, not a number from 0 to 1"),
        ("-3.5", "-3.5, not"),
        ("1e999", "inf, not"),
        ("1" + "0" * 400, "a number beyond all floats, not"),
        ("true", "a boolean, not"),
    ],
)
def test_a_score_out_of_its_range_is_shown(value: str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"the score is {said}")):
        read_metrics(f'{{"entrypoint": {value}}}'.encode(), name="metrics.json", known=SCORING.scored)


@pytest.mark.parametrize("reader", [partial(read_metrics, known=()), read_metadata])
def test_metrics_and_metadata_are_objects(reader: Any) -> None:
    with pytest.raises(InputError, match="a list of 0 items, not an object"):
        reader(b"[]", name="f")


def test_metadata_has_the_arguments() -> None:
    assert read_metadata(as_bytes({"task": "pet", "args": {"seed": 1}}), name="f").args == {"seed": 1}
    assert read_metadata(as_bytes({"args": None}), name="f").args == {}


@pytest.mark.parametrize(("task", "place"), [(3, "$.task"), ({"task_id": []}, "$.task.task_id")])
def test_a_task_that_is_no_id_is_refused(task: Any, place: str) -> None:
    with pytest.raises(InputError) as caught:
        read_metadata(as_bytes({"task": task}), name="f")
    assert caught.value.problem.place == place
