"""Which ranks can't be told apart, and how many more tasks would tell them."""

from __future__ import annotations

import random

import pytest

from leaderboard.domain.paired import paired_differences
from leaderboard.domain.significance import LEVEL, mcnemar
from leaderboard.domain.tiers import MOST_TASKS, Tier, find_tiers, more_tasks

TASKS = 40
ALONE = {n: n for n in range(TASKS)}


def right_at(tasks: int) -> dict[int, float]:
    """An entry that solves the first so many tasks."""
    return {n: float(n < tasks) for n in range(TASKS)}


def test_entries_far_apart_have_a_rank_of_their_own() -> None:
    entries = [right_at(tasks) for tasks in (40, 20, 0)]

    assert find_tiers(entries, [1, 2, 3], ALONE) == [Tier(n, n, None) for n in (1, 2, 3)]


def test_ranks_that_can_not_be_told_apart_are_a_range_for_each_of_them() -> None:
    entries = [right_at(tasks) for tasks in (40, 38, 20, 0)]
    tiers = find_tiers(entries, [1, 2, 3, 4], ALONE)

    assert [(tier.first, tier.last) for tier in tiers] == [(1, 2), (1, 2), (3, 3), (4, 4)]
    assert tiers[0].more_tasks
    assert [tier.more_tasks for tier in tiers[1:]] == [None] * 3, "the next below is told apart"


def test_equal_entries_share_a_rank_and_nothing_is_said_of_more_tasks() -> None:
    entries = [right_at(20)] * 3

    assert find_tiers(entries, [1, 1, 1], ALONE) == [Tier(1, 1, None)] * 3


def test_a_range_that_reaches_the_last_tested_entry_is_open_if_there_are_more() -> None:
    entries = [right_at(tasks) for tasks in (40, 20, 19)]
    tiers = find_tiers(entries, [1, 2, 3], ALONE, more_below=True)

    assert [(tier.first, tier.last) for tier in tiers] == [(1, 1), (2, None), (2, None)]


def test_few_repositories_tell_nothing_apart_and_give_no_estimate() -> None:
    few = {n: n % 4 for n in range(TASKS)}

    assert find_tiers([right_at(40), right_at(0)], [1, 2], few) == [Tier(1, 2, None), Tier(1, 2, None)]


def test_the_more_pairs_are_tested_the_more_tasks_are_needed_and_repositories_count_as_one() -> None:
    ours, theirs = right_at(24), right_at(20)
    (alone,) = paired_differences([ours, theirs], ALONE)
    fours = {n: n // 4 for n in range(TASKS)}
    (related,) = paired_differences([ours, theirs], fours)

    assert more_tasks(alone, ALONE, 1)
    assert (more_tasks(alone, ALONE, 1) or 0) < (more_tasks(alone, ALONE, 10) or 0)
    assert (more_tasks(alone, ALONE, 1) or 0) < (more_tasks(related, fours, 1) or 0) < MOST_TASKS


def test_with_the_estimated_tasks_the_same_difference_is_shown_about_four_times_in_five() -> None:
    draw = random.Random(4)  # noqa: S311
    shares = {(1.0, 0.0): 0.25, (0.0, 1.0): 0.1, (1.0, 1.0): 0.35, (0.0, 0.0): 0.3}
    seen = [pair for pair, share in shares.items() for _ in range(round(share * TASKS))]
    (pair,) = paired_differences([{n: each[side] for n, each in enumerate(seen)} for side in (0, 1)], ALONE)
    more = more_tasks(pair, ALONE, 1) or 0
    shown = 0
    for _ in range(400):
        drawn = draw.choices(list(shares), weights=list(shares.values()), k=TASKS + more)
        shown += mcnemar(drawn.count((1.0, 0.0)), drawn.count((0.0, 1.0))) < LEVEL

    assert 0.7 < shown / 400 < 0.9


@pytest.mark.parametrize("unit", [1e-300, 1.0, 1e12])
def test_the_number_of_tasks_does_not_depend_on_the_unit_of_the_values(unit: float) -> None:
    entries = [{n: unit * (n % 3) for n in range(8)}, {n: unit * (n % 2) for n in range(8)}]

    assert find_tiers(entries, [1, 2], ALONE)[0] == Tier(1, 2, 39)


def test_a_difference_of_next_to_nothing_needs_any_number_of_tasks() -> None:
    entries = [{0: 1.0, 1: -1.0, 2: 1e-300, 3: 0.0, 4: 0.0}, dict.fromkeys(range(5), 0.0)]

    assert find_tiers(entries, [1, 2], ALONE)[0] == Tier(1, 2, MOST_TASKS)
