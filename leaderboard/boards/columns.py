"""The head of a board's table: the columns' names and sort links."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict

from leaderboard.boards.selectors import COVERAGE, Board
from leaderboard.models import Category


@dataclass(frozen=True, slots=True)
class Heading:
    """One column's head. ``aria_sort`` is empty unless the table is sorted by it."""

    key: str
    label: str
    link: str
    aria_sort: str
    category: Category | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """The two rows of a board's table head; ``order`` describes the sort order.

    Each of ``groups`` is a heading over a metric's columns, one for each category.
    """

    order: str
    agent: Heading
    model: Heading
    overall: list[Heading]
    coverage: Heading
    by_category: list[Heading]
    groups: list[str]


def board_head(board: Board, query: QueryDict) -> Head:
    """Headings for every column of ``board``; each link keeps the rest of ``query``."""

    def heading(
        key: str, label: str, category: Category | None = None, *, ascending_first: bool = False
    ) -> Heading:
        current = board.query.column == key
        descending = not board.query.descending if current else not ascending_first
        params = query.copy()
        params["sort"] = f"-{key}" if descending else key
        params.pop("page", None)
        direction = "descending" if board.query.descending else "ascending"
        return Heading(key, label, f"?{params.urlencode()}", direction if current else "", category)

    scoring = board.task_set.scoring
    return Head(
        order=_order(board),
        agent=heading("agent", "Agent", ascending_first=True),
        model=heading("model", "Model", ascending_first=True),
        overall=[
            heading(column.key, column.metric.label, ascending_first=not column.metric.more_is_better)
            for column in board.overall_columns
        ],
        coverage=heading(COVERAGE, "Coverage"),
        by_category=[
            heading(column.key, column.category.name, column.category)
            for column in board.columns
            if column.category
        ],
        groups=[
            f"{scoring.by_key[key].label} by {scoring.groups.one}"
            for key in scoring.layout.grouped
            if board.categories
        ],
    )


def _order(board: Board) -> str:
    labels = {"agent": "Agent", "model": "Model", COVERAGE: "Coverage"}
    for column in board.overall_columns + board.columns:
        label = column.metric.label
        labels.setdefault(column.key, f"{label}, {column.category.name}" if column.category else label)
    label = labels.get(board.query.column, board.query.column)
    return f"sorted by {label}, {'descending' if board.query.descending else 'ascending'}"
