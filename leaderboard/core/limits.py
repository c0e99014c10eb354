"""Limits from settings that several features hold."""

from __future__ import annotations

from django.conf import settings


def trajectory_limit() -> int:
    """Bytes of the largest trajectory file."""
    megabytes: int = settings.SUPERBOARD_MAX_TRAJECTORY_MB
    return megabytes << 20
