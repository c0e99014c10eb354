"""Agents, and their entries on task sets."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse

from leaderboard.domain.entries import OPEN, RANKED, EntryState, Evidence, Provenance
from leaderboard.domain.name_keys import KEY_LENGTH, name_key
from leaderboard.domain.openness import ModelOpenness, ScaffoldOpenness
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
    provenance = models.CharField(
        max_length=10, choices=[(p.value, p.value) for p in Provenance], default=Provenance.SUBMITTED
    )
    origin = models.CharField(
        max_length=200, blank=True, help_text="Where an operator imported it from; empty for other entries"
    )
    origin_url = models.URLField(blank=True)
    evidence = models.CharField(
        max_length=13,
        choices=[(e.value, e.value) for e in Evidence],
        default=Evidence.SELF_REPORTED,
        help_text="Written with the figures",
    )
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
    model_openness = models.CharField(
        max_length=21,
        blank=True,
        default="",
        choices=[(o.value, o.value) for o in ModelOpenness],
        help_text="As its owners say; empty if they do not",
    )
    scaffold_openness = models.CharField(
        max_length=21,
        blank=True,
        default="",
        choices=[(o.value, o.value) for o in ScaffoldOpenness],
        help_text="As its owners say; empty if they do not",
    )
    code = models.URLField(blank=True, default="", help_text="Where the agent's code is, as its owners say")
    notes = models.TextField(blank=True, help_text="Plain text by its owners")
    links = models.JSONField(default=list, blank=True, help_text="[{label, url}, …]: http and https only")
    cost = models.FloatField(null=True, blank=True, help_text="US dollars in total, as reported")
    accepted = models.DateTimeField(null=True, blank=True, help_text="When an operator accepted it")
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    accepted_why = models.TextField(blank=True, help_text="Shown publicly: why the operator accepted it")
    evaluated = models.DateField(null=True, blank=True, help_text="When the attempts were made, as said")
    released = models.DateField(null=True, blank=True, help_text="When the agent was released, as said")
    attempted = models.PositiveIntegerField(default=0, help_text="Tasks with at least one attempt")
    created = models.DateTimeField(auto_now_add=True)
    published = models.DateTimeField(
        null=True, blank=True, help_text="When it was first on its board; for an import, when it was imported"
    )

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
            models.Index(
                fields=("task_set", "state", "attempted", "agent", "evidence", "accepted", "origin"),
                name="entry_listed",
            ),
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
    def source(self) -> str:
        """Where it comes from, in words: what the site knows, not what anybody said."""
        if self.provenance == Provenance.RUN_HERE:
            return "run here"
        if self.provenance == Provenance.IMPORTED:
            return "imported by an operator" + (f" from {self.origin}" if self.origin else "")
        # In quotes: a team's name is a text of the team's own.
        return (
            f"submitted by the team “{self.team.name}”" if self.team else "submitted by a team that has left"
        )

    @property
    def is_ranked(self) -> bool:
        """Whether its evidence is enough for a rank, once it is published."""
        return self.evidence in RANKED

    @property
    def imported_on(self) -> datetime | None:
        """When an operator imported it; None for other entries."""
        return self.created if self.provenance == Provenance.IMPORTED else None

    @property
    def published_on(self) -> datetime | None:
        """When it came onto its board; None for an import, whose results were published elsewhere."""
        return None if self.is_draft or self.provenance == Provenance.IMPORTED else self.published

    @property
    def is_draft(self) -> bool:
        return self.state == EntryState.DRAFT
