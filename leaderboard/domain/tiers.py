"""Which ranks of a board can't be told apart, and how many more tasks would do it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, TypeVar

from leaderboard.domain.bootstrap import FEWEST_CLUSTERS
from leaderboard.domain.paired import PairedDifference, by_cluster, paired_differences
from leaderboard.domain.significance import LEVEL

POWER: Final = 0.8
"""How often an estimated number of tasks would show a difference of the size that is seen."""
MOST_TASKS: Final = 1_000_000
"""The highest estimate: a difference close to 0 would need any number of tasks."""

Task = TypeVar("Task", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Tier:
    """The ranks that an entry can't be told apart from, its own among them.

    Attributes:
        first, last: the best and the worst of them; ``last`` is None if it may be any below, as entries
            beyond the tested ones are.
        more_tasks: about how many more tasks like these would tell it from the next entry below that it can't
            be told apart from; None without one, and where nothing can be estimated.
    """

    first: int
    last: int | None
    more_tasks: int | None


def find_tiers(
    entries: Sequence[Mapping[Task, float]],
    ranks: Sequence[int],
    clusters: Mapping[Task, Hashable],
    *,
    more_below: bool = False,
) -> list[Tier]:
    """The tier of each of ``entries``, which are in the order of their ``ranks``.

    Every two are tested, as `paired_differences` says, with its correction for all of these pairs.
    ``more_below`` says that the board has more entries below them, which are not tested.
    """
    pairs = paired_differences(entries, clusters, interval_below=LEVEL)
    close: list[dict[int, PairedDifference]] = [{} for _ in entries]
    for pair in pairs:
        if not pair.is_certain:
            close[pair.first][pair.second] = pair
            close[pair.second][pair.first] = pair
    last_tested = len(entries) - 1
    tiers = []
    for at, others in enumerate(close):
        within = [ranks[at], *(ranks[other] for other in others)]
        is_open = more_below and (last_tested in others or at == last_tested)
        below = min((other for other in others if ranks[other] > ranks[at]), default=None)
        more = None if below is None else more_tasks(others[below], clusters, len(pairs))
        tiers.append(Tier(min(within), None if is_open else max(within), more))
    return tiers


def more_tasks(pair: PairedDifference, clusters: Mapping[Task, Hashable], pairs: int) -> int | None:
    """About how many more tasks would tell the two apart, if they go on to differ as they do now.

    From the normal approximation of the paired test: the square of (z of the level + z of the power), times
    the variance of the differences, over the square of their mean. The level is `LEVEL` over the number of
    ``pairs`` that are tested, the variance that of whole clusters, so that tasks of one repository count for
    less. It is at least what the exact test needs if all further tasks were on one side. None where they
    don't differ, or the clusters are too few.

    J. Cohen, Statistical power analysis for the behavioral sciences (1988), chapter 2; of evaluations:
    E. Miller, Adding error bars to evals, arXiv:2411.00640, section 5.
    """
    if not pair.value or pair.clusters < FEWEST_CLUSTERS:
        return None
    groups = by_cluster(pair.by_task, clusters)
    # In units of the mean, and summed without `fsum`: next to nothing and beyond all floats are no errors.
    apart = [math.fsum(group) / pair.value - len(group) for group in groups]
    variance = sum(each * each for each in apart) * len(groups) / (len(groups) - 1) / pair.tasks
    level = LEVEL / max(1, pairs)
    normal = NormalDist()
    z = normal.inv_cdf(1 - level / 2) + normal.inv_cdf(POWER)
    needed = max(variance * z * z, 1 - math.log2(level))
    return MOST_TASKS if needed > MOST_TASKS else max(1, math.ceil(needed) - pair.tasks)
