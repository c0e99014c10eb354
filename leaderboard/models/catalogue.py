"""Benchmarks, their task sets, tasks and categories."""

from __future__ import annotations

from functools import cached_property

from django.db import models
from django.urls import reverse

from leaderboard.domain.tasks import MAX_ATTEMPTS
from leaderboard.scoring import scoring_of
from leaderboard.scoring.contract import Scoring


class Benchmark(models.Model):
    """A family of task sets that are scored in the same way."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=100)
    summary = models.TextField(blank=True)
    url = models.URLField(blank=True)
    position = models.PositiveSmallIntegerField(default=0)
    scoring_name = models.CharField(
        max_length=40,
        blank=True,
        help_text="One of leaderboard.scoring; empty if only reported scores are shown, in ``metrics``",
    )
    metrics = models.JSONField(
        default=list, blank=True, help_text="Without a scoring: what its reported scores are"
    )
    published = models.JSONField(
        default=list,
        blank=True,
        help_text="Figures that others have published, each with task_set, tasks, agent, model, metric, "
        "value, source, url and note",
    )
    max_attempts = models.PositiveSmallIntegerField(
        default=MAX_ATTEMPTS, help_text="Attempts at one task that one entry may have"
    )
    sources = models.JSONField(
        default=list,
        blank=True,
        help_text="Names of its own data sets and repositories, such as allenai/super: an attempt that reads "
        "them is suspected",
    )

    class Meta:
        ordering = ("position", "name")
        constraints = (
            models.CheckConstraint(condition=models.Q(max_attempts__gte=1), name="an_attempt_is_allowed"),
        )

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("benchmark", args=(self.slug,))

    @property
    def anchor(self) -> str:
        """Where the about page explains its figures, with those of other benchmarks of the same scoring."""
        return f"scoring-{self.scoring_name}" if self.scoring_name else f"benchmark-{self.slug}"

    @cached_property
    def scoring(self) -> Scoring:
        """Its metrics and rules."""
        return scoring_of(self.scoring_name, self.metrics)


COLOURS = 6
"""Of categories, in the stylesheet; after the last one they begin again."""


class Category(models.Model):
    """The kind of difficulty of a task; ``position`` defines its order and its colour."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="categories")
    slug = models.SlugField()
    name = models.CharField(max_length=50)
    about = models.CharField(
        max_length=300, blank=True, default="", help_text="What makes its tasks hard, in a sentence"
    )
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=("benchmark", "slug"), name="category_once_a_benchmark"),
            models.UniqueConstraint(fields=("benchmark", "position"), name="category_position_once"),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def colour(self) -> int:
        """Which of the stylesheet's colours it has, from 0."""
        return self.position % COLOURS


class TaskSet(models.Model):
    """A list of tasks that agents are ranked on."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="task_sets")
    slug = models.SlugField()
    name = models.CharField(max_length=100)
    summary = models.TextField(blank=True)
    position = models.PositiveSmallIntegerField(default=0)
    level = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Where its benchmark's sets have an order, such as by difficulty"
    )
    is_default = models.BooleanField(default=False, help_text="Shown at /")

    class Meta:
        ordering = ("benchmark__position", "position")
        constraints = (
            models.UniqueConstraint(fields=("benchmark", "slug"), name="task_set_once_a_benchmark"),
            models.UniqueConstraint(
                fields=("is_default",), condition=models.Q(is_default=True), name="one_default_task_set"
            ),
        )

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("board", args=(self.benchmark.slug, self.slug))

    @property
    def key(self) -> str:
        """``benchmark/set``, by their slugs."""
        return f"{self.benchmark.slug}/{self.slug}"

    @property
    def scoring(self) -> Scoring:
        """Its benchmark's metrics and rules."""
        return self.benchmark.scoring


class Task(models.Model):
    """One task. ``gold``, ``solution`` and ``pre_execute_cells`` are stored for scoring and never shown.

    ``gold`` is the gold answer as JSON text, empty if there is none: in a JSON column, a gold of null would
    look like no gold.
    """

    task_set = models.ForeignKey(TaskSet, on_delete=models.CASCADE, related_name="tasks")
    task_id = models.CharField(max_length=200)
    title = models.CharField(max_length=200, blank=True)
    query = models.TextField(blank=True)
    repository = models.CharField(max_length=300, blank=True)
    commit = models.CharField(max_length=64, blank=True)
    entrypoint = models.CharField(max_length=300, blank=True)
    gold = models.TextField(blank=True)
    landmarks = models.JSONField(default=list, blank=True)
    pre_execute_cells = models.JSONField(default=list, blank=True)
    query_components = models.JSONField(null=True, blank=True)
    solution = models.JSONField(null=True, blank=True)
    categories = models.ManyToManyField(Category, related_name="tasks", blank=True)

    class Meta:
        ordering = ("task_id",)
        constraints = (models.UniqueConstraint(fields=("task_set", "task_id"), name="task_id_once_a_set"),)

    def __str__(self) -> str:
        return self.task_id

    def get_absolute_url(self) -> str:
        return reverse("task", args=(self.task_set.benchmark.slug, self.task_set.slug, self.task_id))

    @property
    def scoring(self) -> Scoring:
        """Its benchmark's metrics and rules."""
        return self.task_set.scoring

    def cluster(self, group: str = "") -> str | int:
        """What it shares with related tasks: its open ``group``, or repository; else its key."""
        return group or self.repository or self.pk

    def computed_metrics(self, scoring: Scoring) -> frozenset[str]:
        """The keys of the metrics that ``scoring`` computes of an attempt with a trajectory."""
        has = {field for field in scoring.task_fields if getattr(self, field)}
        return frozenset(metric.key for metric in scoring.computed if has.issuperset(metric.reads))
