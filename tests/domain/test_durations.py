"""Durations are one text everywhere."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.domain.durations import two_largest_units


@pytest.mark.parametrize(
    ("seconds", "parts"),
    [
        (0, ("seconds", ("0",))),
        (3.44, ("seconds", ("3.4",))),
        (9.94, ("seconds", ("9.9",))),
        (9.96, ("seconds", ("10",))),
        (59.4, ("seconds", ("59",))),
        (59.6, ("minutes", ("1", "0"))),
        (3599.4, ("minutes", ("59", "59"))),
        (3599.6, ("hours", ("1", "0"))),
        (100_000, ("hours", ("27", "46"))),
    ],
)
def test_the_two_largest_units_are_told(seconds: float, parts: tuple[str, tuple[str, ...]]) -> None:
    assert two_largest_units(seconds) == parts


@pytest.mark.parametrize("seconds", [math.inf, -math.inf, math.nan])
def test_what_is_no_duration_has_no_units(seconds: float) -> None:
    assert two_largest_units(seconds) is None


@given(st.floats(min_value=10, max_value=1e9))
def test_a_smaller_unit_never_makes_a_larger_one(seconds: float) -> None:
    parts = two_largest_units(seconds)

    assert parts is not None
    assert all(int(part) < 60 for part in parts[1][1:])
    assert parts[0] == "hours" or int(parts[1][0]) < 60
