"""What is suspicious in an attempt, for operators alone."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from leaderboard.domain.suspicions import Suspicion
from leaderboard.models.attempts import Attempt


class AttemptSuspicions(models.Model):
    """The suspicions about an attempt that has some, and what an operator found. No reader may see a word."""

    class Verdict(models.TextChoices):
        OPEN = ""
        DISMISSED = "dismissed"
        CONFIRMED = "confirmed"

    attempt = models.OneToOneField(Attempt, on_delete=models.CASCADE, related_name="suspicions")
    found = models.JSONField(help_text="Each suspicion as data: `Suspicion.from_data` reads it")
    recorded = models.DateTimeField(auto_now_add=True)
    verdict = models.CharField(max_length=10, choices=Verdict.choices, blank=True, default=Verdict.OPEN)
    why = models.TextField(blank=True)
    decided = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ("-recorded", "-pk")

    def __str__(self) -> str:
        return f"suspicions about {self.attempt}"

    @property
    def reasons(self) -> list[Suspicion]:
        return [Suspicion.from_data(data) for data in self.found]
