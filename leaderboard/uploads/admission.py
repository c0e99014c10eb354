"""Whether an upload has to wait until an operator admits its team, and telling the operators."""

from __future__ import annotations

import logging
from functools import partial
from smtplib import SMTPException

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import send_mail
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from leaderboard.core.addresses import absolute
from leaderboard.core.audit import record_event
from leaderboard.core.permissions import can_operate
from leaderboard.domain.errors import Problem
from leaderboard.models import Team, Upload

logger = logging.getLogger(__name__)


def needs_admission(upload: Upload) -> bool:
    """Whether the site checks nothing of the upload's team yet; what operators send never waits."""
    if not settings.SUPERBOARD_ADMIT_TEAMS or upload.team.admitted:
        return False
    return upload.created_by is None or not can_operate(upload.created_by)


def admission_problem(upload: Upload) -> Problem:
    reason = f"an operator has to admit {upload.team} before its first check (SUPERBOARD_ADMIT_TEAMS)"
    remedy = "the operators were told; it is checked as soon as they have admitted the team"
    return Problem(upload.name, "", reason, remedy)


def ask_for_admission(team: Team) -> None:
    """Note that a team waits, and mail the operators; the first time only."""
    if Team.objects.filter(pk=team.pk, admission_asked=None).update(admission_asked=timezone.now()):
        record_event("ask for admission", team)
        transaction.on_commit(partial(_tell_operators, team), robust=True)


def _tell_operators(team: Team) -> None:
    operators = User.objects.filter(is_staff=True, is_active=True).exclude(email="")
    addresses = list(operators.values_list("email", flat=True))
    text = f"{team} has sent its first results. They wait until you admit the team:\n\n"
    page = absolute(reverse("operate"))
    for address in addresses:
        try:
            send_mail(f"A team waits to be admitted: {team}", f"{text}{page}\n", None, [address])
        except (SMTPException, OSError) as error:
            # The team stands on the operators' page in any case.
            logger.warning("could not tell an operator that team %s waits: %s", team.pk, error)
