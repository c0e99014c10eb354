"""Intervals of confidence for shares of successes and for the figures of boards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from leaderboard.domain.bootstrap import FEWEST_CLUSTERS, Interval, clustered_intervals

Z: Final = 1.959963984540054
"""The normal distribution has 95 % of its values within so many standard deviations."""


def wilson(share: float, trials: int) -> Interval | None:
    """The Wilson score interval at 95 % around a share of ``trials``, within [0, 1]; None without a trial.

    E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927). Where
    a trial's result may lie between 0 and 1, as a mean of attempts does, the interval is too wide rather
    than too narrow: no distribution in [0, 1] with that mean has a larger variance.

    Raises:
        ValueError: the share is not in [0, 1].
    """
    if not 0 <= share <= 1:
        raise ValueError(f"{share} is not a share")
    if trials < 1:
        return None
    z = Z * Z / trials
    centre = share + z / 2
    half = math.sqrt(z * share * (1 - share) + z * z / 4)
    # Exact at the ends, where rounding would leave 1e-17.
    low = 0.0 if share == 0 else (centre - half) / (1 + z)
    high = 1.0 if share == 1 else (centre + half) / (1 + z)
    return max(0.0, low), min(1.0, high)


def figure_intervals(
    figures: Sequence[Sequence[Sequence[float]]], shares: Sequence[bool]
) -> list[Interval | None]:
    """The interval at 95 % of each of ``figures``, of which every one has its tasks' values by cluster.

    It is that of `bootstrap.clustered_interval`, with clusters as the units. Where all values of a figure are
    equal, resamples are equal too, and would claim a certainty that there is not: a figure of ``shares`` that
    is 0 or 1 then has Wilson's interval with a trial for each cluster, and any other has none.
    """
    keys = [tuple(map(tuple, groups)) for groups in figures]
    vary = [key for key in dict.fromkeys(keys) if len({value for group in key for value in group}) > 1]
    by_key = dict(zip(vary, clustered_intervals(vary), strict=True))
    return [
        by_key[key] if key in by_key else _of_equal_values(key, is_share=is_share)
        for key, is_share in zip(keys, shares, strict=True)
    ]


def _of_equal_values(groups: Sequence[Sequence[float]], *, is_share: bool) -> Interval | None:
    if not is_share or len(groups) < FEWEST_CLUSTERS or groups[0][0] not in (0, 1):
        return None
    return wilson(groups[0][0], len(groups))
