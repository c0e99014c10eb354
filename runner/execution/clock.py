"""The clock of an attempt; tests have their own."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class Clock:
    """This machine's clock."""

    def now(self) -> datetime:
        """For records; with a time zone."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """For limits: seconds since some moment; never goes back."""
        return time.monotonic()
