"""AutoExperiment's rules, trait by trait, and against a plain recomputation."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.domain.aggregates import pass_at_k
from leaderboard.scoring.autoexperiment.rules import is_right, judge, share_right

NAN, INF = math.nan, math.inf
ONE = {"Experiment 1": {"acc": 0.8}}
TWO = {"Experiment 1": {"acc": 0.8, "loss": 2}, "Experiment 2": {"curve": [1.0, 2.0]}}
RIGHT_TWO = {"Experiment 1": {"acc": 0.8, "loss": 2.0}, "Experiment 2": {"curve": [1, 2]}}

# name: gold, submitted, which experiments are right
TRAITS: dict[str, tuple[Any, Any, list[bool]]] = {
    "the same numbers": (TWO, RIGHT_TWO, [True, True]),
    "five percent off is right": ({"E": {"a": 100}}, {"E": {"a": 105}}, [True]),
    "five percent off is right however floats round": (
        {"E": {"a": 1.0}, "F": {"a": 0.6}, "G": {"a": 100}, "H": {"a": [0.3, 7]}},
        {"E": {"a": 0.95}, "F": {"a": 0.63}, "G": {"a": 95}, "H": {"a": [0.315, 6.65]}}, [True] * 4,
    ),
    "a little more than rounding is wrong": ({"E": {"a": 1.0}}, {"E": {"a": 0.95 - 1e-9}}, [False]),
    "more than five percent off is wrong": ({"E": {"a": 100}}, {"E": {"a": 105.001}}, [False]),
    "the mean over metrics decides": ({"E": {"a": 1.0, "b": 1.0}}, {"E": {"a": 1.0, "b": 1.09}}, [True]),
    "each number of a list counts once": (
        {"E": {"a": [1.0, 1.0, 1.0], "b": 1.0}}, {"E": {"a": [1.0, 1.0, 1.0], "b": 1.19}}, [True],
    ),
    "a negative gold is divided by its amount": ({"E": {"a": -100}}, {"E": {"a": 300}}, [False]),
    "a gold of 0 compares absolutely": ({"E": {"a": 0}}, {"E": {"a": -0.05}}, [True]),
    "a gold of 0 can be missed": ({"E": {"a": 0.0}}, {"E": {"a": 0.06}}, [False]),
    "one experiment may be right": (TWO, {"Experiment 1": {"acc": 0.8, "loss": 2}}, [True, False]),
    "a missing metric": (TWO, {**RIGHT_TWO, "Experiment 1": {"acc": 0.8}}, [False, True]),
    "a missing metric among many": (
        {"E": {str(n): 1 for n in range(50)}}, {"E": {str(n): 1 for n in range(49)}}, [False],
    ),
    "metrics beyond gold's": (ONE, {"Experiment 1": {"acc": 0.8, "f1": "?"}, "Experiment 2": 1}, [True]),
    "a list too short": (TWO, {**RIGHT_TWO, "Experiment 2": {"curve": [1]}}, [True, False]),
    "a list too long": (TWO, {**RIGHT_TWO, "Experiment 2": {"curve": [1, 2, 3]}}, [True, False]),
    "a list for a number": (ONE, {"Experiment 1": {"acc": [0.8]}}, [False]),
    "a number for a list of one": ({"E": {"a": [0.5]}}, {"E": {"a": 0.5}}, [False]),
    "a number for an experiment of one metric": (ONE, {"Experiment 1": 0.8}, [False]),
    "the metrics without their experiment": (ONE, {"acc": 0.8}, [False]),
    "a bool": ({"E": {"a": 1}}, {"E": {"a": True}}, [False]),
    "null": (ONE, {"Experiment 1": {"acc": None}}, [False]),
    "NaN": (ONE, {"Experiment 1": {"acc": NAN}}, [False]),
    "an infinity": (ONE, {"Experiment 1": {"acc": INF}}, [False]),
    "an infinity as gold": ({"E": {"a": INF}}, {"E": {"a": INF}}, [False]),
    "a whole number beyond all floats": ({"E": {"a": 10**400}}, {"E": {"a": 10**400}}, [False]),
    "a difference beyond all floats": ({"E": {"a": 1e308}}, {"E": {"a": -1e308}}, [False]),
    "another way to write the names": (
        TWO, {"experiment_1": {"Acc": 0.8, "LOSS": 2}, "EXPERIMENT-2:": {"curve": [1, 2]}}, [True, True],
    ),
    "the exact name before one alike": (ONE, {"experiment 1": 3, "Experiment 1": {"acc": 0.8}}, [True]),
    "two names alike are neither": (
        ONE, {"experiment 1": {"acc": 0.8}, "EXPERIMENT 1": {"acc": 0.8}}, [False],
    ),
    "a name that may be two of gold's": ({"E": {"a b": 1, "a_b": 1}}, {"E": {"a b": 1, "A B": 1}}, [False]),
    "another number is another experiment": (ONE, {"Experiment 11": {"acc": 0.8}}, [False]),
    "JSON in a text": (TWO, json.dumps(RIGHT_TWO), [True, True]),
    "JSON in texts within": (
        TWO, {"Experiment 1": '{"acc": "0.8", "loss": 2}', "Experiment 2": None}, [True, False],
    ),
    "text that is no number": (ONE, {"Experiment 1": {"acc": "80%"}}, [False]),
    "no answer": (TWO, None, [False, False]),
    "a list as the answer": (TWO, [RIGHT_TWO], [False, False]),
    "lists in lists": ({"E": {"a": [[1, 2], [3]]}}, {"E": {"a": [[1, 2], [3.1]]}}, [True]),
    "an experiment without metrics": ({"E": {}}, {"E": {}}, [False]),
    "a metric without numbers": ({"E": {"a": []}}, {"E": {"a": []}}, [False]),
    "no experiments": ({}, {"E": {"a": 1}}, []),
}  # fmt: skip


@pytest.mark.parametrize(("gold", "submitted", "expected"), TRAITS.values(), ids=TRAITS)
def test_an_experiment_is_right_by_its_mean_deviation(
    gold: Any, submitted: Any, expected: list[bool]
) -> None:
    judged = judge(gold, submitted)

    assert [experiment.right for experiment in judged] == expected
    assert [experiment.name for experiment in judged] == list(gold)
    assert is_right(judged) is (bool(expected) and all(expected))
    assert share_right(judged) == (sum(expected) / len(expected) if expected else None)


def test_an_answer_nested_without_end_is_wrong() -> None:
    deep: Any = 0.8
    for _ in range(50_000):
        deep = [deep]

    assert not is_right(judge(ONE, {"Experiment 1": {"acc": deep}}))
    assert not is_right(judge(ONE, "[" * 100_000))
    assert not is_right(judge({"E": {"acc": deep}}, {"E": {"acc": deep}}))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
)


@given(JSON, st.dictionaries(st.text(max_size=6), JSON, max_size=3))
def test_whatever_is_submitted_gets_a_judgement(submitted: Any, gold: dict[str, Any]) -> None:
    judged = judge(gold, submitted)

    assert len(judged) == len(gold)
    assert not any(math.isnan(experiment.deviation) for experiment in judged)


def test_thousands_of_answers_are_judged_as_by_fractions() -> None:
    chance = random.Random(11)  # noqa: S311 - the same cases at each run
    seen = {True: 0, False: 0}
    for _ in range(5_000):
        gold = {f"Experiment {n}": metrics(chance) for n in range(1, chance.randint(2, 4))}
        submitted = {name: near(chance, values) for name, values in gold.items() if chance.random() < 0.95}
        for experiment in judge(gold, submitted):
            exact = by_fractions(gold[experiment.name], submitted.get(experiment.name))
            # In between, the rounding of a sum in double precision decides.
            if exact is None or abs(exact - Fraction(5, 100)) > Fraction(1, 10**12):
                assert experiment.right is (exact is not None and exact <= Fraction(5, 100))
                seen[experiment.right] += 1
    assert min(seen.values()) > 1_000


def metrics(chance: random.Random) -> dict[str, Any]:
    def number() -> float:
        return float(
            chance.choice(
                [0, 1, -3, chance.uniform(-2, 2), chance.uniform(0, 1e-6), 10 ** chance.randint(-9, 9)]
            )
        )

    return {
        name: [number() for _ in range(chance.randint(1, 4))] if chance.random() < 0.3 else number()
        for name in "abcd"[: chance.randint(1, 4)]
    }


def near(chance: random.Random, values: dict[str, Any]) -> dict[str, Any]:
    """The values with deviations of some percent; now and then one is missing, too long or no number."""
    spread = chance.choice([0, 0.02, 0.05, 0.1, 0.2])

    def moved(number: float) -> float:
        return number * (1 + chance.uniform(-spread, spread)) + (
            chance.uniform(-0.1, 0.1) if number == 0 else 0
        )

    found: dict[str, Any] = {}
    for name, value in values.items():
        match chance.randint(1, 60):
            case 1:
                continue
            case 2:
                found[name] = chance.choice([None, True, "high", NAN, INF, [], {}])
            case 3 if isinstance(value, list):
                found[name] = [*value, 1.0]
            case _:
                found[name] = [moved(one) for one in value] if isinstance(value, list) else moved(value)
    return found


def by_fractions(gold: dict[str, Any], submitted: Any) -> Fraction | None:
    """The mean deviation in exact arithmetic; None where a number is missing."""
    total, count = Fraction(0), 0
    for name, value in gold.items():
        theirs: Any = (submitted or {}).get(name)
        if isinstance(value, list) != isinstance(theirs, list):
            return None
        pairs = [(value, theirs)] if not isinstance(value, list) else list(zip(value, theirs, strict=False))
        if isinstance(value, list) and len(value) != len(theirs):
            return None
        for one, other in pairs:
            if type(other) not in (int, float) or not math.isfinite(other):
                return None
            off = abs(Fraction(one) - Fraction(other))
            total += off / abs(Fraction(one)) if one else off
            count += 1
    return total / count


def test_pass_at_k_is_the_share_of_draws_with_a_right_one() -> None:
    for attempts in range(9):
        for right in range(attempts + 1):
            made = [True] * right + [False] * (attempts - right)
            for k in range(1, 9):
                draws = list(combinations(made, k))
                expected = sum(map(any, draws)) / len(draws) if draws else None
                assert pass_at_k(attempts, right, k) == expected, (attempts, right, k)


def test_pass_at_k_of_many_attempts_is_exact() -> None:
    assert pass_at_k(2_000, 1, 1_000) == 0.5
    assert pass_at_k(10, 3, 1) == 0.3


@pytest.mark.parametrize(("attempts", "right", "k"), [(5, 6, 1), (5, -1, 1), (5, 2, 0)])
def test_pass_at_k_refuses_what_can_not_be(attempts: int, right: int, k: int) -> None:
    with pytest.raises(ValueError, match="no pass@"):
        pass_at_k(attempts, right, k)
