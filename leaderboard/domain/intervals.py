"""Intervals of confidence for a share of successes."""

from __future__ import annotations

import math
from typing import Final

Z: Final = 1.959963984540054
"""The normal distribution has 95 % of its values within so many standard deviations."""


def wilson(share: float, trials: int) -> tuple[float, float] | None:
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
