"""Tests of paired differences: whether two entries differ on the tasks that both attempted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import Final

LEVEL: Final = 0.05
"""Below this p, after a correction for several pairs, a difference is not put down to chance."""
MOST_EXACT: Final = 16
"""Up to so many differences that are not 0, every assignment of signs is tried."""
MOST_SUMS: Final = 20_000
"""Of any number of differences that are multiples of one number: together so many times that number."""
LARGEST_DENOMINATOR: Final = 1_000
"""Of a difference as a fraction."""
FLIPS: Final = 9_999
"""Else so many random ones."""
SEED: Final = 20_241_101
"""The same differences give the same p on each page, in each process."""
_BITS: Final = 8


def mcnemar(first_only: int, second_only: int) -> float:
    """The exact two-sided p of McNemar's test: is one of two as likely to be the only one that is right?

    Args:
        first_only: tasks that only the first got right; ``second_only`` those of the second. Tasks that both
            or neither got right say nothing of it.
        second_only: see ``first_only``.

    Q. McNemar, Note on the sampling error of the difference between correlated proportions, Psychometrika 12
    (1947); exact by the binomial distribution with a chance of 1/2.
    """
    discordant = first_only + second_only
    tail = sum(math.comb(discordant, few) for few in range(min(first_only, second_only) + 1))
    # Whole numbers until the division, which is then rounded once.
    p: float = 2 * tail / 2**discordant
    return min(1.0, p)


def sign_flip(differences: Sequence[float]) -> float:
    """The two-sided p of the paired permutation test: how often random signs give a sum as far from 0.

    Exact where the differences are multiples of one number, as means of a few attempts are, and where at most
    ``MOST_EXACT`` are not 0. Else by ``FLIPS`` random assignments, of which the one that was found is counted
    as one, so that p is never 0.

    R. A. Fisher, The design of experiments (1935), section 21; B. Phipson, G. K. Smyth, Permutation p-values
    should never be zero, Stat. Appl. Genet. Mol. Biol. 9 (2010).
    """
    sizes = tuple(sorted(abs(each) for each in differences if each))
    return _p_of_signs(sizes, abs(math.fsum(differences))) if sizes else 1.0


@lru_cache(maxsize=10_000)
def _p_of_signs(sizes: tuple[float, ...], found: float) -> float:
    """Cached: a board's pairs come again with its next scorer, and when a further entry changes."""
    # Sums that are equal but for rounding count as equal.
    found -= 1e-9 * math.fsum(sizes)
    if unit := _common_unit(sizes):
        return _p_of_multiples([round(size / unit) for size in sizes], found / unit)
    if len(sizes) <= MOST_EXACT:
        # The other half has the same sums with the other sign.
        sums = _signed_sums(sizes[1:], start=sizes[0])
        return sum(abs(each) >= found for each in sums) / len(sums)
    # A byte has the signs of eight differences; its sum is looked up.
    random, columns = Random(SEED), []  # noqa: S311 - for statistics
    for start in range(0, len(sizes), _BITS):
        eight = [*sizes[start : start + _BITS], *[0.0] * _BITS][:_BITS]
        columns.append(map(_signed_sums(eight).__getitem__, random.randbytes(FLIPS)))
    as_far = sum(abs(each) >= found for each in map(sum, zip(*columns, strict=True)))
    return (as_far + 1) / (FLIPS + 1)


def _common_unit(sizes: Iterable[float]) -> float:
    """The number that ``sizes`` are multiples of; 0 if there is none that is large enough."""
    fractions = [_fraction(size) for size in set(sizes)]
    if not all(fractions):
        return 0.0
    parts = math.lcm(*(each.denominator for each in fractions))
    return 1 / parts if parts * math.fsum(sizes) <= MOST_SUMS else 0.0


@lru_cache(maxsize=10_000)
def _fraction(size: float) -> Fraction:
    """A size as a fraction, 0 if it is none with a small denominator."""
    near = Fraction(size).limit_denominator(LARGEST_DENOMINATOR)
    return near if abs(near - Fraction(size)) < 1e-12 * size else Fraction(0)


def _p_of_multiples(sizes: Sequence[int], found: float) -> float:
    """How many of all assignments of signs to whole numbers give a sum as far from 0 as ``found``.

    The numbers of ways to each sum of those with a minus are the digits of one whole number, in a base that
    no number of ways reaches. A number less a multiple of (its base - 1) is the sum of its digits.
    """
    bits = len(sizes) + 1
    ways = 1
    for size in sizes:
        ways += ways << bits * size
    total = sum(sizes)
    # With so much that has a minus, or less, the sum is as far above 0; as many are as far below.
    most = math.floor((total - found) / 2)
    if 2 * most >= total:
        return 1.0
    as_far = (ways & (1 << bits * (most + 1)) - 1) % ((1 << bits) - 1)
    p: float = 2 * as_far / 2 ** len(sizes)
    return p


def _signed_sums(sizes: Sequence[float], start: float = 0.0) -> list[float]:
    """``start`` plus the sum of ``sizes`` for every assignment of signs."""
    sums = [start]
    for size in sizes:
        sums = [each - size for each in sums] + [each + size for each in sums]
    return sums


def holm(values: Sequence[float]) -> list[float]:
    """Each p after Holm's correction for all of ``values``, in their order.

    The chance that any of them falls below a level by chance stays below it.

    S. Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6 (1979).
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    adjusted = [0.0] * len(values)
    for rank, index in enumerate(order):
        adjusted[index] = min(1.0, (len(values) - rank) * values[index])
    for before, index in pairwise(order):
        adjusted[index] = max(adjusted[index], adjusted[before])
    return adjusted
