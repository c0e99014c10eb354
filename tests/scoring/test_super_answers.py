"""The two comparisons, trait by trait."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.domain.nesting import MAX_DEPTH
from leaderboard.scoring.super.answers import NotComparable, compare_as_paper, compare_strictly

NAN, INF = math.nan, math.inf
RAISES = None

# name: gold, submission, by the paper, strictly
GOLDEN: dict[str, tuple[Any, Any, float | None, float]] = {
    "numbers within a hundredth match": (1.0, 1.009, 1, 1),
    "a difference of a hundredth does not match": (0.0, 0.01, 0, 0),
    "an int counts as a float": (2, 2.001, 1, 1),
    "a number and its text differ": (1, "1", 0, 0),
    "strings match after stripping": (" yes\n", "yes", 1, 1),
    "strings are case-sensitive": ("Yes", "yes", 0, 0),
    "NaN never matches": (NAN, NAN, 0, 0),
    "equal infinities match strictly": (INF, INF, 0, 1),
    "a bool is not a number": (1, True, 0, 0),
    "two bools": (True, True, RAISES, 1),
    "two bools that differ": (True, False, RAISES, 0),
    "two nulls": (None, None, RAISES, 1),
    "null and a number": (1, None, 0, 0),
    "one right key of three": ({"a": 1, "b": 2, "c": 3}, {"a": 1}, 1, 1 / 3),
    "one right key and one extra": ({"a": 1}, {"a": 1, "b": 2}, 0.5, 1),
    "one right key and one wrong": ({"a": 1, "b": 2}, {"a": 1, "b": 9}, 0.5, 0.5),
    "an extra key that is null": ({"a": 1}, {"a": 1, "b": None}, RAISES, 1),
    "a right prefix of a list": ([1, 2, 3, 4], [1, 2], 1, 0.5),
    "a list too long": ([1, 2], [1, 2, 3, 4], 0.5, 0.5),
    "a list in another order": ([1, 2], [2, 1], 0, 0),
    "inside one dict gold's keys decide": ({"x": {"a": 1}}, {"x": {"a": 1, "b": 2}}, 1, 1),
    "inside one dict a missing key costs": ({"x": {"a": 1, "b": 2}}, {"x": {"a": 1}}, 0.5, 0.5),
    "a list does not change places": ([{"a": 1, "b": 2}], [{"a": 1}], 1, 0.5),
    "an empty list against a list": ([1], [], RAISES, 0),
    "an empty object against an object": ({"a": 1}, {}, RAISES, 0),
    "an empty list against a number": (1, [], 0, 0),
    "empty containers match": ([], [], RAISES, 1),
    "an empty gold object matches no other": ({}, {"a": 1}, 0, 0),
    "an empty gold list matches no other": ([], [1], 0, 0),
    "a list and an object differ": ([1], {"0": 1}, 0, 0),
    "a whole number beyond all floats": (1.0, 10**400, RAISES, 0),
    "equal whole numbers beyond all floats": (10**400, 10**400, RAISES, 1),
    "whole numbers are exact strictly": (2**53, 2**53 + 1, 1, 0),
    "a type that JSON does not have": ((1,), (1,), RAISES, 0),
}


@pytest.mark.parametrize(("gold", "submission", "expected", "_strict"), GOLDEN.values(), ids=GOLDEN)
def test_by_the_paper(gold: Any, submission: Any, expected: float | None, _strict: float) -> None:
    if expected is RAISES:
        with pytest.raises(NotComparable, match=r"\w"):
            compare_as_paper(gold, submission)
    else:
        assert compare_as_paper(gold, submission) == pytest.approx(expected)


@pytest.mark.parametrize(("gold", "submission", "_paper", "expected"), GOLDEN.values(), ids=GOLDEN)
def test_strictly(gold: Any, submission: Any, _paper: float | None, expected: float) -> None:
    assert compare_strictly(gold, submission) == pytest.approx(expected)


def nested(depth: int, kind: type) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value] if kind is list else {"a": value}
    return value


@pytest.mark.parametrize("kind", [list, dict])
def test_nesting_up_to_the_limit_is_compared(kind: type) -> None:
    deep = nested(MAX_DEPTH, kind)
    assert (compare_strictly(deep, deep), compare_as_paper(deep, deep)) == (1, 1)


@pytest.mark.parametrize("kind", [list, dict])
def test_hostile_nesting_exhausts_no_stack(kind: type) -> None:
    deep = nested(50_000, kind)
    assert compare_strictly(deep, deep) == 0
    with pytest.raises(NotComparable, match="nested deeper"):
        compare_as_paper(deep, deep)


def answers(*, allow_nan: bool = True) -> st.SearchStrategy[Any]:
    leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=allow_nan) | st.text(max_size=5)
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4)
        ),
        max_leaves=12,
    )


@given(answers(), answers())
def test_a_strict_share_lies_between_0_and_1(gold: Any, submission: Any) -> None:
    assert 0 <= compare_strictly(gold, submission) <= 1


@given(answers(), answers())
def test_a_share_by_the_paper_lies_between_0_and_1_or_is_refused(gold: Any, submission: Any) -> None:
    try:
        share = compare_as_paper(gold, submission)
    except NotComparable:
        return
    assert 0 <= share <= 1


@given(answers(allow_nan=False))
def test_an_answer_matches_itself_strictly(gold: Any) -> None:
    assert compare_strictly(gold, gold) == 1


Pair = tuple[Any, Any]


def listed(pairs: list[Pair]) -> Pair:
    return [gold for gold, _ in pairs], [submission for _, submission in pairs]


def keyed(pairs: dict[str, Pair]) -> Pair:
    return {key: pair[0] for key, pair in pairs.items()}, {key: pair[1] for key, pair in pairs.items()}


def nest(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    lists = st.lists(inner, min_size=1, max_size=3).map(listed)
    return lists | st.dictionaries(st.sampled_from("abc"), inner, min_size=1).map(keyed)


LEAF = st.floats(-1, 1) | st.text(max_size=2)
OF_ONE_SHAPE: st.SearchStrategy[Pair] = st.recursive(st.tuples(LEAF, LEAF), nest, max_leaves=8)
"""Gold and submission with the same keys and lengths, none of them empty, and leaves of float and text."""


@given(OF_ONE_SHAPE)
def test_on_answers_of_one_shape_the_comparisons_agree(pair: Pair) -> None:
    gold, submission = pair
    assert compare_as_paper(gold, submission) == pytest.approx(compare_strictly(gold, submission))
