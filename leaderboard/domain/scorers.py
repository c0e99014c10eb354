"""The two scorers, and scoring a trajectory with both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from leaderboard.domain.answers import NotComparable, compare_as_paper, compare_strictly
from leaderboard.domain.disclosure import without_places
from leaderboard.domain.landmarks import find_landmarks
from leaderboard.domain.scores import LandmarkResult, LandmarkStatus, Metric, Score, ScoreCard, Scoring
from leaderboard.domain.scripts import script_ran_as_paper, script_ran_strictly
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import (
    MISSING,
    Ending,
    JsonValue,
    Missing,
    StepKind,
    Trajectory,
    is_answer,
)

SCORED_FROM: Mapping[str, Metric] = {
    "gold": Metric.ACCURACY,
    "landmarks": Metric.LANDMARKS,
    "entrypoint": Metric.SCRIPT,
}
"""The task's field that each metric depends on: if the field changes, the metric's scores are stale."""

LANDMARK_SECONDS = 2.0
"""Seconds of search for one landmark in one attempt; after them the landmark has timed out."""

DOES_NOT_APPLY = Score(None)

Landmarks = Sequence[LandmarkResult]


@dataclass(frozen=True, slots=True)
class Scorer:
    """A set of rules; a change of any rule is a new ``version``.

    ``accuracy`` gets MISSING if no answer was submitted. ``counts_as_submitted`` decides whether the final
    answer counts as an answer.
    """

    name: str
    version: str
    accuracy: Callable[[TaskSpec, JsonValue | Missing], Score]
    landmarks: Callable[[Landmarks], Score]
    script: Callable[[TaskSpec, Trajectory], Score]
    counts_as_submitted: Callable[[JsonValue], bool]


def outdated_metrics(scored: TaskSpec, now: TaskSpec) -> frozenset[Metric]:
    """The metrics whose field of the task differs between ``scored`` and ``now``."""
    return frozenset(
        metric
        for field, metric in SCORED_FROM.items()
        if _differ(getattr(scored, field), getattr(now, field))
    )


def _differ(one: JsonValue, other: JsonValue) -> bool:
    # Also compared as text, because NaN is not equal to itself.
    return bool(one != other) and repr(one) != repr(other)


def score_trajectory(task: TaskSpec, trajectory: Trajectory) -> Scoring:
    """Score one attempt with every scorer.

    Never raises: what can't be scored gets a score without a value, with a reason.
    """
    landmarks = find_landmarks(task.landmarks, trajectory, seconds=LANDMARK_SECONDS)
    cards = tuple(_card(scorer, task, trajectory, landmarks) for scorer in SCORERS.values())
    return Scoring(cards, without_places(landmarks, task.gold))


def _card(scorer: Scorer, task: TaskSpec, trajectory: Trajectory, landmarks: Landmarks) -> ScoreCard:
    submission = _last_answer(trajectory)
    if submission is not MISSING and not scorer.counts_as_submitted(submission):
        submission = MISSING
    scores = {
        Metric.ACCURACY: scorer.accuracy(task, submission),
        Metric.LANDMARKS: _from_steps(scorer.landmarks(landmarks), trajectory),
        Metric.SCRIPT: _from_steps(scorer.script(task, trajectory), trajectory),
        Metric.SUBMITTED: Score(float(submission is not MISSING)),
    }
    return ScoreCard(scorer.name, scorer.version, scores)


def _from_steps(score: Score, trajectory: Trajectory) -> Score:
    """A score of the steps; it does not apply to an answer that came without any steps."""
    return score if trajectory.steps or trajectory.answer is MISSING else DOES_NOT_APPLY


def _last_answer(trajectory: Trajectory) -> JsonValue | Missing:
    """The answer that ended the attempt; an answer before further steps did not end it."""
    if any(step.kind is StepKind.SUBMIT for step in trajectory.steps):
        ended = trajectory.steps[-1].kind is StepKind.SUBMIT
    else:
        ended = trajectory.ending is Ending.SUBMITTED  # formats that store the answer outside the steps
    return trajectory.answer if ended else MISSING


def _strict_accuracy(task: TaskSpec, submission: JsonValue | Missing) -> Score:
    if task.gold is MISSING:
        return DOES_NOT_APPLY
    return Score(0.0 if submission is MISSING else compare_strictly(task.gold, submission))


def _strict_landmarks(landmarks: Landmarks) -> Score:
    return _share_of_hits([found for found in landmarks if found.status is not LandmarkStatus.GIVEN])


def _paper_landmarks(landmarks: Landmarks) -> Score:
    return _share_of_hits([replace(found, status=found.printed or found.status) for found in landmarks])


def _strict_script(task: TaskSpec, trajectory: Trajectory) -> Score:
    if not task.entrypoint.strip():
        return DOES_NOT_APPLY
    return Score(float(script_ran_strictly(task.entrypoint.strip(), trajectory)))


def _paper_accuracy(task: TaskSpec, submission: JsonValue | Missing) -> Score:
    if task.gold is MISSING or not task.gold:
        return DOES_NOT_APPLY
    if submission is MISSING:
        return Score(0.0)
    try:
        return Score(compare_as_paper(task.gold, submission))
    except NotComparable as error:
        return Score(None, str(error))


def _share_of_hits(landmarks: Landmarks) -> Score:
    if not landmarks:
        return DOES_NOT_APPLY
    late = [str(found.number) for found in landmarks if found.status is LandmarkStatus.TIMED_OUT]
    if late:
        return Score(None, f"{'landmark' if len(late) == 1 else 'landmarks'} {', '.join(late)} timed out")
    hits = sum(found.status in {LandmarkStatus.HIT, LandmarkStatus.GIVEN} for found in landmarks)
    return Score(hits / len(landmarks))


def _paper_script(task: TaskSpec, trajectory: Trajectory) -> Score:
    ran = script_ran_as_paper(task.entrypoint, trajectory)
    return DOES_NOT_APPLY if ran is None else Score(float(ran))


SCORERS = {
    scorer.name: scorer
    for scorer in (
        Scorer("super-strict", "2", _strict_accuracy, _strict_landmarks, _strict_script, is_answer),
        Scorer("super-paper", "1", _paper_accuracy, _paper_landmarks, _paper_script, bool),
    )
}
"""Every scorer by its name, the default one first."""

DEFAULT_SCORER = "super-strict"
