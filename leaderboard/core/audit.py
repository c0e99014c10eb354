"""Writing the audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leaderboard.models import AuditEvent, Entry

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def record_event(action: str, target: object, *, actor: User | None = None, **detail: Any) -> None:
    """Record a write in the audit log. Call it in the write's own transaction.

    Args:
        action: what was done, beginning with a verb.
        target: the object.
        actor: who did it; None for a command or a worker.
        **detail: further JSON values.
    """
    AuditEvent.objects.create(
        action=action, target=str(target)[:200], actor=actor, entry=_entry_of(target), detail=detail
    )


def _entry_of(target: object) -> Entry | None:
    return target if isinstance(target, Entry) else getattr(target, "entry", None)
