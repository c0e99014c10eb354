"""Durations are one text everywhere."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.domain.durations import duration_text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (3.44, "3.4 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.6, "1 min 0 s"),
        (3599.4, "59 min 59 s"),
        (3599.6, "1 h 0 min"),
        (100_000, "27 h 46 min"),
        (3_600_000, "1,000 h 0 min"),
    ],
)
def test_the_two_largest_units_are_told(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@pytest.mark.parametrize("seconds", [math.inf, -math.inf, math.nan])
def test_what_is_no_duration_has_no_units(seconds: float) -> None:
    assert duration_text(seconds) == ""


@given(st.floats(min_value=10, max_value=1e9))
def test_a_smaller_unit_never_makes_a_larger_one(seconds: float) -> None:
    text = duration_text(seconds)
    numbers = [int(number) for number in re.findall(r"\d+", text.replace(",", ""))]

    assert re.fullmatch(r"[\d,]+ h \d+ min|\d+ min \d+ s|\d+ s", text)
    assert all(number < 60 for number in numbers[1:])
    assert " h " in text or numbers[0] < 60
