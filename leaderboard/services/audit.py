"""The audit's one way in."""

from __future__ import annotations

from typing import Any

from leaderboard.models import AuditEvent


def record_event(action: str, target: object, **detail: Any) -> None:
    """Note a write. Call it inside the write's own transaction, so that neither stands without the other."""
    AuditEvent.objects.create(action=action, target=str(target)[:200], detail=detail)
