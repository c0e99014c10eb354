"""An entry's attempts as its page lists them: in the order of a column, and those that filters leave.

Filters and orders go by what the reader is shown: in a draft, what is withheld sorts and fits as unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.db.models import Prefetch, QuerySet
from django.http import QueryDict

from leaderboard.attempts.selectors import (
    ATTEMPTS_A_PAGE,
    ScoredAttempt,
    list_attempts,
    scored_attempt,
    with_counting_scores,
)
from leaderboard.core.headings import Heading, sort_heading
from leaderboard.core.labels import ENDINGS
from leaderboard.core.pages import Page
from leaderboard.diagnosis.classes import LABELS
from leaderboard.domain.scores import LandmarkStatus
from leaderboard.models import Attempt, Category, Entry
from leaderboard.scoring.contract import Scoring
from leaderboard.scoring.usage import LISTED, recorded_value

TASK, ENDING, FINDING = "task", "ending", "finding"
"""The columns of a list of attempts that are no metrics."""


class Landmarks(StrEnum):
    """How many of its task's landmarks an attempt hit by itself."""

    ALL = "all"
    SOME = "some"
    NONE = "none"


LANDMARKS: Final[dict[str, str]] = {
    Landmarks.ALL: "hit all",
    Landmarks.SOME: "hit some",
    Landmarks.NONE: "hit none",
}


@dataclass(frozen=True, slots=True)
class AttemptsQuery:
    """The query in an entry's address; ``sort`` is a column's key, with a leading ``-`` for descending."""

    category: str = ""
    outcome: str = ""
    finding: str = ""
    landmarks: str = ""
    sort: str = ""
    page: int = 1

    @property
    def is_plain(self) -> bool:
        """Whether every attempt is listed, in the order of the tasks."""
        filters = (self.category, self.outcome, self.finding, self.landmarks)
        return not any(filters) and self.sort in ("", TASK)


@dataclass(frozen=True, slots=True)
class AttemptsList:
    """A page of an entry's attempts: ``fitting`` of ``total`` fit the filters; None if all are listed."""

    page: Page[ScoredAttempt]
    fitting: int | None = None
    total: int | None = None


def sort_keys(scoring: Scoring) -> list[str]:
    """What a list of attempts can be sorted by: its columns, and what else attempts used."""
    return [TASK, *(metric.key for metric in (*scoring.scored, *scoring.usage)), ENDING, FINDING]


def attempt_headings(scoring: Scoring, sort: str, query: QueryDict) -> dict[str, Heading]:
    """The heads of the columns, by key."""
    sort = sort or TASK
    texts = {TASK: "Task", ENDING: "Ending", FINDING: "Why it failed"}
    heads = {key: sort_heading(query, sort, key, text, ascending_first=True) for key, text in texts.items()}
    for metric in (*scoring.scored, *LISTED):
        ascending = not metric.more_is_better
        heads[metric.key] = sort_heading(
            query, sort, metric.key, metric.label, about=metric.about, ascending_first=ascending
        )
    return {key: heads[key] for key in sort_keys(scoring) if key in heads}


def read_attempts(entry: Entry, query: AttemptsQuery, *, draft: bool) -> AttemptsList:
    """A page of an entry's attempts. At most four queries; reads all attempts if ``query`` is not plain.

    Attempts without a value in the column come last in both directions. ``draft`` says whether the entry is
    shown as a draft.
    """
    if query.is_plain:
        attempts = _with_categories(entry)
        return AttemptsList(list_attempts(attempts, entry.task_set, query.page, draft=draft))
    fitting, total = fitting_attempts(entry, query, draft=draft)
    start = (query.page - 1) * ATTEMPTS_A_PAGE
    shown = fitting[start : start + ATTEMPTS_A_PAGE]
    page = Page(shown, query.page, more=len(fitting) > start + ATTEMPTS_A_PAGE)
    return AttemptsList(page, len(fitting), total)


def fitting_attempts(entry: Entry, query: AttemptsQuery, *, draft: bool) -> tuple[list[ScoredAttempt], int]:
    """An entry's attempts that fit ``query``, in its order, and the number of all. At most four queries."""
    attempts = _with_categories(entry)
    if query.landmarks:
        attempts = attempts.prefetch_related("landmark_outcomes")
    rows = []
    for attempt in with_counting_scores(attempts, draft=draft):
        attempt.task.task_set = entry.task_set
        rows.append(scored_attempt(attempt, draft=draft))
    return _sorted([row for row in rows if _fits(row, query)], query.sort), len(rows)


def _with_categories(entry: Entry) -> QuerySet[Attempt]:
    return entry.attempts.prefetch_related(Prefetch("task__categories", to_attr="listed_categories"))


def landmarks_hit(row: ScoredAttempt) -> Landmarks | None:
    """How many of its task's landmarks an attempt hit; None where that is not known or there are none."""
    statuses = [outcome.status if outcome else "" for outcome in row.outcomes]
    hit = statuses.count(LandmarkStatus.HIT)
    if 0 < hit < len(statuses):
        return Landmarks.SOME
    if statuses and hit == len(statuses):
        return Landmarks.ALL
    # In a draft some are withheld, and without a trajectory none was looked for.
    unknown = not statuses or not {*statuses} <= {*LandmarkStatus}
    return None if unknown else Landmarks.NONE


def _fits(row: ScoredAttempt, query: AttemptsQuery) -> bool:
    categories: Iterable[Category] = getattr(row.attempt.task, "listed_categories", ())
    return (
        (not query.category or any(each.slug == query.category for each in categories))
        and query.outcome in ("", row.outcome)
        and query.finding in ("", row.finding)
        and (not query.landmarks or query.landmarks == landmarks_hit(row))
    )


def _sorted(rows: list[ScoredAttempt], sort: str) -> list[ScoredAttempt]:
    """``rows``, which are in the order of the tasks, in that of a column."""
    column, descending = sort.removeprefix("-") or TASK, sort.startswith("-")
    if column == TASK:
        return rows[::-1] if descending else rows
    with_value = [(value, row) for row in rows if (value := _value(row, column)) is not None]
    with_value.sort(key=lambda each: each[0], reverse=descending)
    return [row for _, row in with_value] + [row for row in rows if _value(row, column) is None]


def _value(row: ScoredAttempt, column: str) -> float | str | None:
    """What a column sorts an attempt by."""
    if column == FINDING:
        return LABELS.get(row.finding)
    if column == ENDING:
        return ENDINGS[row.attempt.ending] if row.attempt.has_trajectory else None
    metric = row.attempt.task.scoring.by_key.get(column)
    if metric is not None and metric.recorded:
        return recorded_value(row.attempt, metric)
    score = row.scores.get(column)
    return score.value if score else None
