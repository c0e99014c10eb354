"""The audit's one way in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leaderboard.models import AuditEvent, Entry

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def record_event(action: str, target: object, *, actor: User | None = None, **detail: Any) -> None:
    """Note a write. Call it inside the write's own transaction, so that neither stands without the other.

    Args:
        action: what was done, a verb first.
        target: what it was done to.
        actor: who did it; None for a command or a worker.
        **detail: what else is worth knowing, as JSON takes it.
    """
    AuditEvent.objects.create(
        action=action, target=str(target)[:200], actor=actor, entry=_entry_of(target), detail=detail
    )


def _entry_of(target: object) -> Entry | None:
    return target if isinstance(target, Entry) else getattr(target, "entry", None)
