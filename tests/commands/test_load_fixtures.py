"""manage.py load_fixtures: every benchmark of fixtures/, with its tasks, results and recordings."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command

from leaderboard.models import Attempt, Benchmark, Category, Entry, Figure, Task, TaskSet
from leaderboard.operating.fixtures import load_fixtures
from tests.cast import all_rows, history, stored_blobs

pytestmark = pytest.mark.django_db


def load() -> str:
    out = io.StringIO()
    call_command("load_fixtures", stdout=out)
    return out.getvalue()


def accuracies(benchmark: str) -> dict[str, tuple[float | None, int]]:
    figures = Figure.objects.filter(
        task_set__benchmark__slug=benchmark, scorer="board", metric="accuracy", category=""
    )
    rows = figures.values_list("entry__agent__model", "entry__task_set__slug", "value", "tasks")
    return {f"{model} {task_set}": (value, tasks) for model, task_set, value, tasks in rows}


def test_loading_again_changes_nothing() -> None:
    load()
    before, files = all_rows(), stored_blobs()

    load()

    assert all_rows() == before
    assert stored_blobs() == files


def test_it_brings_supers_catalogue_and_warm_up() -> None:
    said = load()

    counts = {str(s): s.tasks.count() for s in TaskSet.objects.all()}
    assert counts == {"Masked": 144, "Expert": 45, "Auto": 0, "All six": 6}
    assert TaskSet.objects.get(is_default=True).slug == "masked"
    assert Category.objects.filter(benchmark__slug="super").count() == 6
    # The other six have no published trajectory that says what they ask.
    assert Task.objects.filter(task_set__slug="expert").exclude(title="").count() == 39
    assert Entry.objects.filter(task_set__benchmark__slug="super").count() == 4
    assert "allenai/super" in Benchmark.objects.get(slug="super").sources
    assert "SUPER: 189 tasks in 2 task sets\n" in said


def test_published_runs_come_without_trajectories_and_warm_up_with_them() -> None:
    load()

    with_trajectory = Attempt.objects.values_list("task__task_set__slug", "has_trajectory").distinct()
    assert set(with_trajectory) == {("masked", False), ("expert", False), ("all", True)}


def test_warm_up_has_an_agent_that_solves_all_and_one_that_fails_in_telling_ways() -> None:
    load()

    figures = accuracies("warm-up")
    assert figures["expert all"] == (1.0, 6)
    assert figures["hasty all"][1] == 6
    assert (figures["hasty all"][0] or 0) < 0.5
    sources = Figure.objects.filter(
        task_set__slug="all", scorer="board", category="", metric="accuracy"
    ).values_list("source")
    assert set(sources) == {("super-strict",)}


def test_a_folder_more_is_a_benchmark_more_with_recordings_by_set_and_attempt(tmp_path: Path) -> None:
    folder = tmp_path / "deep"
    about = {"slug": "deep", "name": "Deep", "summary": "", "url": "", "position": 3, "categories": []}
    sets = [{"slug": slug, "name": slug, "summary": "", "is_default": False} for slug in ("one", "two")]
    metadata = {"task": "pet", "args": {"agent": "Scripted", "model": "slow"}}
    files = {
        "benchmark.json": about | {"scoring": "super", "task_sets": sets},
        "first.jsonl": {"set": "one", "task_id": "pet", "answer": "1"},
        "second.jsonl": {"set": "two", "task_id": "pet", "answer": "2"},
        "runs/slow/one/attempt_1/pet/history.json": history(1),
        "runs/slow/one/attempt_2/pet/history.json": history(0),
        "runs/slow/two/attempt_1/pet/history.json": history(2),
    }
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content))
        if name.startswith("runs"):
            (folder / name).with_name("metadata.json").write_text(json.dumps(metadata))
    said: list[str] = []

    load_fixtures(tmp_path, say=said.append)

    attempts = Attempt.objects.values_list("task__task_set__slug", "number")
    assert sorted(attempts) == [("one", 1), ("one", 2), ("two", 1)]
    assert accuracies("deep") == {"slow one": (0.5, 1), "slow two": (1.0, 1)}
    assert said == ["Deep: 2 tasks in 2 task sets", "Scripted · slow: 3 recorded attempts"]
