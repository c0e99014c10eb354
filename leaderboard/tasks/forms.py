"""The query in a task's address."""

from __future__ import annotations

from django.http import QueryDict

from leaderboard.core.numbers import whole_number
from leaderboard.diagnosis.classes import CLASSES
from leaderboard.tasks.comparing import AttemptsFilter


def read_filter(data: QueryDict) -> AttemptsFilter:
    """Which attempts are listed; unknown values are ignored."""
    finding = data.get("finding", "")
    return AttemptsFilter(finding if finding in CLASSES else "", whole_number(data.get("stopped", "")))
