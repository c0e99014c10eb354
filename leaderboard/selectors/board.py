"""A board: one page of ranked entries with a figure in every column.

Four queries at any number of entries. Ranks and order come from the index on stored figures.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, F, OrderBy, Q, QuerySet

from leaderboard.domain.scores import Metric
from leaderboard.models import Category, Entry, Figure, TaskSet
from leaderboard.services.figures import BOARD

COVERAGE = "coverage"
NAME_ORDER = {
    "agent": ("entry__agent__name", "entry__agent__model"),
    "model": ("entry__agent__model", "entry__agent__name"),
}
CATEGORY_METRICS = (Metric.ACCURACY, Metric.LANDMARKS)
"""The metrics that a board breaks down by category."""


@dataclass(frozen=True, slots=True)
class BoardQuery:
    """What a board's address says. ``sort`` is a column's key, with ``-`` in front for largest first."""

    sort: str = f"-{Metric.ACCURACY}"
    scorer: str = BOARD
    agent: str = ""
    model: str = ""
    text: str = ""
    page: int = 1

    @property
    def column(self) -> str:
        return self.sort.removeprefix("-")

    @property
    def descending(self) -> bool:
        return self.sort.startswith("-")

    @property
    def filtered(self) -> bool:
        return bool(self.agent or self.model or self.text)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of figures; ``category`` is None in the overall ones. ``key`` names it in the address."""

    metric: Metric
    category: Category | None = None

    @property
    def key(self) -> str:
        return f"{self.metric}:{self.category.slug}" if self.category else str(self.metric)


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One entry; ``figures`` by column key, ``cells`` the same in the order of the columns."""

    entry: Entry
    rank: int | None
    figures: dict[str, Figure]
    cells: list[Figure | None]
    accuracy_by_category: list[Figure | None]

    @property
    def overall(self) -> list[Figure | None]:
        return self.cells[: len(Metric)]

    @property
    def by_category(self) -> list[list[Figure | None]]:
        """A list of figures for each of ``CATEGORY_METRICS``."""
        width = (len(self.cells) - len(Metric)) // len(CATEGORY_METRICS)
        starts = range(len(Metric), len(self.cells), width or 1)
        return [self.cells[start : start + width] for start in starts]


@dataclass(frozen=True, slots=True)
class Board:
    """One page of a task set's board."""

    task_set: TaskSet
    query: BoardQuery
    categories: list[Category]
    columns: list[Column]
    rows: list[BoardRow]
    total: int
    page: int
    pages: int

    @property
    def overall_columns(self) -> list[Column]:
        return [column for column in self.columns if column.category is None]

    @property
    def previous_page(self) -> int:
        return self.page - 1

    @property
    def next_page(self) -> int:
        return self.page + 1


def board_columns(categories: list[Category]) -> list[Column]:
    """The overall figures, then the categories in their one order for each metric that has them."""
    return [Column(metric) for metric in Metric] + [
        Column(metric, category) for metric in CATEGORY_METRICS for category in categories
    ]


def sort_keys(categories: list[Category]) -> set[str]:
    """Every key that a board can be sorted by."""
    return {column.key for column in board_columns(categories)} | {*NAME_ORDER, COVERAGE}


def read_board(
    task_set: TaskSet, query: BoardQuery, *, categories: list[Category], page_size: int | None
) -> Board:
    """Read one page of a board; every entry where ``page_size`` is None.

    A page beyond the last gives the last.
    """
    columns = board_columns(categories)
    ranked = _filtered(_ranked(task_set, query), query)
    total = ranked.count()
    pages = max(1, math.ceil(total / page_size)) if page_size else 1
    page = min(max(query.page, 1), pages)
    if page_size:
        # Keys alone are sorted and skipped over; only the page's rows are joined and read.
        keys = ranked.values("pk")[(page - 1) * page_size : page * page_size]
        ranked = Figure.objects.filter(pk__in=keys).order_by(*_order(query))
    leading = list(ranked.select_related("entry__agent"))
    figures: dict[int, dict[str, Figure]] = {row.entry_id: {} for row in leading}
    shown = Q(category="") | Q(metric__in=CATEGORY_METRICS)
    for figure in Figure.objects.filter(shown, entry__in=figures, scorer=query.scorer):
        key = f"{figure.metric}:{figure.category}" if figure.category else figure.metric
        figures[figure.entry_id][key] = figure
    accuracies = {entry: cells[Metric.ACCURACY].value for entry, cells in figures.items()}
    ranks = _ranks(task_set, query.scorer, {value for value in accuracies.values() if value is not None})
    rows = [
        BoardRow(
            entry=row.entry,
            rank=ranks.get(accuracies[row.entry_id]),
            figures=figures[row.entry_id],
            cells=[figures[row.entry_id].get(column.key) for column in columns],
            accuracy_by_category=[
                figures[row.entry_id].get(f"{Metric.ACCURACY}:{category.slug}") for category in categories
            ],
        )
        for row in leading
    ]
    return Board(
        task_set=task_set,
        query=query,
        categories=categories,
        columns=columns,
        rows=rows,
        total=total,
        page=page,
        pages=pages,
    )


def _ranked(task_set: TaskSet, query: BoardQuery) -> QuerySet[Figure]:
    """One figure an entry, the one that is sorted by, in order; missing ones last in both directions."""
    metric, _, category = query.column.partition(":")
    if metric not in set(Metric):
        metric = Metric.ACCURACY
    figures = Figure.objects.filter(task_set=task_set, scorer=query.scorer, metric=metric, category=category)
    return figures.order_by(*_order(query))


def _order(query: BoardQuery) -> list[OrderBy]:
    fields = NAME_ORDER.get(query.column) or (
        "entry__attempted" if query.column == COVERAGE else "value",
        "entry",
    )
    first, then = F(fields[0]), F(fields[1])
    leading = first.desc(nulls_last=True) if query.descending else first.asc(nulls_last=True)
    return [leading, then.asc()]


def _filtered(figures: QuerySet[Figure], query: BoardQuery) -> QuerySet[Figure]:
    if query.agent:
        figures = figures.filter(entry__agent__name__icontains=query.agent)
    if query.model:
        figures = figures.filter(entry__agent__model__icontains=query.model)
    for word in query.text.split():
        figures = figures.filter(
            Q(entry__agent__name__icontains=word)
            | Q(entry__agent__model__icontains=word)
            | Q(entry__source__icontains=word)
        )
    return figures


def _ranks(task_set: TaskSet, scorer: str, accuracies: Collection[float]) -> dict[float | None, int]:
    """The rank of each of ``accuracies`` among all entries, the filtered out included; equals share it.

    One walk along the index, from the best down to the worst that is asked for.
    """
    if not accuracies:
        return {}
    worst = min(accuracies)
    better = Figure.objects.filter(
        task_set=task_set, scorer=scorer, metric=Metric.ACCURACY, category="", value__gt=worst
    )
    ranks: dict[float | None, int] = {}
    above = 0
    for value, count in better.values_list("value").annotate(Count("pk")).order_by("-value"):
        ranks[value] = above + 1
        above += count
    return ranks | {worst: above + 1}
