"""Figures as pages write them."""

from __future__ import annotations

import pytest

from leaderboard.scoring.super.rules import ACCURACY as SHARE
from leaderboard.templatetags.viewer import MISSING, amount, seconds, size


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (1_500_000, "1.5 MB"),
        (2 * 10**9, "2.0 GB"),
        (5 * 10**12, "5000.0 GB"),
    ],
)
def test_a_size_is_in_the_largest_job_that_fits(value: int, text: str) -> None:
    assert size(value) == text


def test_a_share_has_one_decimal() -> None:
    assert amount(0.4523, SHARE) == "45.2"


@pytest.mark.parametrize(
    ("value", "text"), [(None, MISSING), (float("nan"), MISSING), (4.25, "4.2 s"), (723, "12 min 3 s")]
)
def test_a_duration_reads_as_in_the_notebook(value: float | None, text: str) -> None:
    assert seconds(value) == text
