"""Which attempts are known to be solved, in SQL: the rule of `attempts.selectors.shown_diagnosis`."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet

from leaderboard.domain.entries import EntryState
from leaderboard.domain.scores import REPORTED
from leaderboard.models import Attempt, Benchmark, Score, Task
from leaderboard.scoring.contract import Scoring

EMPTY_TASK = Task()
"""Its fields are as those of a task that lacks them."""


def attempts_with_finding() -> QuerySet[Attempt]:
    """Attempts whose page says why they failed: all that were diagnosed, but for those known to be solved.

    One query more, for the benchmarks.
    """
    solved = Q(pk=None)
    for benchmark in Benchmark.objects.all():
        solved |= Q(task__task_set__benchmark=benchmark) & is_solved(benchmark.scoring)
    return Attempt.objects.exclude(finding="").exclude(solved)


def is_solved(scoring: Scoring) -> Q:
    """Whether an attempt at a task of this scoring has the best value of the metric behind the ranks.

    By the score that counts; of a draft without the computed one that tells of the gold answer. Of a metric
    without a best value, no attempt.
    """
    decisive = scoring.decisive
    if decisive.best is None:
        return Q(pk=None)
    scores = Score.objects.filter(attempt=OuterRef("pk"), metric=decisive.key)
    computed = scores.filter(scorer=scoring.default_scorer)
    draft, computable = Q(entry__state=EntryState.DRAFT), Q() if scoring.scorers else Q(pk=None)
    for field in decisive.reads:
        computable &= ~Q(**{f"task__{field}": getattr(EMPTY_TASK, field)})
    known = (
        Exists(computed.exclude(reason=""))
        | (~draft & Exists(computed.filter(value__isnull=False)))
        | (draft & computable & Exists(computed))
    )
    reported = Exists(scores.filter(scorer=REPORTED, value=decisive.best))
    by_report = reported & ~known & ~(computable & Q(has_trajectory=True))
    return (~draft & Exists(computed.filter(value=decisive.best))) | by_report
