"""Paired differences of entries: which tasks count, how wide an interval is, and what is called certain."""

from __future__ import annotations

import random
import statistics

import pytest

from leaderboard.domain.bootstrap import FEWEST_CLUSTERS, clustered_interval
from leaderboard.domain.paired import paired_differences
from leaderboard.domain.significance import mcnemar

ALONE = {n: n for n in range(200)}


def test_only_tasks_that_both_have_a_value_at_count() -> None:
    (pair,) = paired_differences([{1: 1.0, 2: 0.5, 3: 0.0}, {2: 0.25, 3: 0.5, 4: 1.0}], ALONE)

    assert (pair.first, pair.second, pair.tasks, pair.clusters) == (0, 1, 2, 2)
    assert pair.value == pytest.approx((0.25 - 0.5) / 2)


def test_without_a_common_task_nothing_is_said() -> None:
    (pair,) = paired_differences([{1: 1.0}, {2: 0.0}], ALONE)

    assert (pair.tasks, pair.value, pair.interval, pair.p, pair.adjusted) == (0, None, None, None, None)
    assert not pair.is_certain


def test_values_of_0_and_1_are_tested_by_mcnemar_and_others_by_signs() -> None:
    right = dict.fromkeys(range(20), 1.0)
    wrong = {n: float(n < 5) for n in range(20)}
    (binary,) = paired_differences([right, wrong], ALONE)
    (partly,) = paired_differences([right, {**wrong, 0: 0.5}], ALONE)

    assert binary.p == mcnemar(15, 0)
    assert partly.p == 2 / 2**16


def test_the_other_order_is_the_same_with_the_other_sign() -> None:
    draw = random.Random(3)  # noqa: S311
    ours, theirs = ({n: draw.random() for n in range(60)} for _ in range(2))
    clusters = {n: n // 2 for n in range(60)}
    (pair,) = paired_differences([ours, theirs], clusters)
    (other,) = paired_differences([theirs, ours], clusters)

    assert pair.value == pytest.approx(-(other.value or 0))
    assert pair.p == other.p
    assert pair.interval
    assert other.interval
    assert pair.interval == pytest.approx((-other.interval[1], -other.interval[0]))


def test_equal_entries_are_equal_and_not_certain() -> None:
    values = {n: n / 50 for n in range(50)}
    (pair,) = paired_differences([values, dict(values)], ALONE)

    assert (pair.value, pair.interval, pair.p, pair.is_certain) == (0.0, (0.0, 0.0), 1.0, False)


def test_every_pair_is_corrected_for_all_and_one_without_a_task_for_none() -> None:
    right, wrong = dict.fromkeys(range(6), 1.0), dict.fromkeys(range(6), 0.0)
    alone, three = (
        paired_differences([right, wrong], ALONE),
        paired_differences([right, wrong, {9: 1.0}], ALONE),
    )
    four = paired_differences([right, wrong, wrong], ALONE)

    assert alone[0].adjusted == three[0].adjusted == mcnemar(6, 0) < 0.05
    assert alone[0].is_certain
    assert four[0].adjusted == 3 * mcnemar(6, 0) > 0.05
    assert not four[0].is_certain
    assert [(pair.first, pair.second) for pair in four] == [(0, 1), (0, 2), (1, 2)]


def test_an_interval_needs_several_clusters() -> None:
    assert clustered_interval([[1.0, 0.5]] * (FEWEST_CLUSTERS - 1)) is None
    assert clustered_interval([[1.0, 0.5]] * FEWEST_CLUSTERS) == (0.75, 0.75)


def test_an_interval_is_the_normal_one_where_there_are_many() -> None:
    draw = random.Random(5)  # noqa: S311
    values = [draw.random() for _ in range(120)]
    half = 1.96 * statistics.pstdev(values) / 120**0.5
    interval = clustered_interval([[value] for value in values])

    assert interval == pytest.approx(
        (statistics.mean(values) - half, statistics.mean(values) + half), abs=0.006
    )


def test_tasks_that_resemble_each_other_widen_an_interval() -> None:
    draw = random.Random(7)  # noqa: S311
    of_cluster = [draw.random() for _ in range(20)]
    together = clustered_interval([[value] * 6 for value in of_cluster])
    apart = clustered_interval([[value] for value in of_cluster for _ in range(6)])

    assert together
    assert apart
    assert together[1] - together[0] > 2 * (apart[1] - apart[0])


def test_an_interval_holds_the_true_mean_about_95_times_in_100() -> None:
    draw = random.Random(9)  # noqa: S311
    held = 0
    for _ in range(60):
        centres = [draw.gauss(0.2, 0.3) for _ in range(30)]
        low, high = clustered_interval([[draw.gauss(c, 0.2) for _ in range(3)] for c in centres]) or (1, -1)
        held += low <= 0.2 <= high

    assert 52 <= held <= 60
