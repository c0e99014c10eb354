"""Admitting teams, where the site asks for that before a team's first check."""

from __future__ import annotations

from contextlib import suppress

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from leaderboard.core.audit import record_event
from leaderboard.domain.errors import InputError
from leaderboard.domain.uploads import UploadState
from leaderboard.models import Team
from leaderboard.uploads.services import recheck_upload


@transaction.atomic
def admit_team(team: Team, *, user: User) -> int:
    """Let a team's uploads be checked; returns how many waited for it and are queued now. Idempotent."""
    admitted = Team.objects.filter(pk=team.pk, admitted=None)
    if admitted.update(admitted=timezone.now(), admitted_by=user):
        record_event("admit team", team, actor=user)
    queued = 0
    for upload in team.uploads.filter(state=UploadState.WAITING, resume=None):
        # Its owner may have discarded it in the meantime.
        with suppress(InputError):
            recheck_upload(upload, user=user)
            queued += 1
    return queued
