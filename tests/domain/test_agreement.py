"""Which answers agree, by the rules of those who score them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboard.domain.agreement import (
    DEEPEST,
    MOST_LEAVES,
    PLAIN_ANSWERS,
    AnswerRules,
    KeyAgreement,
    agreement,
    leaves_of,
    path_text,
)
from leaderboard.domain.nesting import MAX_DEPTH
from leaderboard.scoring.autoexperiment import SCORING as AUTOEXPERIMENT
from leaderboard.scoring.super import SCORING as SUPER

STRICT, WITHIN_5_PERCENT = SUPER.answers, AUTOEXPERIMENT.answers


def agree(*answers: Any, rules: AnswerRules = STRICT, **options: Any) -> dict[str, KeyAgreement]:
    leaves = [leaves_of(answer, rules) for answer in answers]
    counts = options.get("counts", [True] * len(answers))
    found = agreement(leaves, counts, rules, most_keys=options.get("most_keys", 100))
    return {path_text(each.path): each for each in found}


def groups(*answers: Any, **options: Any) -> list[tuple[int, ...]]:
    """Which of single values agree."""
    (found,) = agree(*answers, **options).values()
    return [group.answers for group in found.groups]


@pytest.mark.parametrize(
    ("rules", "values", "together"),
    [
        (STRICT, [0.5, 5e-1, 0.504, 0.52], [(0, 1, 2), (3,)]),
        (STRICT, [1, 1.0, True, "1"], [(0, 1), (2,), (3,)]),
        (STRICT, [" yes ", "yes", "Yes"], [(0, 1), (2,)]),
        (STRICT, [float("inf"), float("inf"), float("nan"), float("nan")], [(0, 1), (2,), (3,)]),
        (STRICT, [None, None, False, [], {}], [(0, 1), (2,), (3,), (4,)]),
        (STRICT, [10**400, 10**400, 1.0], [(0, 1), (2,)]),
        (WITHIN_5_PERCENT, [100, 104, 120, "100.0"], [(0, 1, 3), (2,)]),
        (WITHIN_5_PERCENT, [10**400, "n/a", "n/a"], [(1, 2), (0,)]),
        (PLAIN_ANSWERS, [1, 1.0, 1.001, True], [(0, 1), (2,), (3,)]),
    ],
)
def test_values_agree_as_their_scorer_sees_them(
    rules: AnswerRules, values: list[Any], together: list[tuple[int, ...]]
) -> None:
    assert groups(*values, rules=rules) == together


def test_every_member_of_a_group_agrees_with_its_value_whatever_the_order() -> None:
    # Each agrees with its neighbours, the first with the last does not: most have 0.508.
    values = [0.5, 0.508, 0.516, 0.508]
    for order in (values, values[::-1]):
        (found,) = agree(*order).values()
        assert found.groups[0].value == 0.508
        assert found.most == 4


def test_keys_of_nested_answers_are_compared_one_by_one() -> None:
    found = agree(
        {"runs": [{"f1": 0.5}, {"f1": 0.7}], "name": "a"}, {"runs": [{"f1": 0.5}]}, {"runs": [{"f1": 0.9}]}, 3
    )

    assert [(key, each.most, each.without) for key, each in found.items()] == [
        ("runs[1].f1", 2, (3,)),
        ("runs[2].f1", 1, (1, 2, 3)),
        ("name", 1, (1, 2, 3)),
        ("", 1, (0, 1, 2)),
    ]


def test_keys_that_mean_the_same_to_the_scorer_are_one() -> None:
    found = agree({"Experiment 1": {"acc": 50}}, '{"experiment_1": {"ACC": "51"}}', rules=WITHIN_5_PERCENT)

    assert {key: each.most for key, each in found.items()} == {"Experiment 1.acc": 2}
    assert len(agree({"Experiment 1": 50}, {"experiment_1": 50})) == 2


def test_what_does_not_count_is_grouped_and_puts_no_value_or_key_first() -> None:
    claimed = {"f1": 1.0, "made": 1, "up": 2}
    found = agree({"f1": 0.25}, claimed, claimed, counts=[True, False, False], most_keys=2)

    assert list(found) == ["f1", "made"]
    assert [(group.value, group.counted) for group in found["f1"].groups] == [(0.25, 1), (1.0, 0)]
    assert found["made"].most == 0


def test_hostile_answers_are_taken_apart_within_bounds() -> None:
    deep = json.loads("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    wide = {f"key {n}": n for n in range(MOST_LEAVES + 5)}

    (path,) = leaves_of(deep, STRICT)
    assert len(path) == DEEPEST
    assert len(leaves_of(wide, STRICT)) == MOST_LEAVES
    assert groups(deep, deep) == [(0, 1)]
