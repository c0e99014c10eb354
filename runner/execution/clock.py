"""The clock of an attempt; tests have their own."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """For records; with a time zone."""

    def monotonic(self) -> float:
        """For limits: seconds since some moment; never goes back."""


class SystemClock:
    """This machine's clock."""

    def now(self) -> datetime:
        """See the contract."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """See the contract."""
        return time.monotonic()
