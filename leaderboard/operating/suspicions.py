"""What operators decide on suspicions about an attempt."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from leaderboard.core.audit import record_event
from leaderboard.domain.errors import InputError, Problem
from leaderboard.models import AttemptSuspicions

ACTIONS = {
    "confirm": AttemptSuspicions.Verdict.CONFIRMED,
    "dismiss": AttemptSuspicions.Verdict.DISMISSED,
    "reopen": AttemptSuspicions.Verdict.OPEN,
}
LONGEST_REASON = 2_000


@transaction.atomic
def judge_suspicions(suspicions: AttemptSuspicions, action: str, *, why: str, user: User) -> None:
    """Confirm or dismiss what is suspected of an attempt, or take that back. Changes no score and no entry.

    Raises:
        InputError: there is no such action, or no reason is given for a verdict, or a very long one.
    """
    verdict, why = ACTIONS.get(action), why.strip()
    if verdict is None:
        reason, remedy = "a suspicion has no such action", f"choose one of {', '.join(ACTIONS)}"
        raise InputError(Problem(str(suspicions), "action", reason, remedy))
    if verdict and not 0 < len(why) <= LONGEST_REASON:
        reason = (
            "the reason is empty" if not why else f"the reason has more than {LONGEST_REASON:,} characters"
        )
        raise InputError(Problem(str(suspicions), "why", reason, "say in a few words what you looked at"))
    decided = AttemptSuspicions.objects.select_for_update().get(pk=suspicions.pk)
    decided.verdict, decided.why = verdict, why if verdict else ""
    decided.decided, decided.decided_by = (timezone.now(), user) if verdict else (None, None)
    decided.save()
    record_event(f"{action} suspicions", decided.attempt, actor=user, why=decided.why)
