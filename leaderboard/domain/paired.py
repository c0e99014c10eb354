"""Paired differences between entries, over the tasks that both have a value at."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, TypeVar

from leaderboard.domain.bootstrap import Interval, clustered_intervals
from leaderboard.domain.significance import LEVEL, holm, mcnemar, sign_flip

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
        by_task: the differences, of which the interval is made.
    """

    first: int
    second: int
    tasks: int
    clusters: int
    value: float | None
    interval: Interval | None
    p: float | None
    adjusted: float | None = None
    by_task: Mapping[Any, float] = field(default_factory=dict, repr=False, compare=False)

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
    entries: Sequence[Mapping[Task, float]],
    clusters: Mapping[Task, Hashable],
    *,
    interval_below: float = math.inf,
) -> list[PairedDifference]:
    """The difference of every two of ``entries``.

    Args:
        entries: of each entry its value at each task that it has one at.
        clusters: of each task what it shares with related ones, such as its repository.
        interval_below: only pairs with an adjusted p below it get an interval; making one takes longest.
    """
    pairs = [
        _difference(first, second, entries[first], entries[second], clusters)
        for first, second in combinations(range(len(entries)), 2)
    ]
    corrected = iter(holm([pair.p for pair in pairs if pair.p is not None]))
    pairs = [pair if pair.p is None else replace(pair, adjusted=next(corrected)) for pair in pairs]
    wanted = [
        by_cluster(pair.by_task, clusters) if (pair.adjusted or 0) < interval_below else [] for pair in pairs
    ]
    intervals = clustered_intervals(wanted)
    return [replace(pair, interval=interval) for pair, interval in zip(pairs, intervals, strict=True)]


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
    groups = len({clusters[task] for task in common})
    mean = math.fsum(differences) / len(differences)
    return PairedDifference(first, second, len(common), groups, mean, None, p, by_task=by_task)


def by_cluster(values: Mapping[Task, float], clusters: Mapping[Task, Hashable]) -> list[list[float]]:
    """The values of tasks in a list for each cluster, in the order of the tasks."""
    found: dict[Hashable, list[float]] = {}
    for task, value in values.items():
        found.setdefault(clusters[task], []).append(value)
    return list(found.values())
