"""What operators decide on suspicions about an attempt."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from leaderboard.core.audit import record_event
from leaderboard.domain.errors import InputError, Problem
from leaderboard.models import Attempt, AttemptSuspicions

ACTIONS = {
    "confirm": AttemptSuspicions.Verdict.CONFIRMED,
    "dismiss": AttemptSuspicions.Verdict.DISMISSED,
    "reopen": AttemptSuspicions.Verdict.OPEN,
}
LONGEST_REASON = 2_000


@transaction.atomic
def judge_suspicions(attempt: Attempt, action: str, *, shown: int, why: str, user: User) -> None:
    """Confirm or dismiss what is suspected of an attempt, or take that back. Changes no score and no entry.

    ``shown`` is the key of the suspicions that the operator saw.

    Raises:
        InputError: there is no such action, or no reason is given for a verdict, or a very long one; or the
            attempt was recorded again meanwhile, and has other suspicions now, or none.
    """
    name, verdict, why = f"suspicions about {attempt}", ACTIONS.get(action), why.strip()
    if verdict is None:
        reason, remedy = "a suspicion has no such action", f"choose one of {', '.join(ACTIONS)}"
        raise InputError(Problem(name, "action", reason, remedy))
    if verdict and not 0 < len(why) <= LONGEST_REASON:
        reason = (
            "the reason is empty" if not why else f"the reason has more than {LONGEST_REASON:,} characters"
        )
        raise InputError(Problem(name, "reason", reason, "say in a few words what you looked at"))
    decided = AttemptSuspicions.objects.select_for_update().filter(pk=shown, attempt=attempt).first()
    if decided is None:
        reason = "they are not those that you saw, as the attempt was recorded again meanwhile"
        raise InputError(Problem(name, "", reason, "look at its page again"))
    decided.verdict, decided.why = verdict, why if verdict else ""
    decided.decided, decided.decided_by = (timezone.now(), user) if verdict else (None, None)
    decided.save()
    record_event(f"{action} suspicions", attempt, actor=user, why=decided.why)
