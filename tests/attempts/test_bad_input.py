"""Bad input gets an answer that says what and where, and leaves the database as it was."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leaderboard.core import blobs
from leaderboard.models import Attempt, AttemptFile, Score, TaskSet
from tests.cast import CET, PET, add_attempt, all_rows, bring_in, history, make_set, metrics, stored_blobs
from tests.formats.samples import SWE_AGENT_PRELUDE, as_bytes, markdown, notebook, step_cells

pytestmark = pytest.mark.django_db


@pytest.fixture
def task_set() -> TaskSet:
    return make_set(PET, CET)


def truncated(run: Path) -> None:
    add_attempt(run, "pet", history=as_bytes(history())[:-40])


def invalid(run: Path) -> None:
    add_attempt(run, "pet", history=b'{"query": "q",\n "history": [}]}')


def refused_by_nbformat(run: Path) -> None:
    cell = {**markdown("### Step 1"), "cell_type": "poem"}
    (add_attempt(run, "pet") / "history.ipynb").write_bytes(as_bytes(notebook([cell])))


def empty_history(run: Path) -> None:
    add_attempt(run, "pet", history={"query": "q", "history": []})


def empty_file(run: Path) -> None:
    add_attempt(run, "pet", history=b"")


def not_utf8(run: Path) -> None:
    add_attempt(run, "pet", history=b'{"query": "\xff"}')


def too_large(run: Path) -> None:
    os.truncate(add_attempt(run, "pet", history=b"{}") / "history.json", 200 << 20)


def too_large_metrics(run: Path) -> None:
    os.truncate(add_attempt(run, "pet", metrics=b"{}") / "metrics.json", 200 << 20)


def nested_too_deeply(run: Path) -> None:
    add_attempt(run, "pet", history=b'{"query": "", "history": [' + b"[" * 100_000)


def unknown_format(run: Path) -> None:
    add_attempt(run, "pet", history={"steps": []})


def unknown_task(run: Path) -> None:
    add_attempt(run, "stranger", history=history())


def link_out_of_the_folder(run: Path) -> None:
    (run.parent / "secret.json").write_bytes(as_bytes(history()))
    (add_attempt(run, "pet") / "history.json").symlink_to(run.parent / "secret.json")


def duplicate_folders(run: Path) -> None:
    add_attempt(run, "a", history=history(), metadata={"task": "pet"})
    add_attempt(run, "b", history=history(), metadata={"task": "pet"})


def nan_metric(run: Path) -> None:
    add_attempt(run, "pet", history=history(), metrics=b'{"output_match": NaN}')


def infinite_metric(run: Path) -> None:
    add_attempt(run, "pet", history=history(), metrics=b'{"checkpoints": 1e400}')


def nothing_to_read(run: Path) -> None:
    add_attempt(run, "pet")


CASES: dict[Callable[[Path], None], str] = {
    truncated: "pet/history.json, line 1, column",
    invalid: "pet/history.json, line 2, column 14: not valid JSON",
    refused_by_nbformat: "pet/history.ipynb, cell 3: the cell_type is not code, markdown or raw",
    empty_history: "pet/history.json, $.history: the history has no steps",
    empty_file: "pet/history.json: the file is empty",
    not_utf8: "pet/history.json, line 1, byte 11: not UTF-8 text",
    too_large: "pet/history.json: the file has 200 MB, more than the limit of 100 MB",
    too_large_metrics: "pet/metrics.json: the file has 200 MB, more than the limit of 100 MB",
    nested_too_deeply: "pet/history.json: lists or objects nest too deeply",
    unknown_format: "pet/history.json: not a known trajectory format",
    unknown_task: "stranger: “stranger” is not a task of this task set",
    link_out_of_the_folder: "pet/history.json: a symbolic link that leads out of the run's folder",
    duplicate_folders: "a: this folder and b are both attempts at the task pet",
    nan_metric: "pet/metrics.json, $.output_match: the score is nan, not a number from 0 to 1",
    infinite_metric: "pet/metrics.json, $.checkpoints: the score is inf, not a number from 0 to 1",
    nothing_to_read: "pet: there is no history.json, history.ipynb or metrics.json in the folder",
}


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
def test_bad_input_is_named_and_leaves_nothing(
    make: Callable[[Path], None], task_set: TaskSet, tmp_path: Path
) -> None:
    make(tmp_path / "run")
    before = all_rows()

    (problem,) = bring_in(tmp_path / "run", task_set).problems

    assert str(problem).startswith(CASES[make])
    assert problem.remedy
    assert all_rows() == before
    assert stored_blobs() == set()


def test_the_rest_of_a_run_is_imported(task_set: TaskSet, tmp_path: Path) -> None:
    truncated(tmp_path)
    add_attempt(tmp_path, "cet", history=history("0.25"))

    done = bring_in(tmp_path, task_set)

    assert done.added == ["cet"]
    assert [problem.file for problem in done.problems] == ["pet/history.json"]
    assert Attempt.objects.get().task.task_id == "cet"


def test_a_bad_file_leaves_the_attempt_that_was_there(task_set: TaskSet, tmp_path: Path) -> None:
    folder = add_attempt(tmp_path, "pet", history=history())
    bring_in(tmp_path, task_set)
    before, files = all_rows(), stored_blobs()
    (folder / "history.json").write_text("{")

    assert len(bring_in(tmp_path, task_set).problems) == 1

    assert all_rows() == before
    assert stored_blobs() == files


ODD = "a\x00b\ud800c\x1b[31mred\x1b[0m"


def test_nul_and_lone_surrogates_are_shown_and_the_original_keeps_them(
    task_set: TaskSet, tmp_path: Path
) -> None:
    document = history({"lo\x00ss": ODD}, observation=ODD)
    document["query"] = ODD
    document["history"][0]["thought"] = ODD
    document["history"][0]["action"] = {"type": ODD, "content": ODD}
    original = as_bytes(document)
    add_attempt(tmp_path, "pet", history=original)

    assert bring_in(tmp_path, task_set).problems == []

    attempt = Attempt.objects.get()
    assert attempt.query == "a␀b�c\x1b[31mred\x1b[0m"
    step = attempt.steps.get(number=1)
    assert (step.observation, step.thought[:5]) == ("a␀b�cred", "a␀b�c")
    assert blobs.read(attempt.files.get(kind=AttemptFile.Kind.ORIGINAL).blob) == original


def test_a_step_without_an_observation_is_noted(task_set: TaskSet, tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", history=history(observation=None))

    assert bring_in(tmp_path, task_set).problems == []

    (warning,) = Attempt.objects.get().warning_texts
    assert warning == "pet/history.json, $.history[0].observation: step 1 has no observation"


@pytest.mark.parametrize("number", ["NaN", "1e400", "-1e400", "1" + "0" * 400])
def test_no_gold_matches_a_number_that_is_none(number: str, task_set: TaskSet, tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", history=as_bytes(history({"loss": 7.5})).replace(b"7.5", number.encode()))

    assert bring_in(tmp_path, task_set).problems == []

    assert Score.objects.get(scorer="super-strict", metric="accuracy").value == 0


def test_an_answer_of_null_is_told_from_none(task_set: TaskSet, tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", history=history(None))
    unanswered = history()
    unanswered["history"].pop()
    add_attempt(tmp_path, "cet", history=unanswered)

    bring_in(tmp_path, task_set)

    assert dict(Attempt.objects.values_list("task__task_id", "answer")) == {"pet": "null", "cet": ""}


def test_an_answer_nested_as_deeply_as_can_be_read_is_stored(task_set: TaskSet, tmp_path: Path) -> None:
    imported = 0
    for number, depth in enumerate(range(100, 1000, 100), start=1):
        nested: Any = json.loads("[" * depth + "]" * depth)
        add_attempt(tmp_path / str(depth), "pet", history=history(nested))
        done = bring_in(tmp_path / str(depth), task_set, number=number)
        imported += len(done.added)
        assert [problem.reason for problem in done.problems] in ([], ["lists or objects nest too deeply"])

    assert imported


def test_notebooks_of_both_styles_are_read(task_set: TaskSet, tmp_path: Path) -> None:
    (add_attempt(tmp_path, "pet") / "history.ipynb").write_bytes(
        as_bytes(notebook(step_cells(1), step_cells(2, "submit", "{'loss': 0.5}")))
    )
    (add_attempt(tmp_path, "cet") / "history.ipynb").write_bytes(
        as_bytes(
            notebook(
                step_cells(1, "None"),
                step_cells(2, "submit", 'submit {"f1": 0.25}'),
                prelude=SWE_AGENT_PRELUDE,
            )
        )
    )

    bring_in(tmp_path, task_set)

    assert set(Score.objects.filter(scorer="super-strict", metric="accuracy").values_list("value")) == {
        (1.0,)
    }


def test_metrics_of_another_kind_are_passed_over(task_set: TaskSet, tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", metrics={**metrics(0.5), "seconds": "many", "cost": float("nan")})

    assert bring_in(tmp_path, task_set).problems == []

    assert list(Score.objects.values_list("metric", "value")) == [("accuracy", 0.5)]
