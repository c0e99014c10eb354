"""Tests of paired differences: against known values, every assignment, and what any such test promises."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.domain.significance import FLIPS, MOST_EXACT, holm, mcnemar, sign_flip

DIFFERENCES = st.lists(st.sampled_from([-1.0, -0.5, -1 / 3, 0.0, 0.25, 1 / 3, 2 / 3, 1.0]), max_size=8)


@pytest.mark.parametrize(
    ("only", "p"),
    [
        ((0, 0), 1.0),
        ((1, 0), 1.0),
        ((5, 5), 1.0),
        ((6, 0), 2 / 2**6),
        # The tail of the binomial distribution, summed by hand: 1 + 10 + 45 of 1024, twice.
        ((8, 2), 2 * (1 + 10 + 45) / 2**10),
        ((0, 150), 2 / 2**150),
    ],
)
def test_mcnemar_is_exact(only: tuple[int, int], p: float) -> None:
    assert mcnemar(*only) == pytest.approx(p, rel=1e-12)
    assert mcnemar(*reversed(only)) == mcnemar(*only)


def by_every_assignment(differences: list[float]) -> float:
    """The p of the definition, in fractions of twelfths so that equal sums are equal."""
    twelfths = [round(each * 12) for each in differences]
    found = abs(sum(twelfths))
    sums = [
        sum(map(math.prod, zip(signs, twelfths, strict=True)))
        for signs in product((1, -1), repeat=len(twelfths))
    ]
    return sum(abs(each) >= found for each in sums) / len(sums)


@given(DIFFERENCES)
def test_signs_are_tried_in_every_assignment_where_they_are_few(differences: list[float]) -> None:
    p = sign_flip(differences)

    assert p == pytest.approx(by_every_assignment(differences), rel=1e-12)
    assert sign_flip([-each for each in differences]) == p


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), max_size=3 * MOST_EXACT))
def test_signs_give_mcnemars_p_where_it_applies(differences: list[float]) -> None:
    assert sign_flip(differences) == pytest.approx(mcnemar(differences.count(1.0), differences.count(-1.0)))


def test_many_signs_are_drawn_and_the_p_is_near_the_exact_one() -> None:
    # 34 of 50, which McNemar's test knows exactly, made so unequal that they are multiples of nothing.
    sizes = [1 + n / 1_000_003 for n in range(50)]
    differences = [size if n < 34 else -size for n, size in enumerate(sizes)]

    p = sign_flip(differences)

    assert p == sign_flip(differences)
    assert p == pytest.approx(mcnemar(34, 16), abs=0.004)
    assert sign_flip(sizes) == 1 / (FLIPS + 1), "never 0"


@given(st.lists(st.sampled_from([-1.0, -0.5, -1 / 3, 0.25, 1 - 1 / 3]), min_size=17, max_size=40))
def test_any_number_of_means_of_a_few_attempts_is_tested_exactly(differences: list[float]) -> None:
    ways = Counter({0: 1})
    for each in (round(12 * abs(each)) for each in differences):
        ways = Counter({total: ways[total - each] + ways[total + each] for total in range(-480, 481)})
    found = abs(sum(round(12 * each) for each in differences))
    as_far = sum(number for total, number in ways.items() if abs(total) >= found)

    assert sign_flip(differences) == pytest.approx(as_far / 2 ** len(differences), rel=1e-12)


def test_without_any_difference_p_is_1() -> None:
    assert sign_flip([]) == sign_flip([0.0] * 50) == 1.0


def test_chance_alone_is_seldom_called_a_difference() -> None:
    draw = random.Random(1)  # noqa: S311
    values = [sign_flip([draw.gauss(0, 1) for _ in range(12)]) for _ in range(300)]

    assert 5 <= sum(p < 0.05 for p in values) <= 25


def test_holm_as_in_a_worked_example() -> None:
    # 4 times 0.01; 3 times 0.013 would be below it; 2 times 0.03; 1 times 0.04 would be below that.
    assert holm([0.03, 0.01, 0.04, 0.013]) == pytest.approx([0.06, 0.04, 0.06, 0.04])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []
