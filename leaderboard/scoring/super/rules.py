"""SUPER's metrics, and its two scorers: strict, and as the authors' code has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from leaderboard.domain.scores import LandmarkResult, LandmarkStatus, Score
from leaderboard.domain.trajectory import (
    MISSING,
    JsonValue,
    Missing,
    is_answer,
)
from leaderboard.scoring.contract import Case, Hides, Layout, Metric, Scorer, Scoring
from leaderboard.scoring.super.answers import ANSWERS, NotComparable, compare_as_paper, compare_strictly
from leaderboard.scoring.super.scripts import script_ran_as_paper, script_ran_strictly
from leaderboard.scoring.usage import USAGE

ACCURACY: Final = Metric(
    key="accuracy",
    label="Accuracy",
    about="The share of the gold answer that the submitted one has: numbers within 0.01, texts equal.",
    reads=("gold",),
    hides=Hides.GOLD,
    reported_as="output_match",
)
LANDMARKS: Final = Metric(
    key="landmarks",
    label="Landmarks",
    about="The share of the task's regular expressions that match the output of some step.",
    reads=("landmarks",),
    hides=Hides.LANDMARKS,
    reported_as="checkpoints",
)
SCRIPT: Final = Metric(
    key="script_executed",
    label="Script executed",
    about="The task's script ran for ten seconds or more, without an error.",
    reads=("entrypoint",),
    reported_as="entrypoint",
)
SUBMITTED: Final = Metric(
    key="submitted", label="Submitted", about="The attempt ended with an answer that is not empty."
)

DOES_NOT_APPLY: Final = Score(None)

Landmarks = Sequence[LandmarkResult]


def _strict_answer(case: Case) -> JsonValue | Missing:
    last = case.submitted
    return last if last is not MISSING and is_answer(last) else MISSING


def _paper_answer(case: Case) -> JsonValue | Missing:
    last = case.submitted
    return last if last is not MISSING and last else MISSING


def _strict_accuracy(case: Case) -> Score:
    if case.task.gold is MISSING:
        return DOES_NOT_APPLY
    answer = _strict_answer(case)
    return Score(0.0 if answer is MISSING else compare_strictly(case.task.gold, answer))


def _paper_accuracy(case: Case) -> Score:
    if case.task.gold is MISSING or not case.task.gold:
        return DOES_NOT_APPLY
    answer = _paper_answer(case)
    if answer is MISSING:
        return Score(0.0)
    try:
        return Score(compare_as_paper(case.task.gold, answer))
    except NotComparable as error:
        return Score(None, str(error))


def _strict_submitted(case: Case) -> Score:
    return Score(float(_strict_answer(case) is not MISSING))


def _paper_submitted(case: Case) -> Score:
    return Score(float(_paper_answer(case) is not MISSING))


def _strict_landmarks(landmarks: Landmarks) -> Score:
    return _share_of_hits([found for found in landmarks if found.status is not LandmarkStatus.GIVEN])


def _paper_landmarks(landmarks: Landmarks) -> Score:
    return _share_of_hits([replace(found, status=found.printed or found.status) for found in landmarks])


def _share_of_hits(landmarks: Landmarks) -> Score:
    if not landmarks:
        return DOES_NOT_APPLY
    late = [str(found.number) for found in landmarks if found.status is LandmarkStatus.TIMED_OUT]
    if late:
        return Score(None, f"{'landmark' if len(late) == 1 else 'landmarks'} {', '.join(late)} timed out")
    hits = sum(found.status in {LandmarkStatus.HIT, LandmarkStatus.GIVEN} for found in landmarks)
    return Score(hits / len(landmarks))


def _is_answer_alone(case: Case) -> bool:
    """Whether the answer came without any steps, to which what is about steps does not apply."""
    return not case.trajectory.steps and case.trajectory.answer is not MISSING


def _strict_landmark_share(case: Case) -> Score:
    return DOES_NOT_APPLY if _is_answer_alone(case) else _strict_landmarks(case.landmarks)


def _paper_landmark_share(case: Case) -> Score:
    return DOES_NOT_APPLY if _is_answer_alone(case) else _paper_landmarks(case.landmarks)


def _strict_script(case: Case) -> Score:
    script = case.task.entrypoint.strip()
    if not script or _is_answer_alone(case):
        return DOES_NOT_APPLY
    return Score(float(script_ran_strictly(script, case.trajectory)))


def _paper_script(case: Case) -> Score:
    ran = None if _is_answer_alone(case) else script_ran_as_paper(case.task.entrypoint, case.trajectory)
    return DOES_NOT_APPLY if ran is None else Score(float(ran))


STRICT: Final = Scorer(
    name="super-strict",
    version="2",
    label="Computed, strict",
    about="The gold answer decides which parts are compared; cells that were run for the agent in advance do "
    "not count, and printing a script does not count as running it.",
    rules={
        ACCURACY.key: _strict_accuracy,
        LANDMARKS.key: _strict_landmark_share,
        SCRIPT.key: _strict_script,
        SUBMITTED.key: _strict_submitted,
    },
    from_landmarks=_strict_landmarks,
)
PAPER: Final = Scorer(
    name="super-paper",
    version="1",
    label="Computed, as in the paper",
    about="The authors' own code in every trait, so that figures compare with theirs: the submission decides "
    "which parts are compared, and one right part of three can score 100.",
    rules={
        ACCURACY.key: _paper_accuracy,
        LANDMARKS.key: _paper_landmark_share,
        SCRIPT.key: _paper_script,
        SUBMITTED.key: _paper_submitted,
    },
    from_landmarks=_paper_landmarks,
)
SCORING: Final = Scoring(
    name="super",
    version="1",
    metrics=(ACCURACY, LANDMARKS, SCRIPT, SUBMITTED, *USAGE),
    scorers=(STRICT, PAPER),
    layout=Layout(
        overall=(ACCURACY.key, LANDMARKS.key, SCRIPT.key, SUBMITTED.key),
        grouped=(ACCURACY.key, LANDMARKS.key),
        scatter=(LANDMARKS.key, ACCURACY.key),
    ),
    ranked_by=ACCURACY.key,
    answers=ANSWERS,
)
