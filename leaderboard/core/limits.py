"""Limits that several features check."""

from __future__ import annotations

from django.conf import settings


def trajectory_limit() -> int:
    """Size of the largest trajectory file, in bytes."""
    megabytes: int = settings.SUPERBOARD_MAX_TRAJECTORY_MB
    return megabytes << 20
