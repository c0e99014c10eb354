"""Importing a run: what it takes, what it makes of it, and that it can be done again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks

from leaderboard.domain.errors import InputError
from leaderboard.models import Attempt, Entry, Figure, LandmarkOutcome, Score, TaskSet
from leaderboard.operating.imports import import_run
from tests.cast import (
    CET,
    MODEL,
    PET,
    SOLVER,
    add_attempt,
    all_rows,
    bring_in,
    history,
    make_set,
    metrics,
    report,
    stored_blobs,
)
from tests.formats.frameworks import stored, v1_events

pytestmark = pytest.mark.django_db


@pytest.fixture
def task_set() -> TaskSet:
    return make_set(PET, CET)


def scores(scorer: str) -> dict[str, float | None]:
    return dict(Score.objects.filter(scorer=scorer).values_list("metric", "value"))


def test_reported_and_computed_scores_stand_side_by_side(task_set: TaskSet, tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", history=history({"loss": 0.5}), metrics=metrics(0.25, 1.0, 0.0, 1))

    bring_in(tmp_path, task_set)

    assert scores("reported") == {
        "accuracy": 0.25,
        "landmarks": 1.0,
        "script_executed": 0.0,
        "submitted": 1.0,
    }
    assert scores("super-strict") == {
        "accuracy": 1.0,
        "landmarks": 0.5,
        "script_executed": 1.0,
        "submitted": 1.0,
    }
    assert set(Score.objects.exclude(scorer="reported").values_list("scorer", "version")) == {
        ("super-strict", "2"),
        ("super-paper", "1"),
    }


def test_what_a_task_has_nothing_for_gets_no_computed_score(tmp_path: Path) -> None:
    add_attempt(tmp_path, "cet", history=history("0.25"))

    bring_in(tmp_path, make_set(CET))

    assert scores("super-strict")["script_executed"] is None
    assert Score.objects.get(scorer="super-strict", metric="script_executed").reason == ""


def test_the_trajectory_is_stored_with_its_outline_and_the_fate_of_each_landmark(
    task_set: TaskSet, tmp_path: Path
) -> None:
    add_attempt(tmp_path, "pet", history=history({"loss": 0.5}, total_cost=0.25))

    bring_in(tmp_path, task_set)

    attempt = Attempt.objects.get()
    assert (attempt.has_trajectory, attempt.format, attempt.ending) == (
        True,
        "SUPER history.json",
        "submitted",
    )
    assert (json.loads(attempt.answer), attempt.duration, attempt.cost) == ({"loss": 0.5}, 20.0, 0.25)
    assert list(attempt.steps.values_list("number", "kind", "landmarks")) == [
        (1, "execute", [1]),
        (2, "submit", []),
    ]
    assert list(attempt.landmark_outcomes.values_list("number", "status", "first_step", "hits")) == [
        (1, "hit", 1, [[1, [[0, 7]], 0]]),
        (2, "missed", None, []),
    ]


def test_the_same_folder_again_changes_nothing(task_set: TaskSet, tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", history=history({"loss": 0.5}), metrics=metrics(1, 0.5, None, 1))
    add_attempt(tmp_path, "cet", metrics=metrics(0, 0.5))
    assert sorted(bring_in(tmp_path, task_set).added) == ["cet", "pet"]
    before, blobs = all_rows(), stored_blobs()

    again = bring_in(tmp_path, task_set)

    assert (again.added, again.changed, again.problems) == ([], [], [])
    assert all_rows() == before
    assert stored_blobs() == blobs


def test_figures_lost_to_a_killed_import_come_back_with_the_next(task_set: TaskSet, tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", history=history({"loss": 0.5}))
    bring_in(tmp_path, task_set)
    before = all_rows(keys=False)["Figure"]
    Figure.objects.all().delete()

    bring_in(tmp_path, task_set)

    assert all_rows(keys=False)["Figure"] == before


def test_metrics_alone_are_an_attempt_without_a_trajectory(task_set: TaskSet, tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", metrics=metrics(0.5, None))

    bring_in(tmp_path, task_set)

    attempt = Attempt.objects.get()
    assert not attempt.has_trajectory
    assert scores("reported") == {"accuracy": 0.5, "landmarks": None}
    assert not stored_blobs()


def test_trajectories_attach_to_the_entry_that_the_figures_made(task_set: TaskSet, tmp_path: Path) -> None:
    entry = report(task_set, SOLVER, {"pet": 0.25})
    add_attempt(tmp_path, "pet", history=history({"loss": 0.5}))

    assert bring_in(tmp_path, task_set).changed == ["pet"]

    attempt = Attempt.objects.get()
    assert attempt.entry == entry
    assert attempt.has_trajectory
    assert scores("reported") == {"accuracy": 0.25}


def test_figures_first_or_trajectories_first_end_the_same(tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", history=history({"loss": 0.5}))
    masked, expert = make_set(PET), make_set(PET, slug="expert")
    report(masked, SOLVER, {"pet": 0.25})
    bring_in(tmp_path, masked)
    bring_in(tmp_path, expert)
    report(expert, SOLVER, {"pet": 0.25})

    def ends(task_set: TaskSet) -> list[list[tuple[object, ...]]]:
        entry = Entry.objects.get(task_set=task_set)
        return [
            list(
                Figure.objects.filter(entry=entry)
                .order_by("scorer", "metric", "category")
                .values_list(*FIGURE)
            ),
            list(Score.objects.filter(attempt__entry=entry).order_by("scorer", "metric").values_list(*SCORE)),
            list(LandmarkOutcome.objects.filter(attempt__entry=entry).values_list("number", "status")),
        ]

    assert ends(masked) == ends(expert)


FIGURE = ("scorer", "source", "metric", "category", "value", "attempted", "scored", "tasks", "stale")
SCORE = ("scorer", "metric", "value", "reason")


def test_a_second_try_is_an_attempt_of_its_own(task_set: TaskSet, tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", history=history({"loss": 0.5}))
    bring_in(tmp_path, task_set)

    bring_in(tmp_path, task_set, number=2)

    assert list(Attempt.objects.values_list("task__task_id", "number")) == [("pet", 1), ("pet", 2)]
    assert Entry.objects.get().attempted == 1


def test_a_changed_trajectory_takes_the_place_of_the_old_one(
    task_set: TaskSet, tmp_path: Path, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    folder = add_attempt(tmp_path, "pet", history=history({"loss": 0.5}))
    bring_in(tmp_path, task_set)
    before = stored_blobs()
    (folder / "history.json").write_bytes(
        (folder / "history.json").read_bytes().replace(b"loss 0.5", b"lost")
    )

    with django_capture_on_commit_callbacks(execute=True):
        assert bring_in(tmp_path, task_set).changed == ["pet"]

    attempt = Attempt.objects.get()
    assert attempt.steps.get(number=1).observation == "epoch 1\nlost"
    assert attempt.files.count() == 3
    assert len(stored_blobs()) == 3
    assert not before & stored_blobs()


def test_progress_counts_the_files_done(task_set: TaskSet, tmp_path: Path) -> None:
    add_attempt(tmp_path, "pet", metrics=metrics(0))
    add_attempt(tmp_path, "cet", metrics=metrics(1))
    said: list[tuple[int, int]] = []

    bring_in(tmp_path, task_set, on_progress=lambda done, total: said.append((done, total)))

    assert said == [(1, 2), (2, 2)]


def test_an_interrupted_import_shows_what_it_recorded(task_set: TaskSet, tmp_path: Path) -> None:
    add_attempt(tmp_path, "cet", metrics=metrics(1))
    add_attempt(tmp_path, "pet", metrics=metrics(1))

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bring_in(tmp_path, task_set, on_progress=interrupt)

    assert Figure.objects.get(scorer="board", metric="accuracy", category="").value == 0.5


def test_many_files_are_prepared_in_processes_of_their_own_with_the_same_result(tmp_path: Path) -> None:
    names = [f"task-{n}" for n in range(8)]
    task_set = make_set(*(replace(PET, task_id=name) for name in names))
    for name in names:
        add_attempt(tmp_path, name, history=history({"loss": 0.5}))
    (tmp_path / names[3] / "history.json").write_text("{")

    outcome = import_run(tmp_path, task_set=task_set, agent=SOLVER, model=MODEL, workers=2)

    assert sorted(outcome.added) == [name for name in names if name != names[3]]
    assert [problem.file for problem in outcome.problems] == [f"{names[3]}/history.json"]
    assert Entry.objects.get(agent__model=MODEL).attempted == 7


def test_no_more_attempts_are_imported_than_the_benchmark_allows(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"it is attempt 11, and SUPER allows an entry 10 \(max_attempts\)"):
        bring_in(tmp_path, make_set(PET), number=11)


def test_attempts_of_several_files_are_imported_each_with_its_number(tmp_path: Path) -> None:
    task_set = make_set(PET, CET)
    for folder in ("pet/attempt_1", "pet/attempt_2", "cet"):
        finish = ("finish", {"kind": "FinishAction", "message": json.dumps({"loss": folder})}, None)
        for name, content in stored(v1_events(finish), folder=f"{folder}/").items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes(content)
    stranger = tmp_path / "stranger" / "events"
    stranger.mkdir(parents=True)
    (stranger / "event-00000-x.json").write_bytes(b"{}")

    report = bring_in(tmp_path, task_set)

    assert sorted(report.added) == ["cet", "pet", "pet"]
    assert [problem.file for problem in report.problems] == ["stranger"]
    rows = Attempt.objects.order_by("task__task_id", "number").values_list("task__task_id", "number")
    assert list(rows) == [("cet", 1), ("pet", 1), ("pet", 2)]
    assert sorted(bring_in(tmp_path, task_set).unchanged) == ["cet", "pet", "pet"]
