"""manage.py import_tasks."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command

from leaderboard.catalogue.selectors import task_spec
from leaderboard.catalogue.services import save_benchmark
from leaderboard.models import Benchmark, Task
from tests.cast import all_rows, attempt_at, make_set

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("task_sets")]
PET = {
    "task_id": "pet_data",
    "query": "Train PET.",
    "github_repo": "https://example.org/pet",
    "entrypoint": "train.py",
    "answer": '{"loss": 0.5}',
    "landmarks": ["epoch \\d+"],
    "pre_execute_cells": ['{"type": "execute", "content": "ls"}'],
}
CET = {"task_id": "cet_cpu,issue", "answer": None, "landmarks": None}


@pytest.fixture
def task_sets() -> None:
    make_set()


def run(*arguments: object, **options: Any) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("import_tasks", *map(str, arguments), stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def refusal(*arguments: object, **options: Any) -> str:
    """What the command complains of when it fails with status 1."""
    err = io.StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("import_tasks", *map(str, arguments), stdout=io.StringIO(), stderr=err, **options)
    assert caught.value.returncode == 1
    return err.getvalue()


def write_lines(path: Path, *records: Any) -> Path:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


def write_json(path: Path, *records: Any) -> Path:
    path.write_text(json.dumps(records))
    return path


def write_parquet(path: Path, *records: Any) -> Path:
    pq.write_table(pa.Table.from_pylist(list(records)), path)
    return path


@pytest.mark.parametrize("write", [write_lines, write_json, write_parquet])
def test_every_form_of_file_is_read(write: Any, tmp_path: Path) -> None:
    out, err = run(write(tmp_path / "tasks", PET, CET), "--set", "masked")

    assert (out, err) == ("tasks: super/masked: 2 added, 0 changed, 0 unchanged\n", "")
    pet = task_spec(Task.objects.get(task_id="pet_data"))
    assert (pet.gold, pet.landmarks, pet.entrypoint) == ({"loss": 0.5}, ("epoch \\d+",), "train.py")
    assert pet.pre_execute_cells == (("execute", "ls"),)
    categories = Task.objects.values_list("task_id", "categories__slug")
    assert set(categories) == {("pet_data", "data"), ("cet_cpu,issue", "cpu"), ("cet_cpu,issue", "issue")}


def test_again_it_prints_what_changed(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "masked.jsonl", PET, CET)
    run(path)
    before = all_rows()
    assert run(path)[0] == "masked.jsonl: super/masked: 0 added, 0 changed, 2 unchanged\n"
    assert all_rows() == before
    write_lines(path, {**PET, "query": "Train it."}, CET, {"task_id": "dpt_goal"})

    assert run(path)[0] == "masked.jsonl: super/masked: 1 added, 1 changed, 1 unchanged\n"


def test_a_changed_gold_names_the_stale_scores_and_what_to_do(tmp_path: Path) -> None:
    task_set = make_set()
    run(write_lines(tmp_path / "masked.jsonl", {**PET, "task_id": "pet"}))
    attempt_at(task_set, tmp_path / "run")
    changed = write_lines(tmp_path / "masked.jsonl", {**PET, "task_id": "pet", "answer": "1"})

    out, _ = run(changed)

    assert out.splitlines()[1] == "2 scores are stale: manage.py rescore --set super/masked"


def test_one_bad_record_leaves_out_its_whole_file_and_no_other(tmp_path: Path) -> None:
    bad = write_lines(tmp_path / "bad.jsonl", PET, {"query": "no id"}, {"task_id": 3})
    good = write_lines(tmp_path / "good.jsonl", CET)

    said = refusal(bad, good, "--set", "masked")

    assert [line.partition(":")[0] for line in said.splitlines()] == [
        "bad.jsonl, line 2",
        "bad.jsonl, line 3",
    ]
    assert list(Task.objects.values_list("task_id", flat=True)) == ["cet_cpu,issue"]


def test_a_task_that_no_address_can_hold_is_named_with_its_file(tmp_path: Path) -> None:
    said = refusal(write_lines(tmp_path / "masked.jsonl", PET, {"task_id": "a/b"}))

    assert said.startswith("masked.jsonl, task a/b: task_id has a character that is not allowed")
    assert not Task.objects.exists()


def test_a_file_with_one_unknown_set_is_left_out_and_nothing_is_said_to_be_added(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "tasks.jsonl", {**PET, "set": "masked"}, {**CET, "set": "auto"})
    out = io.StringIO()

    with pytest.raises(CommandError):
        call_command("import_tasks", str(path), stdout=out, stderr=io.StringIO())

    assert out.getvalue() == ""
    assert not Task.objects.exists()


def test_a_set_may_name_its_benchmark(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "tasks.jsonl", PET)

    assert "“other/masked” is not a task set (task sets: super/masked, super/expert)" in refusal(
        path, "--set", "other/masked"
    ).replace("“masked”", "“other/masked”")
    assert run(path, "--set", "super/masked")[0].startswith("tasks.jsonl: super/masked: 1 added")
    assert Task.objects.get().categories.get().slug == "data"


def test_a_benchmark_is_named_only_where_several_have_such_a_set(tmp_path: Path) -> None:
    other = Benchmark.objects.create(slug="other", name="Other")
    for slug in ("masked", "deep"):
        other.task_sets.create(slug=slug, name=slug)
    lone = Benchmark.objects.create(slug="lone", name="Lone")
    lone.task_sets.create(slug="all", name="All")
    path = write_lines(tmp_path / "masked.jsonl", PET)

    assert "“masked” names more than one task set" in refusal(path)
    assert run(path, "--benchmark", "super")[0].startswith("masked.jsonl: super/masked: 1 added")
    assert run(write_lines(tmp_path / "deep.jsonl", CET))[0].startswith("deep.jsonl: other/deep: 1 added")
    # The name of a set without others says nothing: “all” may be a word of any file's name.
    assert "the task's set is unknown" in refusal(write_lines(tmp_path / "all.jsonl", PET))
    assert run(write_lines(tmp_path / "f.jsonl", PET), "--benchmark", "lone")[0].startswith(
        "f.jsonl: lone/all"
    )
    assert "“none” is not a benchmark (benchmarks: lone, other, super)" in refusal(
        path, "--benchmark", "none"
    )


def test_a_landmark_that_can_not_compile_is_reported_with_task_and_pattern(tmp_path: Path) -> None:
    _, err = run(write_lines(tmp_path / "masked.jsonl", {**PET, "landmarks": ["fine", "f1 (0"]}))

    assert err.startswith(
        "warning: masked.jsonl, task pet_data, landmark 2 “f1 (0”: can't compile and never matches: "
    )
    assert Task.objects.get().landmarks == ["fine", "f1 (0"]


def test_a_landmark_that_holds_the_gold_stays_out_of_the_log(tmp_path: Path) -> None:
    record = {**PET, "answer": '{"loss": 0.6174}', "landmarks": ["(loss 0\\.6174"]}

    out, err = run(write_lines(tmp_path / "masked.jsonl", record))

    assert "task pet_data, landmark 1 (it reveals the gold answer): can't compile" in err
    assert "6174" not in out + err


def test_what_is_odd_but_readable_is_a_warning(tmp_path: Path) -> None:
    _, err = run(write_lines(tmp_path / "masked.jsonl", {**PET, "answer": "NaN"}))

    assert err.startswith("warning: masked.jsonl, line 1, task pet_data: ")


def test_the_hub_is_asked_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    class Datasets:
        """Stands in for the library of that name."""

        @staticmethod
        def get_dataset_config_names(name: str) -> list[str]:
            return ["Expert", "Masked"]

        @staticmethod
        def load_dataset(name: str, config: str) -> dict[str, list[Any]]:
            return {"all_examples": [PET]}

    monkeypatch.setitem(sys.modules, "datasets", Datasets)
    with pytest.raises(CommandError, match="no “sources” name a dataset"):
        run(hub=True)
    Benchmark.objects.update(sources=["allenai/super"])

    assert run(hub=True)[0] == (
        "allenai/super: super/expert: 1 added, 0 changed, 0 unchanged\n"
        "allenai/super: super/masked: 1 added, 0 changed, 0 unchanged\n"
    )


def test_nothing_to_import_is_said() -> None:
    with pytest.raises(CommandError, match="name a file to import, or give --hub"):
        call_command("import_tasks")


POINT: dict[str, Any] = {
    "paper_id": "2309.05569",
    "func_ids": "0",
    "func_details": [{"file": "model.py", "name": "fit"}],
    "experiments": "Experiment 1: Train.",
    "solution": "python train.py",
    "results": {"Experiment 1": {"loss": 0.5}},
}


def with_levels(slug: str, **levels: int | None) -> Benchmark:
    """A benchmark of AutoExperiment with a set for each name, and its level."""
    sets = [{"slug": name, "name": name, "level": level} for name, level in levels.items()]
    return save_benchmark({"slug": slug, "name": slug, "scoring": "autoexperiment", "task_sets": sets})


def test_data_points_come_into_the_set_of_their_level(tmp_path: Path) -> None:
    task_set = with_levels("autoexperiment", n1=1).task_sets.get()
    out, err = run(write_lines(tmp_path / "mlrc_n=1.jsonl", POINT))

    assert (out, err) == ("mlrc_n=1.jsonl: autoexperiment/n1: 1 added, 0 changed, 0 unchanged\n", "")
    task = task_set.tasks.get()
    assert (task.task_id, json.loads(task.gold)) == ("2309.05569_0", POINT["results"])
    assert [category.slug for category in task.categories.all()] == ["2309.05569"]
    # Levels are never put together.
    complete = write_lines(tmp_path / "mlrc_n=0.jsonl", {**POINT, "func_ids": "", "func_details": []})
    assert "“n0” is not a task set" in refusal(complete)
    assert "its tasks mask 0 functions, and autoexperiment/n1 is for 1" in refusal(complete, "--set", "n1")


def test_the_set_of_a_level_is_found_by_its_level_and_not_by_its_name(tmp_path: Path) -> None:
    with_levels("auto", hard=1, n1=2, n0=None)
    one = write_lines(tmp_path / "mlrc_n=1.jsonl", POINT)
    complete = write_lines(tmp_path / "mlrc_n=0.jsonl", {**POINT, "func_ids": "", "func_details": []})

    assert "auto/hard: 1 added" in run(one)[0]
    assert "auto/n0: 1 added" in run(complete)[0]
    assert "is for 2" in refusal(one, "--set", "n1")

    with_levels("other", easy=1, hard=2)
    assert "the level 1 is that of auto/hard, other/easy (give --benchmark)" in refusal(one)
    assert "other/easy: 1 added" in run(one, benchmark="other")[0]
