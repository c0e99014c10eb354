"""The limits of reading files, from the settings."""

from __future__ import annotations

import math

from django.conf import settings

from leaderboard.intake.pool import Limits


def reading_limits(*, total_seconds: float = math.inf) -> Limits:
    """The limits of each file; the time for all of them begins now."""
    return Limits(
        seconds=settings.SUPERBOARD_MAX_FILE_SECONDS,
        memory_mb=settings.SUPERBOARD_MAX_FILE_MEMORY_MB,
        total_seconds=total_seconds,
    )
