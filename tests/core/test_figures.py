"""The figures of a board: whose they are, and what they are means of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from django.test import Client

from leaderboard.attempts.services import record_attempt
from leaderboard.catalogue.services import import_tasks
from leaderboard.core.figures import refresh_figures
from leaderboard.domain.trajectory import MISSING
from leaderboard.entries.names import ensure_entry
from leaderboard.models import Category, Entry, Figure, Score, TaskSet
from tests.cast import (
    CET,
    DPT,
    MODEL,
    PET,
    SOLVER,
    add_attempt,
    all_rows,
    attempt_at,
    bring_in,
    history,
    make_set,
    metrics,
    report,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def task_set() -> TaskSet:
    return make_set(PET, CET, DPT)


def figure(metric: str = "accuracy", category: str = "", scorer: str = "board") -> Figure:
    return Figure.objects.get(scorer=scorer, metric=metric, category=category)


def test_a_task_without_an_attempt_counts_as_failed(task_set: TaskSet) -> None:
    report(task_set, SOLVER, {"pet": 1.0, "cet": 0.5})

    shown = figure()
    assert (shown.value, shown.tasks) == (0.5, 3)
    assert (shown.attempted, shown.scored) == (0.75, 2)


def test_a_task_attempted_without_a_score_counts_for_nothing(task_set: TaskSet) -> None:
    report(task_set, SOLVER, {"pet": 1.0, "cet": None, "dpt": 0.5})

    shown = figure()
    assert (shown.value, shown.tasks, shown.scored) == (0.75, 2, 2)


def test_an_entry_without_any_score_has_no_figure(task_set: TaskSet) -> None:
    report(task_set, SOLVER, {"pet": None})

    assert (figure().value, figure().attempted, figure().scored) == (None, None, 0)


def test_a_task_counts_in_each_of_its_categories(task_set: TaskSet) -> None:
    report(task_set, SOLVER, {"pet": 1.0, "cet": 0.5, "dpt": 0.0})

    by_category = Figure.objects.filter(scorer="board", metric="accuracy").order_by("category")
    assert list(by_category.values_list("category", "value", "tasks")) == [
        ("", 0.5, 3),
        ("cpu", 0.5, 1),
        ("data", 0.75, 2),
        ("goal", 0.0, 1),
    ]


def test_tries_at_one_task_are_averaged_first(task_set: TaskSet) -> None:
    entry = report(task_set, SOLVER, {"pet": 1.0, "cet": 1.0, "dpt": 1.0})
    pet = task_set.tasks.get(task_id="pet")
    record_attempt(entry=entry, task=pet, number=2, reported={"accuracy": 0.5})
    refresh_figures(task_set, [entry])

    assert figure().value == pytest.approx((0.75 + 1 + 1) / 3)
    assert Entry.objects.get().attempted == 3


def test_the_board_shows_what_the_site_computed_not_what_was_reported(tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", history=history({"loss": 0.5}), metrics=metrics(0.25, 0.25, 0.25, 0))

    bring_in(tmp_path, make_set(PET))

    sources = Figure.objects.filter(scorer="board", category="").exclude(source="recorded")
    assert set(sources.values_list("metric", "source", "version", "value")) == {
        ("accuracy", "super-strict", "2", 1.0),
        ("landmarks", "super-strict", "2", 0.5),
        ("script_executed", "super-strict", "2", 1.0),
        ("submitted", "super-strict", "2", 1.0),
    }
    assert figure(scorer="reported").value == 0.25


def test_a_reported_score_counts_only_for_attempts_that_the_site_can_not_score(
    task_set: TaskSet, tmp_path: Path
) -> None:
    report(task_set, SOLVER, {"pet": 0.25, "cet": 0.25})
    attempt_at(task_set, tmp_path)

    assert figure().source == "mixed"
    assert figure().value == pytest.approx((1.0 + 0.25) / 3)
    assert (figure(category="goal").source, figure(category="cpu").source) == ("reported", "reported")
    computed = figure(scorer="super-strict")
    assert (computed.attempted, computed.scored, computed.tasks) == (1.0, 1, 2)


def test_a_reported_score_counts_with_a_trajectory_where_the_task_has_no_gold_answer(tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", history=history({"loss": 0.5}), metrics=metrics(0.25, 0.25, 0.25, 0))

    bring_in(tmp_path, make_set(replace(PET, gold=MISSING)))

    assert (figure().source, figure().value) == ("reported", 0.25)


def test_a_reported_score_never_stands_in_for_one_that_does_not_apply(tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", history=history({"loss": 0.5}), metrics=metrics(1.0, 1.0, 1.0, 1))
    bring_in(tmp_path, make_set(PET))
    # As if a pre-executed cell had given every landmark.
    Score.objects.filter(metric="landmarks").exclude(scorer="reported").update(value=None)

    refresh_figures(Entry.objects.get().task_set, Entry.objects.all())

    assert figure("landmarks").value is None
    assert figure("landmarks", scorer="reported").value == 1.0


def test_a_category_that_left_takes_its_figures_along(task_set: TaskSet) -> None:
    report(task_set, SOLVER, {"pet": 1.0})

    import_tasks(task_set, [replace(DPT, categories=("issue",))])

    assert set(Figure.objects.values_list("category", flat=True)) == {"", "data", "cpu", "issue"}
    assert Category.objects.filter(slug="goal").exists()


def test_refreshing_again_changes_no_row(task_set: TaskSet) -> None:
    entry = report(task_set, SOLVER, {"pet": 1.0})
    before = all_rows()

    refresh_figures(task_set, [entry])

    assert all_rows() == before


def test_an_entry_without_an_attempt_has_no_figure(task_set: TaskSet) -> None:
    refresh_figures(task_set, [ensure_entry(task_set=task_set, agent=SOLVER, model=MODEL)])

    assert not Figure.objects.exists()


def test_figures_of_a_metric_that_left_go_with_it(task_set: TaskSet, client: Client) -> None:
    report(task_set, SOLVER, {"pet": 0.25})
    entry = task_set.entries.get()
    Figure.objects.filter(entry=entry, metric="submitted").update(metric="style")

    # Until they are computed again, nothing that shows them fails.
    assert client.get(f"/api/v1/entries/{entry.slug}").status_code == 200
    assert client.get(entry.get_absolute_url()).status_code == 200

    refresh_figures(task_set, [entry])
    assert not Figure.objects.filter(metric="style").exists()
    assert Figure.objects.filter(entry=entry, metric="submitted").exists()
