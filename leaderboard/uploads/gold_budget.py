"""How many checks may compare answers with a set's gold answers: a budget for each team and user, a day.

Each such check tells its sender a little about gold answers. Its row in `GoldCheck` stays when the upload,
the draft or the membership is gone, so none of these gives anything back.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone

from leaderboard.domain.durations import DAY, room_again_at
from leaderboard.domain.errors import Problem
from leaderboard.models import GoldCheck, TaskSet, Team, Upload


@dataclass(frozen=True, slots=True)
class Allowance:
    """The checks against one set that a user has left for a team: ``left`` of ``most`` within 24 hours.

    ``again`` is when one more is allowed than now; None if none was used.
    """

    team: Team
    task_set: TaskSet
    left: int
    most: int
    again: datetime | None


def take_gold_check(upload: Upload, task_set: TaskSet) -> datetime | None:
    """Take a check against a set from the budgets of an upload's team and sender.

    Call it in the transaction that locks ``upload``. The same bytes were compared before: they are free.

    Returns:
        None if its answers may be compared; else when there is room again, and nothing was taken.
    """
    # Concurrent checks against the set wait here, or two could both take the last one.
    TaskSet.objects.select_for_update(no_key=True).get(pk=task_set.pk)
    whose = [Q(team=upload.team_id)]
    if upload.created_by_id:
        whose.append(Q(user=upload.created_by_id))
    file = {"digest": (upload.parent or upload).digest, "part": upload.part}
    checks, now = GoldCheck.objects.filter(task_set=task_set), timezone.now()
    if any(checks.filter(of, **file).exists() for of in whose):
        return None
    recent = [list(checks.filter(of, at__gt=now - DAY).values_list("at", flat=True)) for of in whose]
    if full := [again for times in recent if (again := _room_again(times))]:
        return max(full)
    GoldCheck.objects.create(
        task_set=task_set,
        team_id=upload.team_id,
        user_id=upload.created_by_id,
        upload=upload.pk,
        at=now,
        **file,
    )
    return None


def give_back_gold_check(upload: Upload) -> None:
    """Give back what the check of an upload took since it was queued, because nothing was compared."""
    GoldCheck.objects.filter(upload=upload.pk, at__gte=upload.queued or upload.created).delete()


def budget_problem(upload: Upload, task_set: TaskSet, again: datetime) -> Problem:
    reason = (
        f"{upload.team} or its sender has used all {settings.SUPERBOARD_GOLD_CHECKS_PER_DAY:,} checks a day "
        f"against the gold answers of {task_set.key} (SUPERBOARD_GOLD_CHECKS_PER_DAY)"
    )
    return Problem(upload.name, "", reason, f"{room_again_at(again)}; it is then checked by itself")


def allowances(user: User, teams: Collection[Team]) -> list[Allowance]:
    """What is left for each of ``teams`` of ``user`` against the sets with a recent check. Two queries."""
    whose = Q(team__in=teams) | Q(user=user)
    checks = list(GoldCheck.objects.filter(whose, at__gt=timezone.now() - DAY))
    task_sets = TaskSet.objects.select_related("benchmark").in_bulk({check.task_set_id for check in checks})
    return [
        _allowance(team, task_set, user, [check for check in checks if check.task_set_id == task_set.pk])
        for team in teams
        for task_set in task_sets.values()
    ]


def _allowance(team: Team, task_set: TaskSet, user: User, checks: Sequence[GoldCheck]) -> Allowance:
    most: int = settings.SUPERBOARD_GOLD_CHECKS_PER_DAY
    by_team = [check.at for check in checks if check.team_id == team.pk]
    by_user = [check.at for check in checks if check.user_id == user.pk]
    times = max(by_team, by_user, key=len)
    again = (_room_again(times) or times[0] + DAY) if times else None
    return Allowance(team, task_set, max(0, most - len(times)), most, again)


def _room_again(times: Sequence[datetime]) -> datetime | None:
    """When one more check is allowed after those at ``times``, the oldest first; None if it is now."""
    most = settings.SUPERBOARD_GOLD_CHECKS_PER_DAY
    return times[-most] + DAY if len(times) >= most else None
