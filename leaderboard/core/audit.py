"""Writing the audit log."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from leaderboard.models import AuditEvent, Entry


def record_event(action: str, target: object, *, actor: User | None = None, **detail: Any) -> None:
    """Record a write in the audit log. Call it in the write's own transaction.

    ``action`` begins with a verb, ``actor`` is None for a command or a worker, ``detail`` are JSON values.
    """
    entry = target if isinstance(target, Entry) else getattr(target, "entry", None)
    AuditEvent.objects.create(
        action=action, target=str(target)[:200], actor=actor, entry=entry, detail=detail
    )
