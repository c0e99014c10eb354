"""An attempt's scores in AutoExperiment's metrics."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboard import formats
from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import MISSING
from leaderboard.scoring import scoring_of
from tests.cast import history

SCORING = scoring_of("autoexperiment")
GOLD = {"Experiment 1": {"acc": 0.8}, "Experiment 2": {"losses": [2.0, 1.0]}}
HALF = {"Experiment 1": {"acc": 0.81}}


def scores(answer: Any, gold: Any = GOLD) -> dict[str, float | None]:
    trajectory = formats.read(json.dumps(history(answer)).encode(), name="history.json")
    (card,) = SCORING.score(TaskSpec("2309.05569_0", gold=gold), trajectory).cards
    return {key: score.value for key, score in card.scores.items()}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (GOLD, (1.0, 1.0, 1.0)),
        (json.dumps(GOLD), (1.0, 1.0, 1.0)),
        (HALF, (0.0, 0.5, 1.0)),
        ({"acc": 0.8}, (0.0, 0.0, 1.0)),
        ({}, (0.0, 0.0, 0.0)),
    ],
)
def test_a_task_is_solved_by_all_of_its_experiments(answer: Any, expected: tuple[float, ...]) -> None:
    assert scores(answer) == dict(zip(("solved", "experiments", "submitted"), expected, strict=True))


@pytest.mark.parametrize("gold", [MISSING, {}, [1], "0.8"])
def test_without_gold_results_there_is_no_score_and_no_0(gold: Any) -> None:
    assert scores(GOLD, gold) == {"solved": None, "experiments": None, "submitted": 1.0}


def test_nothing_that_shows_whether_an_answer_is_right_is_open_to_a_draft() -> None:
    hidden = {metric.key for metric in SCORING.results if metric.hides == "gold"}

    assert hidden == {"solved", "experiments", "pass_1", "pass_5"}
