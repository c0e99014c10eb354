"""The Wilson score interval against published values."""

from __future__ import annotations

import pytest

from leaderboard.domain.intervals import wilson


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # R. G. Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17
        # (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (29, 29, 0.8830, 1.0),
    ],
)
def test_it_gives_the_published_limits(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson(successes / trials, trials) == pytest.approx((low, high), abs=5e-5)


def test_it_lies_around_the_share_and_narrows_with_more_trials() -> None:
    for trials in (1, 2, 10, 1000):
        for share in (0.0, 1e-9, 0.3, 0.5, 1.0):
            low, high = wilson(share, trials) or (2, 2)
            assert 0 <= low <= share <= high <= 1
    widths = [high - low for low, high in (wilson(0.3, trials) or (0, 0) for trials in (5, 50, 500))]
    assert widths == sorted(widths, reverse=True)


def test_without_a_trial_there_is_none_and_what_is_no_share_is_refused() -> None:
    assert wilson(0.5, 0) is None
    for share in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="is not a share"):
            wilson(share, 5)
