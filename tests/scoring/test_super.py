"""Both scorers on one attempt: which rules differ, and that nothing makes them raise."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.domain.scores import LandmarkStatus, Score
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import MISSING, Ending, Step, StepKind, Trajectory
from leaderboard.scoring.super import SCORING
from tests.domain.trajectories import answered, observed, pre_executed, ran, submitted, task, trajectory

NOT_APPLICABLE = Score(None)


def scores(task_: TaskSpec, attempt: Trajectory, metric: str) -> tuple[Score, Score]:
    """The metric by the strict scorer and by the paper's."""
    cards = {card.scorer: card.scores[metric] for card in SCORING.score(task_, attempt).cards}
    return cards["super-strict"], cards["super-paper"]


def values(task_: TaskSpec, attempt: Trajectory, metric: str) -> tuple[float | None, float | None]:
    strict, paper = scores(task_, attempt, metric)
    return strict.value, paper.value


def test_the_default_scorer_comes_first_and_each_card_names_its_rules() -> None:
    cards = SCORING.score(task(), observed()).cards
    assert [(card.scorer, card.version) for card in cards] == [("super-strict", "2"), ("super-paper", "1")]
    assert next(iter(SCORING.by_scorer)) == SCORING.default_scorer


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (1.5, (1, 1)),
        (0, (1, 0)),
        (False, (1, 0)),
        ("no", (1, 1)),
        ("", (0, 0)),
        (" \n", (0, 1)),
        (None, (0, 0)),
        ([], (0, 0)),
        ({}, (0, 0)),
        ([None], (1, 1)),
        (math.nan, (1, 1)),
        (MISSING, (0, 0)),
    ],
    ids=repr,
)
def test_an_empty_answer_is_not_submitted(answer: Any, expected: tuple[float, float]) -> None:
    assert values(task(), answered(answer), "submitted") == expected


def test_an_answer_followed_by_an_exception_did_not_end_the_attempt() -> None:
    attempt = trajectory(submitted(), ran("limit", kind=StepKind.EXCEPTION), answer=1)
    assert values(task(gold=1), attempt, "submitted") == (0, 0)


def test_a_format_without_submit_steps_tells_by_its_ending() -> None:
    attempt = trajectory(ran("!ls"), answer=1, ending=Ending.SUBMITTED)
    assert values(task(gold=1), attempt, "accuracy") == (1, 1)
    assert values(task(gold=1), trajectory(ran("!ls"), answer=1), "accuracy") == (0, 0)


def test_no_gold_means_no_accuracy() -> None:
    assert scores(task(), answered(1), "accuracy") == (NOT_APPLICABLE, NOT_APPLICABLE)


@pytest.mark.parametrize("gold", [0, False, "", {}, [], None], ids=repr)
def test_the_paper_takes_a_false_gold_for_none(gold: Any) -> None:
    strict, paper = scores(task(gold=gold), answered("x"), "accuracy")
    assert (strict, paper) == (Score(0.0), NOT_APPLICABLE)


def test_a_submitted_0_can_be_right_strictly() -> None:
    assert values(task(gold=0), answered(0), "accuracy") == (1, None)


def test_an_attempt_that_did_not_submit_is_wrong() -> None:
    assert values(task(gold={"f1": 1}), observed("f1 1"), "accuracy") == (0, 0)


def test_the_submissions_keys_decide_in_the_paper_only() -> None:
    assert values(task(gold={"a": 1, "b": 2}), answered({"a": 1}), "accuracy") == (0.5, 1)


def test_what_the_paper_can_not_compare_is_an_error_with_its_reason() -> None:
    strict, paper = scores(task(gold=True), answered(True), "accuracy")
    assert strict == Score(1.0)
    assert paper == Score(None, "two booleans can't be compared")


def test_a_given_landmark_counts_in_the_paper_only() -> None:
    attempt = trajectory(pre_executed("!a", "one"), ran("!b", "two"))
    assert values(task(landmarks=("one", "two", "three")), attempt, "landmarks") == (0.5, 2 / 3)


def test_a_landmark_with_colours_inside_counts_by_the_strict_scorer_alone() -> None:
    attempt = observed("epoch \x1b[1m10/10\x1b[0m")
    assert values(task(landmarks=("epoch 10/10",)), attempt, "landmarks") == (1, 0)


def test_where_all_landmarks_are_given_there_is_no_strict_score() -> None:
    strict, paper = scores(task(landmarks=("one",)), trajectory(pre_executed("!a", "one")), "landmarks")
    assert (strict, paper) == (NOT_APPLICABLE, Score(1.0))


def test_an_invalid_landmark_counts_as_missed() -> None:
    assert values(task(landmarks=("(", "a")), observed("a("), "landmarks") == (0.5, 0.5)


def test_a_landmark_that_timed_out_leaves_the_share_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.scoring.contract.LANDMARK_SECONDS", 0.1)
    attempt = observed("a" * 50_000 + "b")
    both = scores(task(landmarks=("b", "(a+)+$")), attempt, "landmarks")
    assert both == (Score(None, "landmark 2 timed out"),) * 2


def test_the_landmarks_are_handed_on_with_their_hits() -> None:
    (landmark,) = SCORING.score(task(landmarks=("one",)), observed("", "one")).landmarks
    assert (landmark.status, landmark.first_step) == (LandmarkStatus.HIT, 2)


def test_printing_the_script_runs_it_in_the_paper_only() -> None:
    attempt = trajectory(ran("!cat train.py"))
    assert values(task(entrypoint="src/train.py"), attempt, "script_executed") == (0, 1)


def test_no_entry_point_means_no_script_score() -> None:
    assert scores(task(), observed("x"), "script_executed") == (NOT_APPLICABLE, NOT_APPLICABLE)


def test_an_attempt_without_steps_has_done_nothing() -> None:
    card = SCORING.score(task(gold=1, landmarks=("a",), entrypoint="a.py"), trajectory()).cards[0]
    assert {score.value for score in card.scores.values()} == {0.0}


def test_an_answer_without_steps_is_scored_and_what_it_did_is_unknown() -> None:
    alone = trajectory(answer=1, ending=Ending.SUBMITTED)
    given = SCORING.score(task(gold=1, landmarks=("a",), entrypoint="a.py"), alone).cards[0].scores
    assert (given["accuracy"].value, given["submitted"].value) == (1.0, 1.0)
    assert given["landmarks"] == given["script_executed"] == NOT_APPLICABLE


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=6,
)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)
SOURCES = ANY_TEXT | st.lists(
    st.sampled_from(
        ["!", "%run ", "python ", "-m ", "a.py", "\n", "'", '"', "%%bash\n", "<<E ", ";", "(", "\\", "[0]"]
    )
).map("".join)
STEPS = st.builds(
    Step,
    number=st.integers(1, 99),
    kind=st.sampled_from(StepKind),
    action_type=ANY_TEXT,
    action=SOURCES,
    observation=st.none() | ANY_TEXT,
    duration=st.none() | st.floats(),
    pre_executed=st.booleans(),
)


@settings(deadline=None)
@given(
    st.lists(STEPS, max_size=4).map(tuple),
    st.just(MISSING) | JSON,
    st.just(MISSING) | JSON,
    st.lists(st.text("ab(*+.[", max_size=4), max_size=2).map(tuple),
    st.sampled_from(["", " ", "a.py", "/", ".", "..", "a/b.sh"]) | ANY_TEXT,
)
def test_scoring_never_raises(
    steps: tuple[Step, ...], answer: Any, gold: Any, landmarks: tuple[str, ...], entrypoint: str
) -> None:
    attempt = Trajectory(steps, "test", answer=answer)
    scoring = SCORING.score(task(gold=gold, landmarks=landmarks, entrypoint=entrypoint), attempt)
    for card in scoring.cards:
        assert set(card.scores) == set(SCORING.layout.overall)
        assert all(score.value is None or 0 <= score.value <= 1 for score in card.scores.values())
