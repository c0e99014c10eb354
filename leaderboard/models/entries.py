"""Who was tried: agents, and their entries on a task set."""

from __future__ import annotations

from django.db import models
from django.urls import reverse

from leaderboard.models.catalogue import TaskSet


class Agent(models.Model):
    """A scaffold driving a model."""

    name = models.CharField(max_length=100)
    model = models.CharField(max_length=100)
    url = models.URLField(blank=True)

    class Meta:
        ordering = ("name", "model")
        constraints = (models.UniqueConstraint(fields=("name", "model"), name="agent_once"),)

    def __str__(self) -> str:
        return f"{self.name} · {self.model}"


class Entry(models.Model):
    """One agent's results on one task set."""

    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="entries")
    task_set = models.ForeignKey(TaskSet, on_delete=models.PROTECT, related_name="entries")
    slug = models.SlugField(max_length=200, unique=True)
    source = models.CharField(max_length=200, blank=True, help_text="Where the results come from")
    source_url = models.URLField(blank=True)
    published = models.BooleanField(default=True, help_text="On its board; otherwise a draft, on none")
    attempted = models.PositiveIntegerField(default=0, help_text="Tasks with at least one attempt")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("agent__name", "agent__model")
        verbose_name_plural = "entries"
        constraints = (
            models.UniqueConstraint(
                fields=("agent", "task_set"),
                condition=models.Q(published=True),
                name="published_entry_once_a_set",
            ),
        )

    def __str__(self) -> str:
        return f"{self.agent} on {self.task_set}"

    def get_absolute_url(self) -> str:
        return reverse("entry", args=(self.slug,))
