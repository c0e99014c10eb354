"""What attempts used, all together: of an entry, and of a run so far."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet, Sum

from leaderboard.models import Attempt
from leaderboard.scoring.contract import Metric, Scoring


@dataclass(frozen=True, slots=True)
class Total:
    """One metric of what attempts used; ``known`` of ``attempts`` say how much, and only these count.

    ``total`` is None where none does.
    """

    metric: Metric
    total: float | None
    known: int
    attempts: int

    @property
    def mean(self) -> float | None:
        """Of an attempt that says how much it used."""
        return None if self.total is None else self.total / self.known


def usage_totals(attempts: QuerySet[Attempt], scoring: Scoring) -> list[Total]:
    """What ``attempts`` used, by each metric of it. One query."""
    # Without a trajectory an attempt says nothing (`scoring.usage.recorded_value`).
    said = Q(has_trajectory=True)
    sums = {f"sum_{each.key}": Sum(each.recorded, filter=said) for each in scoring.usage}
    counts = {f"known_{each.key}": Count(each.recorded, filter=said) for each in scoring.usage}
    found = attempts.order_by().aggregate(attempts=Count("pk"), **sums, **counts)
    return [
        Total(each, found[f"sum_{each.key}"], found[f"known_{each.key}"], found["attempts"])
        for each in scoring.usage
    ]


def shown_totals(attempts: QuerySet[Attempt], scoring: Scoring) -> list[Total]:
    """The same for a page; empty where no attempt says anything. One query."""
    totals = usage_totals(attempts, scoring)
    return totals if any(each.known for each in totals) else []
