"""manage.py load_fixtures: SUPER's catalogue and published figures, Warm-up and its recordings."""

from __future__ import annotations

import io

import pytest
from django.core.management import call_command

from leaderboard.models import Attempt, Benchmark, Category, Entry, Figure, Task, TaskSet
from tests.cast import all_rows, stored_blobs

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
    sources = Figure.objects.filter(task_set__slug="all", scorer="board", category="").values_list("source")
    assert set(sources) == {("super-strict",)}
