"""The head of a board's table: the columns' names and sort links, and which others there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from leaderboard.boards.selectors import COVERAGE, Board, Column, grouped_columns
from leaderboard.core.figures import Cell
from leaderboard.core.headings import Heading, sort_heading
from leaderboard.scoring.contract import Metric


@dataclass(frozen=True, slots=True)
class Head:
    """The two rows of a board's table head; ``order`` describes the sort order.

    ``by_category`` has a list for each metric of it; each of ``groups`` is the heading over one of these.
    """

    order: str
    agent: Heading
    model: Heading
    overall: list[Heading]
    coverage: Heading
    by_category: list[list[Heading]]
    groups: list[str]


@dataclass(frozen=True, slots=True)
class Choice:
    """A metric that can be shown as a column or an axis, and whether it is."""

    metric: Metric
    chosen: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """The columns to choose beside those of the layout, and the axes of the first chart."""

    columns: list[Choice]
    across: list[Choice]
    up: list[Choice]


def board_head(board: Board, query: QueryDict) -> Head:
    """Headings for every column of ``board``; each link keeps the rest of ``query``."""

    def heading(key: str, label: str, **options: Any) -> Heading:
        return sort_heading(query, board.query.sort, key, label, **options)

    def of_column(column: Column) -> Heading:
        metric, category = column.metric, column.category
        label = category.name if category else metric.label
        ascending_first = not metric.more_is_better
        return heading(
            column.key, label, about=metric.about, category=category, ascending_first=ascending_first
        )

    groups = board.task_set.scoring.groups
    return Head(
        order=_order(board),
        agent=heading("agent", "Agent", ascending_first=True),
        model=heading("model", "Model", ascending_first=True),
        overall=[of_column(column) for column in board.overall_columns],
        coverage=heading(COVERAGE, "Coverage", about="How many of the tasks were attempted."),
        by_category=[
            [of_column(column) for column in grouped_columns(board.columns, metric.key)]
            for metric in board.grouped
            if board.categories
        ],
        groups=[f"{metric.label} by {groups.one}" for metric in board.grouped if board.categories],
    )


@dataclass(frozen=True, slots=True)
class GroupTable:
    """A metric by group of tasks in a table of its own: a row for each group, a column for each entry."""

    metric: Metric
    title: str
    rows: list[tuple[Heading, list[Cell]]]


def group_tables(board: Board, head: Head) -> list[GroupTable]:
    """The tables of the groups that are too many to be columns of the board's own table."""
    if not board.groups_apart:
        return []
    by_metric = zip(board.grouped, head.groups, head.by_category, strict=True)
    return [
        GroupTable(
            metric,
            title,
            [
                (heading, [row.by_category[index][at] for row in board.rows])
                for at, heading in enumerate(headings)
            ],
        )
        for index, (metric, title, headings) in enumerate(by_metric)
    ]


def board_choices(board: Board) -> Choices:
    """What a reader can choose to see of a board's metrics, and what is seen."""
    scoring = board.task_set.scoring
    shown = {column.metric for column in board.overall_columns}
    across, up = board.scatter or (None, None)
    return Choices(
        columns=[
            Choice(metric, metric in shown)
            for metric in scoring.metrics
            if metric.key not in scoring.layout.overall
        ],
        across=[Choice(metric, metric == across) for metric in scoring.metrics],
        up=[Choice(metric, metric == up) for metric in scoring.metrics],
    )


def _order(board: Board) -> str:
    labels = {"agent": "Agent", "model": "Model", COVERAGE: "Coverage"}
    for column in board.overall_columns + board.columns:
        label = column.metric.label
        labels.setdefault(column.key, f"{label}, {column.category.name}" if column.category else label)
    label = labels.get(board.query.column, board.query.column)
    return f"sorted by {label}, {'descending' if board.query.descending else 'ascending'}"
