"""The audit log: who changed what, and when."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from leaderboard.models.entries import Entry


class AuditEvent(models.Model):
    """One write, as the service described it. ``actor`` is null for commands and workers."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)
    action = models.CharField(max_length=50)
    target = models.CharField(max_length=200)
    entry = models.ForeignKey(
        Entry,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="events",
        help_text="The entry that changed, or that the changed object belongs to",
    )
    detail = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("-at",)

    def __str__(self) -> str:
        return f"{self.action} {self.target}"
