"""Intervals of means over tasks, from a bootstrap that draws whole clusters of related tasks."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter, truediv
from random import Random
from typing import Final

from leaderboard.domain.significance import SEED

RESAMPLES: Final = 2_000
COVERED: Final = 0.95
FEWEST_CLUSTERS: Final = 5
"""With fewer, a bootstrap's interval is far too narrow, and there is none."""
Interval = tuple[float, float]
_BITS: Final = 64
"""Of a field in a packed number."""


def clustered_interval(groups: Sequence[Sequence[float]]) -> Interval | None:
    """The percentile interval at 95 % of a mean, from a bootstrap that draws whole groups with replacement.

    ``groups`` holds values that may depend on each other, such as tasks of one repository, none empty. None
    for fewer than ``FEWEST_CLUSTERS``.

    B. Efron, R. J. Tibshirani, An introduction to the bootstrap (1993), chapter 13; of clusters: A. C.
    Cameron, J. B. Gelbach, D. L. Miller, Bootstrap-based improvements for inference with clustered errors,
    Rev. Econ. Stat. 90 (2008); of evaluations: E. Miller, Adding error bars to evals, arXiv:2411.00640.
    """
    (interval,) = clustered_intervals([groups])
    return interval


def clustered_intervals(means: Sequence[Sequence[Sequence[float]]]) -> list[Interval | None]:
    """The interval of each of several means, as `clustered_interval` says; together they take far less time.

    Those with as many values in each group share their resamples.
    """
    found: list[Interval | None] = [None] * len(means)
    by_sizes: dict[tuple[int, ...], list[int]] = {}
    for at, groups in enumerate(means):
        if len(groups) >= FEWEST_CLUSTERS:
            by_sizes.setdefault(tuple(map(len, groups)), []).append(at)
    for sizes, places in by_sizes.items():
        intervals = _intervals(sizes, [[math.fsum(group) for group in means[at]] for at in places])
        for at, interval in zip(places, intervals, strict=True):
            found[at] = interval
    return found


def _intervals(sizes: tuple[int, ...], columns: Sequence[Sequence[float]]) -> list[Interval]:
    """The interval of each column of sums by group.

    A group's sums are fields of one whole number: adding up the numbers of a resample adds up all of its
    columns at once, which is many times faster than one after another.
    """
    room = 1 << (_BITS - 1 - len(sizes).bit_length())
    lows = [min(map(truediv, sums, sizes)) for sums in columns]
    above = [
        [max(0.0, total - size * low) for total, size in zip(sums, sizes, strict=True)]
        for sums, low in zip(columns, lows, strict=True)
    ]
    # The largest sum of a column takes all of the room that it has.
    scales = [max(sums) / room or 1.0 for sums in above]
    fields = [
        sizes,
        *([round(each / scale) for each in sums] for sums, scale in zip(above, scales, strict=True)),
    ]
    shape = struct.Struct(f"<{len(fields)}Q")
    numbers = [int.from_bytes(shape.pack(*group), "little") for group in zip(*fields, strict=True)]
    drawn = (sum(draw(numbers)).to_bytes(shape.size, "little") for draw in _draws(len(sizes)))
    counts, *totals = zip(*map(shape.unpack, drawn), strict=True)
    outside = round(RESAMPLES * (1 - COVERED) / 2)
    intervals = []
    for low, scale, total in zip(lows, scales, totals, strict=True):
        ordered = sorted(map(truediv, total, counts))
        intervals.append((low + scale * ordered[outside], low + scale * ordered[-1 - outside]))
    return intervals


@lru_cache(maxsize=32)
def _draws(groups: int) -> list[itemgetter[object]]:
    """What the resamples of so many groups take of a list with one value for each.

    All that have so many groups share them; drawing takes longer than adding up.
    """
    random, positions = Random(SEED), range(groups)  # noqa: S311 - for statistics
    return [itemgetter(*random.choices(positions, k=groups)) for _ in range(RESAMPLES)]
