"""Uploads and the reports of their checks."""

from __future__ import annotations

import json
import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse

from leaderboard.domain.errors import problem_from_data
from leaderboard.domain.uploads import UploadState
from leaderboard.intake.findings import Finding, Severity
from leaderboard.models.attempts import Attempt
from leaderboard.models.catalogue import TaskSet
from leaderboard.models.entries import Entry
from leaderboard.models.fields import CompressedTextField
from leaderboard.models.teams import Team


class Upload(models.Model):
    """One file (an archive, or a single result file) that a submitter sends.

    ``received`` says how many bytes are stored on disk. A worker claims it for a check with ``claim_number``
    and ``lease_until``, like a job of a run.

    An archive of several entries has an upload for each entry in ``parts``; its report covers other files.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="uploads")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    entry = models.ForeignKey(
        Entry,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="uploads",
        help_text="The draft made from it; set before checking if it replaces a draft's files",
    )
    previous = models.ForeignKey(
        Entry,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="successors",
        help_text="The published entry that it becomes a new version of",
    )
    parent = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="parts",
        help_text="The upload of the whole archive with several entries, which has the bytes",
    )
    part = models.TextField(blank=True, help_text="The entry's folder in that archive")
    name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField(help_text="Total bytes, as declared by the client")
    received = models.PositiveBigIntegerField(default=0, help_text="Bytes stored on disk")
    digest = models.CharField(max_length=64, blank=True, help_text="SHA-256, once it is complete")
    state = models.CharField(
        max_length=12, choices=[(s.value, s.value) for s in UploadState], default=UploadState.RECEIVING
    )
    claim_number = models.PositiveIntegerField(default=0)
    claims_left = models.PositiveSmallIntegerField(default=2)
    lease_until = models.DateTimeField(null=True, blank=True)
    progress = models.JSONField(default=dict, blank=True, help_text="phase, done, total")
    form = models.JSONField(default=dict, blank=True, help_text="What the submitter entered beside the files")
    description = models.JSONField(
        default=dict, blank=True, help_text="entry.yaml and form, merged by the check"
    )
    summary = models.JSONField(default=dict, blank=True, help_text="Totals of the report")
    problems = models.JSONField(default=list, blank=True, help_text="Problems of the upload as a whole")
    created = models.DateTimeField(auto_now_add=True)
    queued = models.DateTimeField(null=True, blank=True)
    ended = models.DateTimeField(null=True, blank=True)
    resume = models.DateTimeField(
        null=True, blank=True, help_text="When a waiting upload is queued again; null until it is admitted"
    )
    notice_due = models.DateTimeField(
        null=True, blank=True, help_text="When to send the notice that the check has ended"
    )
    notice_tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ("-created",)
        indexes = (
            models.Index(fields=("state", "queued"), name="upload_queue"),
            models.Index(fields=("team", "digest"), name="upload_digest"),
        )
        constraints = (
            models.CheckConstraint(
                condition=models.Q(received__lte=models.F("size")), name="received_within_size"
            ),
        )

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("upload", args=(self.pk,))

    @property
    def is_unpublished(self) -> bool:
        """Whether no entry was published from it yet."""
        return self.entry is None or self.entry.is_draft

    @property
    def findings(self) -> list[Finding]:
        return _findings(self.problems)


class FormerUpload(models.Model):
    """An upload that was deleted because another has taken its place: its address leads there."""

    id = models.UUIDField(primary_key=True, editable=False, help_text="Of the deleted upload")
    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="former")

    def __str__(self) -> str:
        return f"{self.id}, now {self.upload_id}"


class GoldCheck(models.Model):
    """A check that compared a file's answers with gold answers: it counts for its team and its sender.

    It outlives the upload. Checking the same bytes against the same set again adds none.
    """

    task_set = models.ForeignKey(TaskSet, on_delete=models.CASCADE, related_name="gold_checks")
    team = models.ForeignKey(Team, on_delete=models.SET_NULL, null=True, related_name="gold_checks")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="gold_checks"
    )
    upload = models.UUIDField(help_text="The upload's key; the upload may be gone")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the file, or of the archive")
    part = models.TextField(blank=True, help_text="The entry's folder in that archive")
    at = models.DateTimeField()

    class Meta:
        ordering = ("at",)
        indexes = (
            models.Index(fields=("task_set", "team", "at"), name="gold_checks_of_team"),
            models.Index(fields=("task_set", "user", "at"), name="gold_checks_of_user"),
        )

    def __str__(self) -> str:
        return f"{self.team} against {self.task_set}"


class UploadedFile(models.Model):
    """The check's result for one file of an upload: a line of the report."""

    class Verdict(models.TextChoices):
        USED = "used"
        PASSED_OVER = "passed over"
        REFUSED = "refused"

    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="files")
    name = models.TextField(help_text="Its path inside the archive")
    sample = models.TextField(blank=True, help_text="The attempt's key, if the file has several attempts")
    size = models.PositiveBigIntegerField(default=0)
    verdict = models.CharField(max_length=12, choices=Verdict.choices)
    format = models.CharField(max_length=40, blank=True)
    task_id = models.CharField(max_length=200, blank=True)
    matched_by = models.CharField(max_length=20, blank=True, help_text="id, folder, name or metadata")
    number = models.PositiveSmallIntegerField(null=True, help_text="The number of the attempt at the task")
    attempt = models.ForeignKey(
        Attempt, on_delete=models.SET_NULL, null=True, blank=True, related_name="uploaded_files"
    )
    errors = models.PositiveIntegerField(default=0)
    warnings = models.PositiveIntegerField(default=0)
    problems = CompressedTextField(default="[]", help_text="JSON: severity, place, reason, remedy of each")

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.name

    @property
    def findings(self) -> list[Finding]:
        return _findings(json.loads(self.problems))


def _findings(stored: list[dict[str, Any]]) -> list[Finding]:
    return [Finding(Severity(each["severity"]), problem_from_data(each)) for each in stored]
