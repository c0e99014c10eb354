"""Re-scoring: seen before it takes effect, and harmless when asked for twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.attempts.services import record_attempt
from leaderboard.catalogue.selectors import task_spec
from leaderboard.catalogue.services import import_tasks
from leaderboard.core import blobs
from leaderboard.entries.names import ensure_entry
from leaderboard.formats.answers import GivenAnswer
from leaderboard.models import Attempt, Figure, LandmarkOutcome, Score, TaskSet
from leaderboard.operating.rescoring import preview_rescore, rescore_attempt, stale_attempts
from leaderboard.pipeline import prepare
from leaderboard.scoring.super import SCORING
from runner.worker.tasks import rescore
from tests.cast import (
    MODEL,
    NOVICE,
    PET,
    SOLVER,
    add_attempt,
    all_rows,
    attempt_at,
    bring_in,
    history,
    make_set,
    metrics,
    stored_blobs,
    unanswered,
)
from tests.formats.samples import as_bytes

pytestmark = pytest.mark.django_db


@pytest.fixture
def task_set(tmp_path: Path) -> TaskSet:
    """Solver leads Novice, until the gold answer turns out to have been Novice's."""
    task_set = make_set(PET)
    attempt_at(task_set, tmp_path / "solver", {"loss": 0.5}, SOLVER)
    attempt_at(task_set, tmp_path / "novice", {"loss": 0.75}, NOVICE)
    import_tasks(task_set, [replace(PET, gold={"loss": 0.75})])
    return task_set


def accuracies() -> dict[str, float | None]:
    figures = Figure.objects.filter(scorer="board", metric="accuracy", category="")
    return dict(figures.values_list("entry__agent__name", "value"))


def test_a_preview_says_which_ranks_would_change_and_writes_nothing(task_set: TaskSet) -> None:
    before = all_rows()

    changes = preview_rescore(task_set, stale_attempts())

    assert {(str(c.entry.agent.name), c.before, c.after) for c in changes} == {(SOLVER, 1, 2), (NOVICE, 2, 1)}
    assert all_rows() == before


def test_a_preview_names_no_rank_that_stays(tmp_path: Path) -> None:
    task_set = make_set(PET)
    attempt_at(task_set, tmp_path)
    import_tasks(task_set, [replace(PET, gold={"loss": 0.505})])

    assert preview_rescore(task_set, stale_attempts()) == []


def test_a_rescore_takes_effect_in_scores_and_figures(task_set: TaskSet) -> None:
    for attempt in stale_attempts():
        rescore_attempt(attempt)

    assert accuracies() == {SOLVER: 0.0, NOVICE: 1.0}
    assert not Score.objects.filter(stale=True).exists()
    assert not Figure.objects.filter(stale=True).exists()
    assert not stale_attempts()


def test_a_rescore_leaves_what_was_reported(tmp_path: Path) -> None:
    task_set = make_set(PET)
    add_attempt(tmp_path, "pet", history=history({"loss": 0.5}), metrics=metrics(0.25))
    bring_in(tmp_path, task_set)
    import_tasks(task_set, [replace(PET, gold=1)])

    rescore_attempt(Attempt.objects.get())

    assert list(Score.objects.filter(scorer="reported").values_list("metric", "value")) == [
        ("accuracy", 0.25)
    ]


def test_a_rescore_marks_the_new_landmarks(task_set: TaskSet) -> None:
    import_tasks(task_set, [replace(PET, landmarks=("loss",))])
    attempt = Attempt.objects.filter(entry__agent__name=SOLVER).get()
    original = attempt.files.get(kind="original").blob

    rescore_attempt(attempt)

    outcomes = LandmarkOutcome.objects.filter(attempt=attempt)
    assert list(outcomes.values_list("number", "status", "hits")) == [(1, "hit", [[1, [[8, 12]], 0]])]
    assert attempt.files.get(kind="original").blob == original
    assert f"{original}.zst" in stored_blobs()


def test_a_rescore_leaves_alone_what_was_recorded_anew_meanwhile(task_set: TaskSet) -> None:
    attempt = Attempt.objects.filter(entry__agent__name=SOLVER).get()
    Attempt.objects.get(pk=attempt.pk).save()
    before = all_rows()

    rescore_attempt(attempt)

    assert all_rows() == before


def test_a_rescore_that_fails_in_its_figures_changes_no_score(
    task_set: TaskSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, files = all_rows(), stored_blobs()
    monkeypatch.setattr(Figure.objects, "bulk_create", lambda *args, **options: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        rescore_attempt(Attempt.objects.filter(entry__agent__name=SOLVER).get())

    assert all_rows() == before
    assert stored_blobs() == files


def test_a_doubled_message_is_harmless(task_set: TaskSet) -> None:
    attempt = Attempt.objects.filter(entry__agent__name=NOVICE).get()
    rescore(attempt.pk)
    before = all_rows()

    rescore(attempt.pk)

    assert all_rows() == before
    assert accuracies()[NOVICE] == 1.0


def test_a_message_about_an_attempt_that_is_gone_is_harmless() -> None:
    rescore(4711)


def test_a_score_of_an_older_scorer_is_computed_anew(tmp_path: Path) -> None:
    attempt = attempt_at(make_set(PET), tmp_path)
    assert not stale_attempts()
    Score.objects.filter(attempt=attempt, scorer="super-strict", metric="accuracy").update(version="0")

    assert list(stale_attempts()) == [attempt]
    rescore(attempt.pk)

    assert not stale_attempts()


def test_a_landmark_across_colours_is_found_by_scoring_anew(tmp_path: Path) -> None:
    """Before version 2 of the strict scorer, only what was printed counted."""
    task_set = make_set(replace(PET, landmarks=("training done",)))
    attempt = attempt_at(task_set, tmp_path, observation="training \x1b[1mdone\x1b[0m")
    landmarks = Score.objects.filter(attempt=attempt, metric="landmarks")
    Score.objects.filter(attempt=attempt, scorer="super-strict").update(version="1", value=0.0)
    attempt.landmark_outcomes.update(status="missed", printed="", hits=[])
    assert list(stale_attempts()) == [attempt]

    rescore_attempt(attempt)

    assert dict(landmarks.values_list("scorer", "value")) == {"super-strict": 1.0, "super-paper": 0.0}
    assert list(attempt.landmark_outcomes.values_list("status", "printed", "hits")) == [
        ("hit", "missed", [[1, [[0, 17]], 0]])
    ]
    assert not stale_attempts()


def test_a_diagnosis_of_an_older_version_is_made_anew(tmp_path: Path) -> None:
    attempt = attempt_at(make_set(PET), tmp_path)
    made = attempt.diagnosis
    Attempt.objects.update(diagnosis={}, diagnosis_version="0")

    assert list(stale_attempts()) == [attempt]
    rescore(attempt.pk)

    attempt.refresh_from_db()
    assert (attempt.diagnosis, list(stale_attempts())) == (made, [])


def test_a_gold_that_changes_while_an_attempt_is_prepared_leaves_its_score_stale(tmp_path: Path) -> None:
    task_set = make_set(PET)
    attempt = attempt_at(task_set, tmp_path)
    task = attempt.task
    prepared = prepare(
        blobs.read(attempt.files.get(kind="original").blob),
        name="history.json",
        task=task_spec(task),
        scoring=SCORING,
        title="",
    )
    import_tasks(task_set, [replace(PET, gold={"loss": 0.75})])

    record_attempt(entry=attempt.entry, task=task, number=2, digest="new", prepared=prepared)

    late = Score.objects.filter(attempt__number=2, scorer="super-strict")
    assert dict(late.values_list("metric", "stale")) == {
        "accuracy": True,
        "landmarks": False,
        "script_executed": False,
        "submitted": False,
    }


def test_an_answer_from_beside_the_trajectory_survives_scoring_anew() -> None:
    task_set = make_set(PET)
    entry = ensure_entry(task_set=task_set, agent=SOLVER, model=MODEL)
    task = task_set.tasks.get()
    data = as_bytes(unanswered())
    given = GivenAnswer("pet", '{"loss": 0.5}', "answers.jsonl", "line 1")
    prepared = prepare(
        data, name="history.json", task=task_spec(task), scoring=SCORING, title="pet", answer=given
    )
    record_attempt(entry=entry, task=task, number=1, digest="d", prepared=prepared)
    attempt = Attempt.objects.get()

    rescore_attempt(attempt)
    preview_rescore(task_set, [attempt])

    attempt.refresh_from_db()
    assert attempt.ending == "submitted"
    (oddity,) = attempt.warning_texts
    assert oddity == "history.json: the answer is from answers.jsonl, line 1"
    assert attempt.scores.get(scorer="super-strict", metric="accuracy").value == 1.0
    kept = {file.kind: blobs.read(file.blob) for file in attempt.files.all()}
    assert kept["original"] == data
    assert GivenAnswer.from_bytes(kept["answer"]) == given


def test_an_attempt_from_a_file_of_several_is_scored_anew_from_its_own_sample() -> None:
    task_set = make_set(PET)
    entry = ensure_entry(task_set=task_set, agent=SOLVER, model=MODEL)
    task = task_set.tasks.get()
    data = b'{"task_id": "cet", "answer": 1}\n{"task_id": "pet", "answer": {"loss": 0.5}}'
    prepared = prepare(
        data, name="answers.jsonl", task=task_spec(task), scoring=SCORING, title="pet", sample="line 2"
    )
    record_attempt(entry=entry, task=task, number=1, digest="d", prepared=prepared)
    attempt = Attempt.objects.get()

    rescore_attempt(attempt)
    preview_rescore(task_set, [attempt])

    original = attempt.files.get(kind="original")
    assert (original.sample, blobs.read(original.blob)) == ("line 2", data)
    score = attempt.scores.get(scorer="super-strict", metric="accuracy")
    assert score.value == 1.0
