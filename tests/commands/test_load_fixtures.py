"""manage.py load_fixtures: every benchmark of fixtures/, with its tasks, results and recordings."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from django.core.management import call_command

from leaderboard.models import Attempt, Benchmark, Category, Entry, Figure, Task, TaskSet
from leaderboard.operating.fixtures import load_fixtures
from tests.cast import all_rows, history, stored_blobs
from tests.warmup.places import ROOT

pytestmark = pytest.mark.django_db
DOCUMENT = ROOT / "docs" / "autoexperiment.md"


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


def test_every_bundled_benchmark_comes_with_what_is_known_of_it_and_loading_again_changes_nothing() -> None:
    # In one test, because a load takes seconds.
    said = load()
    before, files = all_rows(), stored_blobs()
    reported = Entry.objects.filter(task_set__benchmark__slug="super")
    assert {(each.model_openness, each.scaffold_openness) for each in reported} == {
        ("api-only", "open-source")
    }

    check_supers_catalogue(said)
    check_which_runs_have_trajectories()
    check_warm_up_has_an_agent_that_solves_all_and_one_that_fails_in_telling_ways()
    check_the_small_papers_have_the_figures_of_their_document()
    load()

    assert all_rows() == before
    assert stored_blobs() == files


def check_supers_catalogue(said: str) -> None:
    counts = {task_set.key: task_set.tasks.count() for task_set in TaskSet.objects.all()}
    levels = {"small-papers/n0": 2, "small-papers/n1": 4, "small-papers/n2": 3, "small-papers/n3": 1}
    assert counts == {"super/masked": 144, "super/expert": 45, "super/auto": 0, "warm-up/all": 6, **levels}
    assert TaskSet.objects.get(is_default=True).slug == "masked"
    assert Category.objects.filter(benchmark__slug="super").count() == 6
    # The other six have no published trajectory that says what they ask.
    assert Task.objects.filter(task_set__slug="expert").exclude(title="").count() == 39
    assert Entry.objects.filter(task_set__benchmark__slug="super").count() == 4
    assert "allenai/super" in Benchmark.objects.get(slug="super").sources
    assert "SUPER: 189 tasks in 2 task sets\n" in said


def check_which_runs_have_trajectories() -> None:
    with_trajectory = Attempt.objects.values_list("task__task_set__benchmark__slug", "has_trajectory")
    assert set(with_trajectory) == {("super", False), ("warm-up", True), ("small-papers", True)}


def check_warm_up_has_an_agent_that_solves_all_and_one_that_fails_in_telling_ways() -> None:
    figures = accuracies("warm-up")
    assert figures["expert all"] == (1.0, 6)
    assert figures["hasty all"][1] == 6
    assert (figures["hasty all"][0] or 0) < 0.5
    sources = Figure.objects.filter(
        task_set__slug="all", scorer="board", category="", metric="accuracy"
    ).values_list("source")
    assert set(sources) == {("super-strict",)}


def check_the_small_papers_have_the_figures_of_their_document() -> None:
    """The document's figures are recomputed from the recordings in tests/papers."""
    rows = re.findall(r"^\| (\d) \| (.*) \|$", DOCUMENT.read_text(), re.MULTILINE)
    for level, figures in rows:
        found = Figure.objects.filter(task_set__slug=f"n{level}", scorer="board", category="")
        values = {(f.entry.agent.model, f.metric): f.value for f in found.select_related("entry__agent")}
        shown = [values["restorer", "pass_1"], values["rewriter", "pass_1"], values["rewriter", "pass_5"]]
        assert " | ".join(f"{value * 100:.1f}" for value in shown if value is not None) == figures
        # It made one attempt at each task.
        assert values["restorer", "pass_5"] is None
    assert len(rows) == 4


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
