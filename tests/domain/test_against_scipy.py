"""Intervals and tests against another implementation of them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy import stats

from leaderboard.domain.bootstrap import clustered_intervals
from leaderboard.domain.intervals import wilson
from leaderboard.domain.significance import mcnemar, sign_flip

DRAW = random.Random(8)  # noqa: S311


@pytest.mark.parametrize(("first", "second"), [(0, 6), (3, 11), (20, 21), (40, 90)])
def test_mcnemar(first: int, second: int) -> None:
    assert mcnemar(first, second) == pytest.approx(stats.binomtest(first, first + second).pvalue)


@pytest.mark.parametrize("right", [0, 1, 17, 45])
def test_wilson(right: int) -> None:
    expected = stats.binomtest(right, 45).proportion_ci(method="wilson")

    assert wilson(right / 45, 45) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("values", [(0.0, 0.5, 1.0), (0.0, 1 / 3, 2 / 3, 1.0), None], ids=str)
def test_the_permutation_test(values: tuple[float, ...] | None) -> None:
    for _ in range(5):
        differences = [
            DRAW.choice(values) - DRAW.choice(values) if values else DRAW.gauss(0.3, 1) for _ in range(11)
        ]
        expected = stats.permutation_test(
            (differences,), np.sum, permutation_type="samples", n_resamples=np.inf, vectorized=False
        )
        assert sign_flip(differences) == pytest.approx(expected.pvalue)


def test_the_bootstrap_of_figures_of_several_sizes_at_once() -> None:
    figures = [
        [[DRAW.random() ** power for _ in range(n % 3 + 1)] for n in range(clusters)]
        for clusters, power in ((12, 1), (30, 2), (30, 5), (45, 1))
    ]
    for groups, interval in zip(figures, clustered_intervals(figures), strict=True):
        sums, sizes = np.array([sum(group) for group in groups]), np.array([len(group) for group in groups])
        expected = stats.bootstrap(
            (sums, sizes),
            lambda total, count, axis: total.sum(axis=axis) / count.sum(axis=axis),
            paired=True,
            method="percentile",
            n_resamples=20_000,
            random_state=np.random.default_rng(1),
        ).confidence_interval

        assert interval
        assert interval == pytest.approx((expected.low, expected.high), abs=0.012)
