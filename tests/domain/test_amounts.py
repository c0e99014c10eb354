"""Money is one text everywhere, and an amount that is not 0 is never shown as 0."""

from __future__ import annotations

import pytest

from leaderboard.domain.amounts import dollars


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0, "$0.00"),
        (1234.5, "$1,234.50"),
        (0.01, "$0.01"),
        (0.00123, "$0.0012"),
        (0.0000456, "$0.000046"),
        (1e-9, "less than $0.000001"),
    ],
)
def test_dollars(amount: float, text: str) -> None:
    assert dollars(amount) == text
