"""Paired differences between entries, over the tasks that both have a value at."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from operator import itemgetter
from random import Random
from typing import Final, TypeVar

from leaderboard.domain.significance import LEVEL, SEED, holm, mcnemar, sign_flip

RESAMPLES: Final = 2_000
"""Of a bootstrap."""
COVERED: Final = 0.95
FEWEST_CLUSTERS: Final = 5
"""With fewer, a bootstrap's interval is far too narrow, and there is none."""

Task = TypeVar("Task", bound=Hashable)


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """How the entries at two positions of a list differ.

    Attributes:
        first, second: their positions.
        tasks: how many tasks both have a value at.
        clusters: how many groups of related tasks these are in.
        value: the mean over them of the first's value less the second's; None without a common task.
        interval: at 95 %, from a bootstrap; None with fewer than ``FEWEST_CLUSTERS`` clusters.
        p: of the test of this pair alone: McNemar's where all values are 0 or 1, else by signs; None without
            a common task. ``adjusted`` is the p after Holm's correction for every pair.
    """

    first: int
    second: int
    tasks: int
    clusters: int
    value: float | None
    interval: tuple[float, float] | None
    p: float | None
    adjusted: float | None = None

    @property
    def is_certain(self) -> bool:
        """Whether the two can be told apart.

        The test takes tasks as independent, the interval does not, and a correction for several pairs is only
        in the test: both have to say so.
        """
        if self.adjusted is None or self.interval is None:
            return False
        low, high = self.interval
        return self.adjusted < LEVEL and not low <= 0 <= high


def paired_differences(
    entries: Sequence[Mapping[Task, float]], clusters: Mapping[Task, Hashable]
) -> list[PairedDifference]:
    """The difference of every two of ``entries``.

    Args:
        entries: of each entry its value at each task that it has one at.
        clusters: of each task what it shares with related ones, such as its repository.
    """
    pairs = [
        _difference(first, second, entries[first], entries[second], clusters)
        for first, second in combinations(range(len(entries)), 2)
    ]
    corrected = iter(holm([pair.p for pair in pairs if pair.p is not None]))
    return [pair if pair.p is None else replace(pair, adjusted=next(corrected)) for pair in pairs]


def _difference(
    first: int,
    second: int,
    ours: Mapping[Task, float],
    theirs: Mapping[Task, float],
    clusters: Mapping[Task, Hashable],
) -> PairedDifference:
    common = [task for task in ours if task in theirs]
    if not common:
        return PairedDifference(first, second, 0, 0, None, None, None)
    by_task = {task: ours[task] - theirs[task] for task in common}
    differences = list(by_task.values())
    if all(each[task] in (0, 1) for each in (ours, theirs) for task in common):
        p = mcnemar(differences.count(1), differences.count(-1))
    else:
        p = sign_flip(differences)
    by_cluster: dict[Hashable, list[float]] = {}
    for task, difference in by_task.items():
        by_cluster.setdefault(clusters[task], []).append(difference)
    groups = list(by_cluster.values())
    mean = math.fsum(differences) / len(differences)
    return PairedDifference(first, second, len(common), len(groups), mean, clustered_interval(groups), p)


def clustered_interval(groups: Sequence[Sequence[float]]) -> tuple[float, float] | None:
    """The percentile interval at 95 % of a mean, from a bootstrap that draws whole groups with replacement.

    ``groups`` holds values that may depend on each other, such as tasks of one repository, none empty. None
    for fewer than ``FEWEST_CLUSTERS``.

    B. Efron, R. J. Tibshirani, An introduction to the bootstrap (1993), chapter 13; of clusters: A. C.
    Cameron, J. B. Gelbach, D. L. Miller, Bootstrap-based improvements for inference with clustered errors,
    Rev. Econ. Stat. 90 (2008); of evaluations: E. Miller, Adding error bars to evals, arXiv:2411.00640.
    """
    if len(groups) < FEWEST_CLUSTERS:
        return None
    sums, sizes = [math.fsum(group) for group in groups], [len(group) for group in groups]
    draws = _draws(len(groups))
    means = sorted(sum(drawn(sums)) / sum(drawn(sizes)) for drawn in draws)
    outside = round(RESAMPLES * (1 - COVERED) / 2)
    return means[outside], means[-1 - outside]


@lru_cache(maxsize=8)
def _draws(groups: int) -> list[itemgetter[object]]:
    """What the resamples of so many groups take of a list with one value for each.

    The pairs of a page share them; drawing takes longer than adding up.
    """
    random, positions = Random(SEED), range(groups)  # noqa: S311 - for statistics
    return [itemgetter(*random.choices(positions, k=groups)) for _ in range(RESAMPLES)]
