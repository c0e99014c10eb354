"""What a scoring must be, and what its metrics allow."""

from __future__ import annotations

import math

import pytest

from leaderboard.scoring.contract import Hides, Layout, Metric, Scoring, Unit

SHARE = Metric(key="right", label="Right", about="Answers that are right.")
MINUTES = Metric(
    key="minutes", label="Minutes", about="How long.", unit=Unit.COUNT, highest=None, more_is_better=False
)


def scoring(*metrics: Metric) -> Scoring:
    layout = Layout(overall=(metrics[0].key,))
    return Scoring(
        name="made", version="1", metrics=metrics, scorers=(), layout=layout, ranked_by=metrics[0].key
    )


@pytest.mark.parametrize(
    ("metric", "value", "allowed"),
    [
        (SHARE, 1.0, True),
        (SHARE, 1.01, False),
        (SHARE, math.nan, False),
        (MINUTES, 0.0, True),
        (MINUTES, -1.0, False),
        (MINUTES, 1e12, True),
        # Two such values have no sum.
        (MINUTES, 1.7e308, False),
        (MINUTES, math.inf, False),
    ],
)
def test_a_value_is_a_number_in_its_range_and_of_a_size_that_can_be_summed(
    metric: Metric, value: float, allowed: bool
) -> None:
    assert metric.allows(value) is allowed


def test_where_less_is_better_a_task_is_solved_at_the_least_value() -> None:
    errors = Metric(key="errors", label="Errors", about="Share of errors.", more_is_better=False)

    assert (SHARE.best, SHARE.worst) == (1.0, 0.0)
    assert (errors.best, errors.worst) == (0.0, 1.0)
    assert (MINUTES.best, MINUTES.worst) == (0.0, None)


@pytest.mark.parametrize(
    ("metrics", "reason"),
    [
        ((SHARE, SHARE), "two metrics of one key"),
        ((SHARE, Metric(key="five", label="5", about="", of="none", pass_at=5)), "which is none"),
        (
            (Metric(key="five", label="5", about="", of="right", pass_at=5, hides=Hides.GOLD), SHARE),
            "hides something else",
        ),
        (
            (Metric(key="off", label="Off", about="", more_is_better=False, hides=Hides.GOLD),),
            "a share of which",
        ),
    ],
)
def test_a_scoring_that_can_not_be_shown_is_refused(metrics: tuple[Metric, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        scoring(*metrics)
