"""Reported and computed scores, and the figures of boards."""

from __future__ import annotations

from django.db import models

from leaderboard.models.attempts import Attempt
from leaderboard.models.catalogue import TaskSet
from leaderboard.models.entries import Entry


class Score(models.Model):
    """One metric of one attempt by one scorer. The scorer ``reported`` is whoever ran the agent."""

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="scores")
    scorer = models.CharField(max_length=20)
    version = models.CharField(max_length=20, blank=True)
    metric = models.CharField(max_length=20)
    value = models.FloatField(null=True, help_text="In the metric's range; null if it is missing")
    reason = models.TextField(
        blank=True, default="", help_text="Why it is missing; empty if the metric does not apply"
    )
    stale = models.BooleanField(default=False, help_text="Its task has changed since it was computed")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("attempt", "scorer", "metric"), name="score_once"),)

    def __str__(self) -> str:
        return f"{self.metric} by {self.scorer}: {self.value}"


class Figure(models.Model):
    """One cell of a board: an entry's mean over tasks, for one scorer, metric and category.

    ``metric`` is the key of one of its benchmark's `scoring.contract.Metric`.

    Stored when scores change, so that a board reads only the rows that it shows. ``category`` is empty for
    the overall figure. ``scorer`` is ``board`` for the figures that a board shows by default; ``source`` is
    then the scorer of the figure, or ``mixed`` if some of its scores are reported; of what attempts used it
    is ``recorded``. ``ranked`` says whether its entry's evidence is enough for a rank on the boards of
    ``scorer``.
    """

    task_set = models.ForeignKey(
        TaskSet,
        on_delete=models.CASCADE,
        related_name="figures",
        null=True,
        help_text="The board it is on; null unless its entry is published",
    )
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="figures")
    scorer = models.CharField(max_length=20)
    source = models.CharField(max_length=20)
    version = models.CharField(
        max_length=40, blank=True, help_text="Of the source's rules; several after a change of the rules"
    )
    ranked = models.BooleanField(default=False)
    metric = models.CharField(max_length=20)
    category = models.CharField(max_length=50, blank=True)
    value = models.FloatField(null=True, help_text="Mean; a task without an attempt counts as failed")
    attempted = models.FloatField(null=True, help_text="Mean over the tasks that have a score")
    scored = models.PositiveIntegerField(help_text="Tasks that have a score")
    tasks = models.PositiveIntegerField(help_text="Tasks that value is the mean over")
    attempts = models.PositiveIntegerField(default=0, help_text="Attempts that have a score, at these tasks")
    stale = models.BooleanField(default=False)
    low = models.FloatField(null=True, help_text="Of the 95 % interval of value; null if it has none")
    high = models.FloatField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("entry", "scorer", "metric", "category"), name="figure_once"),
        )
        indexes = (
            models.Index(
                fields=("task_set", "scorer", "metric", "category", "ranked", "value", "entry"),
                name="figure_ranking",
            ),
            models.Index(
                fields=("task_set", "scorer", "metric", "category", "ranked", "attempted", "entry"),
                name="figure_ranking_attempted",
            ),
        )

    def __str__(self) -> str:
        return f"{self.metric} {self.category}: {self.value}"

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def tier(self) -> Standing | None:
        """The ranks that it can't be told apart from; no query if the figure was read with ``standing``."""
        return getattr(self, "standing", None)


class Standing(models.Model):
    """The ranks of a board that a figure can't be told apart from: `domain.tiers.Tier`.

    Of ranked figures of a board's leading metric. It is a table of its own because a change of one entry
    changes the standings of others, whose figures may be locked.
    """

    figure = models.OneToOneField(Figure, on_delete=models.CASCADE, primary_key=True, related_name="standing")
    first = models.PositiveIntegerField()
    last = models.PositiveIntegerField(null=True, help_text="Null if it may be any rank below")
    more_tasks = models.PositiveIntegerField(
        null=True, help_text="About how many more tasks would tell it from the next entry"
    )

    def __str__(self) -> str:
        return f"{self.first} to {self.last}"
