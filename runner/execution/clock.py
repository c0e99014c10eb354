"""What time it is, so that tests can say."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """For records; with a time zone."""

    def monotonic(self) -> float:
        """For budgets: seconds since some moment, which nobody sets back."""


class SystemClock:
    """This machine's clock."""

    def now(self) -> datetime:
        """See the contract."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """See the contract."""
        return time.monotonic()
