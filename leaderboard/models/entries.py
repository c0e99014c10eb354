"""Agents, and their entries on task sets."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse

from leaderboard.domain.entries import OPEN, EntryState
from leaderboard.domain.name_keys import KEY_LENGTH, name_key
from leaderboard.models.catalogue import TaskSet
from leaderboard.models.teams import Team


class Agent(models.Model):
    """A scaffold driving a model: only their names, for entries of several teams may share it."""

    name = models.CharField(max_length=100)
    model = models.CharField(max_length=100)
    key = models.CharField(
        max_length=KEY_LENGTH, db_index=True, help_text="The same for names that look alike; set when saved"
    )

    class Meta:
        ordering = ("name", "model")
        constraints = (models.UniqueConstraint(fields=("name", "model"), name="agent_once"),)

    def __str__(self) -> str:
        return f"{self.name} · {self.model}"

    def save(self, *args: Any, **options: Any) -> None:
        self.key = name_key(self.name, self.model)
        super().save(*args, **options)


class Entry(models.Model):
    """One agent's results on one task set, owned by a team, or only by the operators.

    ``version`` counts the published versions, from 1; ``previous`` is the version before it.
    """

    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="entries")
    task_set = models.ForeignKey(TaskSet, on_delete=models.PROTECT, related_name="entries")
    slug = models.SlugField(max_length=200, unique=True, help_text="A draft's can't be guessed")
    draft_slug = models.SlugField(max_length=200, blank=True, help_text="Its slug before it was published")
    source = models.CharField(max_length=200, blank=True, help_text="Where the results come from")
    source_url = models.URLField(blank=True)
    state = models.CharField(
        max_length=12, choices=[(s.value, s.value) for s in EntryState], default=EntryState.PUBLISHED
    )
    state_reason = models.TextField(blank=True, help_text="Shown publicly: why it is hidden or withdrawn")
    state_since = models.DateTimeField(null=True, blank=True, help_text="When it got its state")
    team = models.ForeignKey(Team, on_delete=models.SET_NULL, null=True, blank=True, related_name="entries")
    owner_left = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When its last owner deleted their account; it has no team since then",
    )
    version = models.PositiveSmallIntegerField(default=1)
    previous = models.OneToOneField(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="next"
    )
    agent_url = models.URLField(blank=True, help_text="The agent's home page, as its owners say")
    notes = models.TextField(blank=True, help_text="Plain text by its owners")
    links = models.JSONField(default=list, blank=True, help_text="[{label, url}, …]: http and https only")
    cost = models.FloatField(null=True, blank=True, help_text="US dollars in total, as reported")
    verified = models.DateTimeField(null=True, blank=True)
    verified_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    verified_how = models.TextField(blank=True, help_text="What the operator did to verify it")
    attempted = models.PositiveIntegerField(default=0, help_text="Tasks with at least one attempt")
    created = models.DateTimeField(auto_now_add=True)
    published = models.DateTimeField(null=True, blank=True, help_text="When it was first published")

    class Meta:
        ordering = ("agent__name", "agent__model")
        verbose_name_plural = "entries"
        constraints = (
            models.UniqueConstraint(
                fields=("agent", "task_set"),
                condition=models.Q(state=EntryState.PUBLISHED),
                name="published_entry_once_a_set",
            ),
        )
        # Has every column that a board needs to list and count its entries, without reading the rows.
        indexes = (
            models.Index(fields=("task_set", "state", "attempted", "agent", "source"), name="entry_listed"),
        )

    def __str__(self) -> str:
        return f"{self.agent} on {self.task_set}"

    def get_absolute_url(self) -> str:
        return reverse("entry", args=(self.slug,))

    @property
    def is_published(self) -> bool:
        return self.state == EntryState.PUBLISHED

    @property
    def is_open(self) -> bool:
        """Whether everybody may read its results."""
        return self.state in OPEN

    @property
    def is_draft(self) -> bool:
        return self.state == EntryState.DRAFT
