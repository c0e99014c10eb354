"""AutoExperiment's metrics and its scorer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from leaderboard.domain.scores import Score
from leaderboard.domain.trajectory import MISSING, is_answer
from leaderboard.scoring.autoexperiment.rules import ANSWERS, Judged, is_right, judge, share_right
from leaderboard.scoring.contract import Case, Groups, Hides, Layout, Metric, Scorer, Scoring
from leaderboard.scoring.usage import USAGE

SOLVED: Final = Metric(
    key="solved",
    label="Solved",
    about="All of the task's experiments are right: their numbers are on average within 5% of the gold.",
    reads=("gold",),
    hides=Hides.GOLD,
)
PASS_1: Final = Metric(
    key="pass_1",
    label="pass@1",
    about="The chance that an attempt solves a task: the share of attempts that do, on average over tasks.",
    hides=Hides.GOLD,
    of=SOLVED.key,
    pass_at=1,
)
PASS_5: Final = Metric(
    key="pass_5",
    label="pass@5",
    about="The chance that one of five attempts solves a task, by the unbiased estimate from all attempts.",
    hides=Hides.GOLD,
    of=SOLVED.key,
    pass_at=5,
)
EXPERIMENTS: Final = Metric(
    key="experiments",
    label="Experiments",
    about="The share of a task's experiments that are right.",
    reads=("gold",),
    hides=Hides.GOLD,
)
SUBMITTED: Final = Metric(
    key="submitted", label="Submitted", about="The attempt ended with an answer that is not empty."
)


def _score(case: Case, count: Callable[[Sequence[Judged]], float | None]) -> Score:
    if case.task.gold is MISSING:
        return Score(None)
    if not isinstance(case.task.gold, dict) or not case.task.gold:
        return Score(None, "the gold answer has no experiments")
    submitted = case.submitted
    return Score(count(judge(case.task.gold, None if submitted is MISSING else submitted)))


def _solved(case: Case) -> Score:
    return _score(case, lambda judged: float(is_right(judged)))


def _experiments(case: Case) -> Score:
    return _score(case, share_right)


def _submitted(case: Case) -> Score:
    return Score(float(is_answer(case.submitted)))


SCORING: Final = Scoring(
    name="autoexperiment",
    version="1",
    metrics=(SOLVED, PASS_1, PASS_5, EXPERIMENTS, SUBMITTED, *USAGE),
    scorers=(
        Scorer(
            name="autoexperiment",
            version="2",
            label="Computed",
            rules={SOLVED.key: _solved, EXPERIMENTS.key: _experiments, SUBMITTED.key: _submitted},
        ),
    ),
    layout=Layout(
        overall=(PASS_1.key, PASS_5.key, EXPERIMENTS.key, SUBMITTED.key),
        grouped=(PASS_1.key, PASS_5.key),
        scatter=(EXPERIMENTS.key, PASS_1.key),
        levels="functions masked",
        by_level=(PASS_1.key, PASS_5.key),
    ),
    groups=Groups(one="paper", many="papers", are_open=True),
    ranked_by=PASS_1.key,
    answers=ANSWERS,
)
