"""Teams, which own entries, their members, and API tokens."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse

from leaderboard.domain.name_keys import KEY_LENGTH, name_key


class Team(models.Model):
    """Users who own entries together. Every user has a personal team, created on first use."""

    NAME_LENGTH = 100

    name = models.CharField(max_length=NAME_LENGTH)
    key = models.CharField(
        max_length=KEY_LENGTH, unique=True, help_text="The same for names that look alike; set when saved"
    )
    slug = models.SlugField(max_length=120, unique=True)
    personal_to = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="personal_team",
        help_text="The user of this personal team: the default team of their entries",
    )
    created = models.DateTimeField(auto_now_add=True)
    last_check = models.DateTimeField(
        null=True, blank=True, help_text="When a check of one of its uploads last began: teams take turns"
    )
    admitted = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When an operator admitted it, where the site asks for that",
    )
    admitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    admission_asked = models.DateTimeField(
        null=True, blank=True, help_text="When its first upload began to wait for that"
    )

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **options: Any) -> None:
        self.key = name_key(self.name)
        super().save(*args, **options)

    def get_absolute_url(self) -> str:
        return reverse("team", args=(self.slug,))


class Membership(models.Model):
    """A user in a team. Members may do everything with its entries; owners also manage the team."""

    class Role(models.TextChoices):
        OWNER = "owner"
        MEMBER = "member"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("role", "user__username")
        constraints = (models.UniqueConstraint(fields=("team", "user"), name="member_once"),)

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class Invitation(models.Model):
    """An open invitation into a team, for the user who has confirmed the e-mail address."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=10, choices=Membership.Role.choices, default=Membership.Role.MEMBER)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField()

    class Meta:
        ordering = ("-created",)
        constraints = (models.UniqueConstraint(fields=("team", "email"), name="invited_once"),)

    def __str__(self) -> str:
        return f"{self.email} into {self.team}"


class ApiToken(models.Model):
    """A secret that authenticates its owner within its scopes. Shown once; only its hash is stored."""

    NAME_LENGTH = 100

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=NAME_LENGTH)
    scopes = models.JSONField(default=list)
    start = models.CharField(max_length=12, help_text="Its first characters, so that its owner recognises it")
    digest = models.CharField(
        max_length=64, unique=True, help_text="SHA-256 of the secret, which has 256 random bits"
    )
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField(null=True, blank=True)
    last_used = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created",)
        constraints = (models.UniqueConstraint(fields=("user", "name"), name="token_name_once"),)

    def __str__(self) -> str:
        return self.name
