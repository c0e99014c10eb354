"""The attempts at one task against each other: how far they came, why they failed, where two of them part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final

from django.db.models import BooleanField, Case, ExpressionWrapper, F, TextField, Value, When
from django.db.models.functions import Length

from leaderboard.attempts.selectors import ScoredAttempt, attempts_at, scored_attempt, with_counting_scores
from leaderboard.attempts.solved import is_solved
from leaderboard.core.pages import Page, read_page
from leaderboard.diagnosis.classes import CLASSES
from leaderboard.domain.funnel import Funnel, first_missed, landmark_funnel
from leaderboard.domain.scores import LandmarkStatus
from leaderboard.models import Attempt, Task

COMPARED: Final = 100
"""Attempts on a page of a task: of these, answers and steps stand side by side."""
LONGEST_ANSWER: Final = 20_000
"""Characters of an answer, as JSON, that is compared with others."""


@dataclass(frozen=True, slots=True)
class CountedAttempt:
    """An attempt with a trajectory, as far as figures over all attempts need it.

    ``finding`` is empty where it is solved or nothing is found. ``landmarks`` has a status by number.
    """

    pk: int
    solved: bool
    finding: str
    landmarks: dict[int, str]


@dataclass(frozen=True, slots=True)
class FindingCount:
    """So many unsolved attempts have this class as their first finding; ``share`` is of all unsolved ones."""

    kind: str
    count: int
    share: float

    @property
    def sentence(self) -> str:
        return CLASSES[self.kind]


@dataclass(frozen=True, slots=True)
class Overview:
    """A task's attempts in figures; only those with a trajectory count.

    ``unexplained`` are the unsolved ones without a finding.
    """

    counted: list[CountedAttempt]
    funnel: Funnel
    findings: list[FindingCount]
    solved: int
    unexplained: int

    @property
    def attempts(self) -> int:
        return len(self.counted)

    @property
    def unsolved(self) -> int:
        return self.attempts - self.solved


@dataclass(frozen=True, slots=True)
class TaskQuery:
    """The query in a task's address: failed attempts with a first ``finding``, or that stop at a landmark.

    ``landmark`` is its number. Without either, all attempts are listed.
    """

    finding: str = ""
    landmark: int | None = None
    page: int = 1

    @property
    def filters(self) -> bool:
        return bool(self.finding or self.landmark)

    def fits(self, counted: CountedAttempt) -> bool:
        by_finding = self.finding in ("", counted.finding)
        return not counted.solved and by_finding and self.landmark in (None, first_missed(counted.landmarks))


@dataclass(frozen=True, slots=True)
class Tick:
    """A step on a time line that is named: ``x`` in units of ``WIDTH``."""

    step: int
    x: float
    landmarks: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Timeline:
    """An attempt's steps on a scale that all attempts of the page share, ``length`` units long.

    ``finding`` is where its first finding shows; None without one, or where it shows at no step.
    """

    attempt: Attempt
    steps: int
    length: float
    hits: list[Tick]
    finding: Tick | None
    kind: str


WIDTH: Final = 1000
"""Units of a time line's scale."""


def overview(task: Task) -> Overview:
    """The figures over all published attempts at a task. One query, whatever their number."""
    counted = []
    for pk, rows in groupby(_rows(task), key=lambda row: row["pk"]):
        first, *others = rows
        landmarks = {
            row["landmark_outcomes__number"]: row["landmark_outcomes__status"]
            for row in (first, *others)
            if row["landmark_outcomes__number"] is not None
        }
        solved = first["is_solved"]
        counted.append(CountedAttempt(pk, solved, "" if solved else first["finding"], landmarks))
    return _overview(counted, len(task.landmarks))


def list_compared(task: Task, counted: Sequence[CountedAttempt], query: TaskQuery) -> Page[ScoredAttempt]:
    """A page of the attempts at a task, with what `timelines` and `leaderboard.tasks.answers` read.

    Three queries.
    """
    found = attempts_at(task)
    if query.filters:
        found = found.filter(pk__in=[each.pk for each in counted if query.fits(each)])

    def show(attempt: Attempt) -> ScoredAttempt:
        attempt.task.task_set = task.task_set
        return scored_attempt(attempt, draft=False)

    fitting = Case(
        When(answer_size__lte=LONGEST_ANSWER, then=F("answer")), default=Value(""), output_field=TextField()
    )
    rows = with_counting_scores(found, draft=False).annotate(
        answer_size=Length("answer"), short_answer=fitting, first_finding=F("diagnosis__findings__0")
    )
    return read_page(rows, query.page, size=COMPARED, show=show)


def timelines(listed: Iterable[ScoredAttempt]) -> list[Timeline]:
    """A time line for each attempt with steps. No query."""
    with_steps = [each for each in listed if each.attempt.step_count]
    longest = max((each.attempt.step_count or 0 for each in with_steps), default=0)
    return [_timeline(each, longest) for each in with_steps]


def most_different(listed: Sequence[ScoredAttempt]) -> tuple[Attempt, ...]:
    """The best attempt with a trajectory and the next one of another entry; empty if there are no two.

    If all are of one entry, the next one of it.
    """
    best_first = sorted((each for each in listed if each.attempt.has_trajectory), key=_badness)
    if len(best_first) < 2:
        return ()
    best = best_first[0].attempt
    others = [each.attempt for each in best_first[1:]]
    return best, next((each for each in others if each.entry_id != best.entry_id), others[0])


def two_attempts(task: Task, keys: Sequence[int]) -> list[Attempt]:
    """Those of the published attempts at a task with these keys, in that order. One query."""
    found = attempts_at(task).prefetch_related(None).defer("html", "query", "prompt", "answer", "diagnosis")
    by_key: dict[int, Attempt] = found.in_bulk(keys)
    return [by_key[key] for key in keys if key in by_key]


def _rows(task: Task) -> Iterable[Mapping[str, Any]]:
    """A row for each landmark of each attempt with a trajectory; one for an attempt without any."""
    found = attempts_at(task).filter(has_trajectory=True).prefetch_related(None).order_by("pk")
    solved = ExpressionWrapper(is_solved(task.scoring), output_field=BooleanField())
    rows: Iterable[Any] = found.annotate(is_solved=solved).values(
        "pk", "finding", "is_solved", "landmark_outcomes__number", "landmark_outcomes__status"
    )
    return rows


def _overview(counted: list[CountedAttempt], landmarks: int) -> Overview:
    solved = sum(each.solved for each in counted)
    unsolved = len(counted) - solved
    kinds = Counter(each.finding for each in counted if not each.solved and each.finding in CLASSES)
    findings = [FindingCount(kind, count, count / unsolved) for kind, count in kinds.items()]
    return Overview(
        counted,
        landmark_funnel([(each.landmarks, each.solved) for each in counted], landmarks),
        sorted(findings, key=lambda each: (-each.count, each.kind)),
        solved,
        unsolved - sum(kinds.values()),
    )


def _timeline(scored: ScoredAttempt, longest: int) -> Timeline:
    attempt = scored.attempt
    steps = attempt.step_count or 0
    hits: dict[int, list[int]] = {}
    for outcome in scored.outcomes:
        if outcome and outcome.first_step and outcome.status == LandmarkStatus.HIT:
            hits.setdefault(outcome.first_step, []).append(outcome.number)
    kind = scored.finding
    first = attempt.first_finding if kind else None  # type: ignore[attr-defined]
    at = (first or {}).get("evidence_step") or (first or {}).get("first_step")
    return Timeline(
        attempt,
        steps,
        round(WIDTH * steps / longest, 1),
        [Tick(step, _x(step, longest), numbers) for step, numbers in sorted(hits.items())],
        Tick(at, _x(at, longest)) if at else None,
        kind,
    )


def _x(step: int, longest: int) -> float:
    """The middle of a step on the scale."""
    return round(WIDTH * (min(step, longest) - 0.5) / longest, 1)


def _badness(scored: ScoredAttempt) -> tuple[bool, float]:
    """For sorting, the best first and those without a score last."""
    decisive = scored.attempt.task.scoring.decisive
    score = scored.scores.get(decisive.key)
    value = score.value if score else None
    if value is None:
        return True, 0.0
    return False, -value if decisive.more_is_better else value
