"""The list of attempts: its columns, order and filters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.http import QueryDict

from leaderboard.core.headings import Heading, sort_heading
from leaderboard.core.labels import ENDINGS
from leaderboard.core.numbers import page_number
from leaderboard.diagnosis.classes import LABELS
from leaderboard.domain.pages import Page
from leaderboard.scoring.contract import Metric
from leaderboard.viewing.collection import Row
from leaderboard.viewing.reading import reward_number

ROWS_A_PAGE: Final = 200
TEXT_LENGTH: Final = 200

Key = Callable[[Row], Any]
COLUMNS: Final[Mapping[str, tuple[str, Key]]] = {
    "task": ("Task", lambda row: (row.attempt.task.task_id.lower(), row.attempt.number)),
    "agent": (
        "Agent",
        lambda row: _agent(row),
    ),
    "score": ("Score of its tool", lambda row: _reward(row)),
    "ending": ("Ending", lambda row: ENDINGS.get(row.attempt.ending, "")),
    "finding": ("Why it failed", lambda row: LABELS.get(row.attempt.finding)),
    "steps": ("Steps", lambda row: row.attempt.step_count),
    "time": ("Time", lambda row: row.time),
    "tokens": ("Tokens", lambda row: row.tokens),
    "cost": ("Cost", lambda row: row.attempt.cost),
}
"""Each column's head, and what it is sorted by; None comes last in both directions."""
FIGURES: Final = ("score", "steps", "time", "tokens", "cost", "value")
FILTERS: Final = {"agent": "Agent", "ending": "Ending", "finding": "Why it failed"}


@dataclass(frozen=True, slots=True)
class Filter:
    """A choice of one value of a column."""

    name: str
    label: str
    options: list[tuple[str, str]]
    chosen: str


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of the list as it was asked for."""

    page: Page[Row]
    headings: list[Heading]
    filters: list[Filter]
    text: str
    fitting: int

    @property
    def is_filtered(self) -> bool:
        return bool(self.text) or any(each.chosen for each in self.filters)


def make_listing(rows: Sequence[Row], query: QueryDict, scored: Metric | None) -> Listing:
    """The rows that fit, in order; ``scored`` is the metric of the tasks' scores, if there are any."""
    filters = [_filter(name, label, rows, query) for name, label in FILTERS.items()]
    text = query.get("q", "")[:TEXT_LENGTH].strip()
    fitting = [row for row in rows if _fits(row, filters, text.lower())]
    columns = dict(COLUMNS)
    if scored:
        columns["value"] = (scored.label, lambda row: row.value)
    sort = query.get("sort", "")
    known = columns.get(sort.removeprefix("-"))
    # Without an order, that of the files.
    ordered = _ordered(fitting, known[1], descending=sort.startswith("-")) if known else fitting
    number = page_number(query)
    start = (number - 1) * ROWS_A_PAGE
    page = Page(ordered[start : start + ROWS_A_PAGE], number, start + ROWS_A_PAGE < len(ordered))
    kept = query.copy()
    kept.pop("seen", None)
    headings = [
        sort_heading(kept, sort, key, label, ascending_first=key not in FIGURES)
        for key, (label, _by) in columns.items()
    ]
    return Listing(page, headings, filters, text, len(fitting))


def _ordered(rows: Iterable[Row], key: Key, *, descending: bool) -> list[Row]:
    keyed = [(key(row), row) for row in rows]
    known = [each for each in keyed if each[0] is not None]
    known.sort(key=lambda each: each[0], reverse=descending)
    return [row for _value, row in known] + [row for value, row in keyed if value is None]


def _filter(name: str, label: str, rows: Iterable[Row], query: QueryDict) -> Filter:
    options = dict(sorted({_choice(row, name) for row in rows}, key=lambda each: each[1].lower()))
    options.pop("", None)
    chosen = query.get(name, "")
    return Filter(name, label, list(options.items()), chosen if chosen in options else "")


def _choice(row: Row, name: str) -> tuple[str, str]:
    """A row's value of a filter, and its label."""
    if name == "agent":
        agent = row.attempt.entry.agent
        return (str(agent), str(agent)) if agent.is_named else ("", "")
    value = str(getattr(row.attempt, name))
    return value, {"ending": ENDINGS, "finding": LABELS}[name].get(value, value)


def _fits(row: Row, filters: Iterable[Filter], text: str) -> bool:
    if any(each.chosen and _choice(row, each.name)[0] != each.chosen for each in filters):
        return False
    attempt = row.attempt
    named = (attempt.task.task_id, str(attempt.entry.agent), attempt.source, attempt.sample)
    return not text or any(text in name.lower() for name in named)


def _agent(row: Row) -> str | None:
    agent = row.attempt.entry.agent
    return str(agent).lower() if agent.is_named else None


def _reward(row: Row) -> float | None:
    """The first score of its tool that is a number."""
    numbers = (reward_number(text) for _name, text in row.attempt.rewards)
    return next((number for number in numbers if number is not None), None)
