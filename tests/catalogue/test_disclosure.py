"""A landmark is shown unless it gives the gold answer away."""

from __future__ import annotations

import pytest

from leaderboard.domain.disclosure import shown_pattern
from leaderboard.domain.trajectory import MISSING, JsonValue, Missing


@pytest.mark.parametrize(
    ("pattern", "gold"),
    [
        (r"epoch \d+", {"loss": 0.5}),
        (r"epoch 3", 3),
        (r"0\.\d+", {"f1": 0.83}),
        (r"f1 0\.99", {"f1": 0.83}),
        (r"f1", {"f1": True, "note": None, "empty": ""}),
        (r"f1 0\.83", MISSING),
        (r"epoch 10", 10**400),
    ],
)
def test_a_pattern_that_says_nothing_of_the_gold_is_shown(pattern: str, gold: JsonValue | Missing) -> None:
    assert shown_pattern(pattern, gold) == pattern


@pytest.mark.parametrize(
    ("pattern", "gold"),
    [
        (r"f1.*0\.83", {"f1": 0.83}),
        (r"f1.*0[.]83", {"f1": 0.83}),
        (r"f1: 0\.830", [{"f1": 0.83}]),
        (r"f1: 0\.835", 0.8349),
        (r"f1: 0\.83", 0.8349999),
        (r"f1: -0\.83", -0.83),
        (r"answer\ is\ forty\-two", ["forty-two"]),
        (r"after 12 epochs", {"epochs": 12}),
        (r"accuracy: 83\.4", 0.834),
        (r"accuracy: 0\.834", 83.4),
        (r"f1 = \.834", 0.834),
        (r"loss 83\b", 83.0),
        (r"1,234 lines", 1234),
        (r"(?i)ADAM", "Adam"),
        ("1" + "0" * 400, -(10**400)),
    ],
)
def test_a_pattern_that_spells_a_value_of_the_gold_is_withheld(pattern: str, gold: JsonValue) -> None:
    assert shown_pattern(pattern, gold) == ""
