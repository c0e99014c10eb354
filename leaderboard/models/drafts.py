"""Drafts of tasks that wait for an operator's review."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse

from leaderboard.domain.drafts import Check, Outcome


class TaskDraft(models.Model):
    """A task that a model drafted from a repository; of no set until it is exported and imported."""

    class State(models.TextChoices):
        HELD = "held", "Held for review"
        APPROVED = "approved", "Approved"
        REJECTED = "rejected", "Rejected"

    task_id = models.CharField(max_length=200, unique=True)
    title = models.CharField(max_length=200, blank=True)
    query = models.TextField()
    repository = models.CharField(max_length=300)
    commit = models.CharField(max_length=64, blank=True)
    entrypoint = models.CharField(max_length=300)
    command = models.TextField()
    dataset = models.CharField(max_length=300, blank=True)
    model = models.CharField(max_length=300, blank=True, help_text="The pretrained model that the task needs")
    landmarks = models.JSONField(default=list, blank=True)
    checks = models.JSONField(help_text="Each check as data: `Check.from_data` reads it")
    digest = models.CharField(
        max_length=64, unique=True, help_text="Of repository, entry point and command: one draft for each"
    )
    drafted = models.DateTimeField(auto_now_add=True)
    drafted_by = models.CharField(max_length=200, help_text="The model that wrote it")
    state = models.CharField(max_length=10, choices=State.choices, default=State.HELD)
    version = models.PositiveIntegerField(default=1, help_text="Counts its changes")
    why = models.TextField(blank=True)
    decided = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ("-drafted", "-pk")

    def __str__(self) -> str:
        return f"draft {self.task_id}"

    def get_absolute_url(self) -> str:
        return reverse("task-draft", args=(self.pk,))

    @property
    def found(self) -> list[Check]:
        return [Check.from_data(data) for data in self.checks]

    @property
    def doubts(self) -> int:
        return sum(check.outcome is not Outcome.OK for check in self.found)
