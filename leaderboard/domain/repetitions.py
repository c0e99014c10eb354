"""Finds where an agent repeats itself: the same action with the same result, step after step."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from leaderboard.domain.trajectory import Step, StepKind

LEAST = 3
"""Fewer alike steps are no repetition: to try once more is common, and may be wise."""
ALIKE = 0.9
"""The share of two texts' words that must be the same, in any order, for them to be nearly the same."""

_NUMBER = re.compile(r"\d+")


class Repetition(NamedTuple):
    """The steps ``first`` to ``last``, by number and both included, do the same with the same result."""

    first: int
    last: int

    @property
    def times(self) -> int:
        """How often it was done, the first time included."""
        return self.last - self.first + 1


def find_repetitions(steps: Sequence[Step], least: int = LEAST) -> list[Repetition]:
    """Every run of at least ``least`` steps that do what its first one does; disjoint, in order.

    Linear in the number of steps, and in their texts. Steps before the agent took over never count.
    """
    found: list[Repetition] = []
    first = 0
    while first < len(steps):
        after = first + 1
        while after < len(steps) and is_repeated(steps[first], steps[after]):
            after += 1
        if after - first >= least:
            found.append(Repetition(steps[first].number, steps[after - 1].number))
        first = after
    return found


def repeated_steps(steps: Sequence[Step]) -> set[int]:
    """The numbers of the steps that repeat an earlier one: of each repetition all but the first."""
    return {number for found in find_repetitions(steps) for number in range(found.first + 1, found.last + 1)}


def is_repeated(earlier: Step, later: Step) -> bool:
    """Whether two steps are the same action with nearly the same result, or nearly the same with the same.

    A result is nearly the same whatever numbers are in it, such as times. Numbers in an action count, and
    so does its result then, which must not be empty: who tries one learning rate after the other repeats
    nothing. A reply that could not be read is no action: the complaint about it is enough.
    """
    if earlier.kind != later.kind or earlier.pre_executed or later.pre_executed:
        return False
    before, after = earlier.observation or "", later.observation or ""
    if earlier.kind is StepKind.FORMAT_ERROR:
        return _is_alike(before, after)
    if _is_same(earlier.action, later.action):
        return _is_alike(before, after, but_for=_NUMBER)
    return before.strip() != "" and _is_same(before, after) and _is_alike(earlier.action, later.action)


def _is_same(one: str, other: str) -> bool:
    """Whether two texts are equal but for white space."""
    return one == other or (_is_of_a_size(one, other) and one.split() == other.split())


def _is_alike(one: str, other: str, *, but_for: re.Pattern[str] | None = None) -> bool:
    """Whether two texts have nearly the same words; what matches ``but_for`` does not count."""
    if one == other:
        return True
    if not _is_of_a_size(one, other):
        return False
    words, others = (but_for.sub("", text).split() if but_for else text.split() for text in (one, other))
    common = (Counter(words) & Counter(others)).total()
    return 2 * common >= ALIKE * (len(words) + len(others))


def _is_of_a_size(one: str, other: str) -> bool:
    """Whether it is worth comparing them: a long text is not compared with many short ones."""
    shorter, longer = sorted((len(one), len(other)))
    return 2 * shorter >= longer
