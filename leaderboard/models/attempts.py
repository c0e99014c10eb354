"""An attempt at a task, and the data stored for its pages."""

from __future__ import annotations

from django.db import models
from django.urls import reverse

from leaderboard.domain.errors import problem_from_data
from leaderboard.domain.scores import LandmarkStatus
from leaderboard.domain.trajectory import Ending, StepKind, ending_words
from leaderboard.models.catalogue import Task
from leaderboard.models.entries import Entry
from leaderboard.models.fields import CompressedTextField


class Attempt(models.Model):
    """One attempt at one task. Without a trajectory it has only reported scores."""

    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="attempts")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="attempts")
    number = models.PositiveSmallIntegerField(default=1)
    has_trajectory = models.BooleanField(default=False)
    format = models.CharField(max_length=40, blank=True)
    query = models.TextField(blank=True)
    prompt = models.TextField(blank=True)
    answer = models.TextField(blank=True, help_text="The submitted answer as JSON; empty if there is none")
    ending = models.CharField(
        max_length=20, choices=[(e.value, e.value) for e in Ending], default=Ending.UNKNOWN
    )
    ending_detail = models.CharField(max_length=200, blank=True)
    step_count = models.PositiveIntegerField(null=True)
    duration = models.FloatField(null=True, help_text="Seconds of execution")
    wall_time = models.FloatField(null=True, help_text="Seconds from its first step to the end of its last")
    cost = models.FloatField(null=True, help_text="US dollars")
    prompt_tokens = models.PositiveBigIntegerField(null=True)
    response_tokens = models.PositiveBigIntegerField(null=True)
    cached_tokens = models.PositiveBigIntegerField(
        null=True, help_text="Those of the prompt tokens that came from a cache"
    )
    reasoning_tokens = models.PositiveBigIntegerField(
        null=True, help_text="Those of the response tokens that were reasoning"
    )
    agent = models.TextField(blank=True, help_text="The scaffold as its file names it")
    model = models.TextField(blank=True, help_text="The model as its file names it")
    rewards = models.JSONField(
        default=list,
        blank=True,
        help_text="Name and value, as text, of each score that the tool which wrote its file gave",
    )
    patch = CompressedTextField(default="", help_text="The diff of what the agent changed")
    warnings = models.JSONField(default=list, blank=True, help_text="`Problem.as_data` of each warning")
    secrets = models.PositiveIntegerField(
        default=0, help_text="Places that look like secrets: masked on pages, unmasked in the original"
    )
    diagnosis = models.JSONField(
        default=dict,
        blank=True,
        help_text="`Diagnosis.as_data`: why it failed, if it did; empty if it was never diagnosed",
    )
    diagnosis_version = models.CharField(
        max_length=20, blank=True, help_text="Empty if it was never diagnosed"
    )
    finding = models.CharField(
        max_length=40,
        blank=True,
        db_index=True,
        help_text="The class of the diagnosis's first finding, if any",
    )
    suspicions_version = models.CharField(
        max_length=20,
        blank=True,
        help_text="Of the rules in domain.suspicions; empty if it was never looked at",
    )
    html = CompressedTextField(
        default="", help_text="The rendered fragment; addresses are markers (rendering.addresses)"
    )
    source_digest = models.CharField(
        max_length=64,
        blank=True,
        help_text="SHA-256 of the recorded files, to recognise them on the next import",
    )
    recorded = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("task__task_id", "number")
        constraints = (
            models.UniqueConstraint(fields=("entry", "task", "number"), name="attempt_once"),
            models.CheckConstraint(condition=models.Q(number__gte=1), name="attempt_numbers_from_1"),
        )

    def __str__(self) -> str:
        return f"{self.entry} / {self.task} #{self.number}"

    def get_absolute_url(self) -> str:
        return reverse("attempt", args=(self.pk,))

    @property
    def ending_words(self) -> str:
        """The file's own term for the ending, if it says more than the ending's name."""
        return ending_words(self.ending, self.ending_detail)

    @property
    def warning_texts(self) -> list[str]:
        """The warnings about its file, as sentences."""
        return [str(problem_from_data(data)) for data in self.warnings]


class AttemptStep(models.Model):
    """One step, for the outline and for search.

    ``thought``, ``action`` and ``observation`` are the text as shown: terminal control codes are applied.
    Tokens, cost, ``agent`` and ``shown`` are as in `domain.trajectory.Step`.
    """

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="steps")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=20, choices=[(k.value, k.value) for k in StepKind])
    title = models.CharField(max_length=120, blank=True)
    duration = models.FloatField(null=True)
    marks = models.JSONField(default=list)
    landmarks = models.JSONField(default=list, help_text="Numbers of the landmarks hit in this step")
    prompt_tokens = models.PositiveBigIntegerField(null=True)
    response_tokens = models.PositiveBigIntegerField(null=True)
    cached_tokens = models.PositiveBigIntegerField(null=True)
    reasoning_tokens = models.PositiveBigIntegerField(null=True)
    cost = models.FloatField(null=True, help_text="US dollars")
    agent = models.TextField(blank=True, help_text="The sub-agent whose step it is")
    shown = models.JSONField(null=True, help_text="What the model was shown of the observation, if not all")
    thought = CompressedTextField(default="")
    action = CompressedTextField(default="")
    observation = CompressedTextField(default="")

    class Meta:
        ordering = ("number",)
        constraints = (models.UniqueConstraint(fields=("attempt", "number"), name="step_once"),)

    def __str__(self) -> str:
        return f"step {self.number}"


class StepWords(models.Model):
    """The words of a step's texts (`domain.words`), of which the database has an index for search.

    Migration 0011 makes it: an FTS5 table that triggers keep up in SQLite, a GIN index in PostgreSQL. On
    SQLite a later change of this table remakes it, which drops the triggers: such a migration has to make
    them again.
    """

    step = models.OneToOneField(
        AttemptStep, on_delete=models.CASCADE, primary_key=True, related_name="indexed"
    )
    words = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"words of {self.step}"


class OutputPage(models.Model):
    """A page of a long output: rendered when the attempt is recorded, loaded on demand.

    ``start`` and ``end`` are offsets in the step's text as shown; a line can be longer than a page.
    """

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="pages")
    step = models.PositiveIntegerField()
    part = models.CharField(max_length=20)
    number = models.PositiveIntegerField()
    first_line = models.PositiveIntegerField()
    last_line = models.PositiveIntegerField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    html = CompressedTextField()

    class Meta:
        ordering = ("step", "part", "number")
        constraints = (
            models.UniqueConstraint(fields=("attempt", "step", "part", "number"), name="output_page_once"),
        )

    def __str__(self) -> str:
        return f"step {self.step} {self.part} page {self.number}"


class AttemptFile(models.Model):
    """A file to download: the original, a file that recording made from it, or one of a step's outputs.

    ANSWER is an answer from a file beside the original, as `GivenAnswer.as_bytes` writes it. OUTPUT is the
    whole output of a step whose observation omits some of it; ``cut`` says that the file lacks the output's
    end, too. MEDIA is an output that is no text, such as an image: the ``number``-th of its step, from 1.

    ``step`` and ``number`` are 0 for other kinds.
    """

    class Kind(models.TextChoices):
        ORIGINAL = "original"
        NOTEBOOK = "notebook"
        HTML = "html"
        OUTPUT = "output"
        ANSWER = "answer"
        MEDIA = "media"

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="files")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    step = models.PositiveIntegerField(default=0)
    number = models.PositiveIntegerField(default=0)
    cut = models.BooleanField(default=False)
    name = models.CharField(max_length=255, help_text="File name of the download")
    blob = models.CharField(max_length=80, help_text="Its key in the blob store: the SHA-256 of its content")
    size = models.PositiveBigIntegerField(help_text="Bytes")
    sample = models.TextField(
        blank=True, help_text="The key of the attempt in an original that holds several (formats.Sample)"
    )

    class Meta:
        ordering = ("kind", "step", "number")
        constraints = (
            models.UniqueConstraint(fields=("attempt", "kind", "step", "number"), name="file_once_a_kind"),
        )

    def __str__(self) -> str:
        return self.name


class LandmarkOutcome(models.Model):
    """The result of one landmark in one attempt."""

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="landmark_outcomes")
    number = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=10, choices=[(s.value, s.value) for s in LandmarkStatus])
    printed = models.CharField(
        max_length=10,
        blank=True,
        choices=[(s.value, s.value) for s in LandmarkStatus],
        help_text="The status in the output as printed, if a terminal shows it otherwise (LandmarkResult)",
    )
    first_step = models.PositiveIntegerField(null=True)
    hits = models.JSONField(default=list, help_text="[[step, [[start, end], …], more], …]: raw offsets")

    class Meta:
        ordering = ("number",)
        constraints = (models.UniqueConstraint(fields=("attempt", "number"), name="landmark_once"),)

    def __str__(self) -> str:
        return f"landmark {self.number}: {self.status}"
