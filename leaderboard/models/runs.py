"""Runs, their jobs and the workers."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse

from leaderboard.domain.jobs import CLAIMED, JobState
from leaderboard.models.attempts import Attempt
from leaderboard.models.catalogue import Task, TaskSet
from leaderboard.models.entries import Entry


class Run(models.Model):
    """An agent on tasks of one set, with a number of attempts at each. Its results form a draft entry."""

    task_set = models.ForeignKey(TaskSet, on_delete=models.PROTECT, related_name="runs")
    entry = models.OneToOneField(Entry, on_delete=models.PROTECT, related_name="run")
    agent = models.CharField(max_length=100, help_text="The agent's name in the runner's registry")
    agent_settings = models.JSONField(default=dict, blank=True, help_text="No secrets")
    sandbox = models.CharField(max_length=20, help_text="docker or local")
    limits = models.JSONField(default=dict, blank=True)
    max_parallel = models.PositiveSmallIntegerField(default=1)
    public = models.BooleanField(default=False)
    created = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)

    class Meta:
        ordering = ("-created",)

    def __str__(self) -> str:
        return f"run {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("run", args=(self.pk,))


class Job(models.Model):
    """One attempt that a worker makes. This row alone defines which worker has claimed it, and until when.

    ``claim_number`` counts the claims. Every write of a worker checks its claim's number, so that a worker
    that lost its lease writes nothing.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="jobs")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="jobs")
    number = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(
        max_length=12, choices=[(state.value, state.value) for state in JobState], default=JobState.QUEUED
    )
    claim_number = models.PositiveIntegerField(default=0)
    claims_left = models.PositiveSmallIntegerField(default=2)
    worker = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    phase = models.CharField(max_length=20, blank=True, help_text="What its worker is doing")
    reason = models.TextField(blank=True, default="", help_text="Why it failed, was queued again, or waits")
    queued = models.DateTimeField()
    started = models.DateTimeField(null=True, blank=True)
    ended = models.DateTimeField(null=True, blank=True)
    used = models.JSONField(
        default=dict, blank=True, help_text="Usage of each limit: seconds, tokens, cost, steps"
    )
    live_output = models.TextField(blank=True, help_text="The end of the running cell's output")
    environment = models.JSONField(
        default=dict, blank=True, help_text="Image digest, versions, limits, hardware"
    )
    attempt = models.OneToOneField(
        Attempt, on_delete=models.SET_NULL, null=True, blank=True, related_name="job"
    )

    class Meta:
        ordering = ("task__task_id", "number")
        constraints = (
            models.UniqueConstraint(fields=("run", "task", "number"), name="job_once"),
            models.CheckConstraint(
                condition=~models.Q(state__in=sorted(CLAIMED)) | models.Q(lease_until__isnull=False),
                name="claimed_jobs_have_a_lease",
            ),
        )
        indexes = (models.Index(fields=("state", "queued"), name="job_queue"),)

    def __str__(self) -> str:
        return f"{self.run} / {self.task} #{self.number}"

    def get_absolute_url(self) -> str:
        return reverse("job", args=(self.run_id, self.pk))


class JobStep(models.Model):
    """A step of a running job, rendered for the live page; steps of lost claims stay visible."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="steps")
    claim_number = models.PositiveIntegerField()
    number = models.PositiveIntegerField()
    html = models.TextField()
    landmarks = models.JSONField(default=list)

    class Meta:
        ordering = ("claim_number", "number")
        constraints = (
            models.UniqueConstraint(fields=("job", "claim_number", "number"), name="job_step_once"),
        )

    def __str__(self) -> str:
        return f"{self.job}, claim {self.claim_number}, step {self.number}"


class Worker(models.Model):
    """A process that claims jobs; it is alive if its heartbeat is recent."""

    name = models.CharField(max_length=100, primary_key=True)
    seen = models.DateTimeField()
    notice = models.TextField(blank=True, default="", help_text="Why it claims no jobs, if so")

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name
