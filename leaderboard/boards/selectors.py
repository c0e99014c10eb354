"""A board: one page of ranked entries with a figure in every column.

Entries without enough evidence for a rank come after the ranked ones in every order. Five queries for any
number of entries. Ranks and order come from the index on stored figures.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain

from django.db.models import Case, Count, F, OrderBy, Q, QuerySet, When

from leaderboard.core.figures import Cell, figure_evidence
from leaderboard.domain.entries import RANKED, EntryState, Evidence
from leaderboard.domain.scores import BOARD, REPORTED
from leaderboard.models import Category, Entry, Figure, Standing, TaskSet
from leaderboard.scoring.contract import Metric, Scoring, Unit

COVERAGE = "coverage"
NAME_ORDER = {"agent": ("agent__name", "agent__model"), "model": ("agent__model", "agent__name")}
ORDER_OF_ENTRIES = {**NAME_ORDER, COVERAGE: ("attempted", "pk")}
"""The columns that are not figures, and the fields of an entry that they sort by."""
MAX_KEYS = 200
"""Up to so many filtered entries are passed on by their keys; more are filtered again in each query."""
MAX_GROUPS_BESIDE = 8
"""Up to so many groups of tasks are columns of the board's table; more are rows of a table of their own."""
FEWEST_POINTS = 4
"""A scatter chart of fewer entries says nothing that the table does not."""
RANKED_ONLY = "ranked"
"""The filter for every evidence that is enough for a rank."""


@dataclass(frozen=True, slots=True)
class BoardQuery:
    """The query in a board's address.

    ``sort`` is a column's key, with a leading ``-`` for descending; empty for the order of the ranks.
    ``columns`` are the metrics that are shown overall beside those of the scoring's layout; ``x`` and ``y``
    those of the first chart, empty for the layout's.
    """

    sort: str = ""
    scorer: str = BOARD
    columns: tuple[str, ...] = ()
    x: str = ""
    y: str = ""
    agent: str = ""
    model: str = ""
    text: str = ""
    evidence: str = ""
    page: int = 1

    @property
    def column(self) -> str:
        return self.sort.removeprefix("-")

    @property
    def descending(self) -> bool:
        return self.sort.startswith("-")

    @property
    def filtered(self) -> bool:
        return bool(self.agent or self.model or self.text or self.evidence)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of figures; ``category`` is None for overall figures. ``key`` is its name in addresses."""

    metric: Metric
    category: Category | None = None

    @property
    def key(self) -> str:
        return f"{self.metric.key}:{self.category.slug}" if self.category else self.metric.key


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One entry; ``figures`` by column key.

    ``overall`` and ``by_category`` are in the order of the columns; the latter has a list for each metric.

    ``evidence`` is what supports these figures; the rank is None also where it is not enough.
    """

    entry: Entry
    evidence: Evidence
    rank: int | None
    leading: Figure | None
    figures: dict[str, Figure]
    overall: list[Cell]
    by_category: list[list[Cell]]

    @property
    def cells(self) -> list[Cell]:
        return [*self.overall, *chain.from_iterable(self.by_category)]

    @property
    def tier(self) -> Standing | None:
        """The ranks that its own can't be told apart from; None without a rank, and beyond those tested."""
        return self.leading.tier if self.rank and self.leading else None

    def value(self, key: str) -> float | None:
        """Its figure in a column."""
        figure = self.figures.get(key)
        return figure.value if figure else None


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows that a board shows together: ranked, or self-reported."""

    ranked: bool
    rows: list[BoardRow]


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
    def grouped(self) -> list[Metric]:
        """The metrics that are broken down by category."""
        return [self.task_set.scoring.by_key[key] for key in self.task_set.scoring.layout.grouped]

    @property
    def scatter(self) -> tuple[Metric, Metric] | None:
        """The metrics across and up of its first chart, if it has one."""
        across, up = scatter_keys(self.task_set.scoring, self.query)
        by_key = self.task_set.scoring.by_key
        return (by_key[across], by_key[up]) if across and up else None

    @property
    def has_scatter(self) -> bool:
        """Whether this page has the first chart: enough ranked entries for one."""
        return self.scatter is not None and len(self.ranked_rows) >= FEWEST_POINTS

    @property
    def has_points(self) -> bool:
        """Whether a ranked entry of this page has both figures of the first chart."""
        keys = [metric.key for metric in self.scatter or ()]
        return any(all(row.value(key) is not None for key in keys) for row in self.ranked_rows)

    @property
    def groups_apart(self) -> bool:
        """Whether the figures by group are in tables of their own, as the groups are too many for columns."""
        return len(self.categories) > MAX_GROUPS_BESIDE

    @property
    def overall_columns(self) -> list[Column]:
        return [column for column in self.columns if column.category is None]

    @property
    def not_in_percent(self) -> list[Metric]:
        """The metrics of its overall columns that are no shares."""
        metrics = (column.metric for column in self.overall_columns)
        return [metric for metric in metrics if metric.unit != Unit.SHARE]

    @property
    def recorded(self) -> bool:
        """Whether it shows what the attempts used."""
        return any(column.metric.recorded for column in self.overall_columns)

    @property
    def groups(self) -> list[RowGroup]:
        """The rows of the ranking, then those below it; each only if it has a row on this page."""
        groups = (RowGroup(True, self.ranked_rows), RowGroup(False, self.self_reported_rows))
        return [group for group in groups if group.rows]

    @property
    def ranked_rows(self) -> list[BoardRow]:
        return [row for row in self.rows if row.evidence in RANKED]

    @property
    def self_reported_rows(self) -> list[BoardRow]:
        return [row for row in self.rows if row.evidence not in RANKED]

    @property
    def first(self) -> BoardRow | None:
        """The row of rank 1, if it is on this page."""
        return next((row for row in self.ranked_rows if row.rank == 1), None)

    @property
    def previous_page(self) -> int:
        return self.page - 1

    @property
    def next_page(self) -> int:
        return self.page + 1


def default_sort(scoring: Scoring) -> str:
    """The order of a board's ranks, as in an address."""
    return f"-{scoring.ranked_by}" if scoring.leading.more_is_better else scoring.ranked_by


def board_columns(
    scoring: Scoring, categories: list[Category], more: Collection[str] | None = None
) -> list[Column]:
    """The overall columns, then those of each category for each metric of the layout; every one by default.

    ``more`` are the keys of overall columns beside those of the layout.
    """
    layout = scoring.layout
    shown = scoring.by_key if more is None else {*layout.overall, *more}
    first = [scoring.by_key[key] for key in layout.overall]
    rest = [metric for metric in scoring.metrics if metric.key in shown and metric not in first]
    return [Column(metric) for metric in (*first, *rest)] + [
        Column(scoring.by_key[key], category) for key in layout.grouped for category in categories
    ]


def scatter_keys(scoring: Scoring, query: BoardQuery) -> tuple[str, str]:
    """The keys of the metrics across and up of a board's first chart; empty ones if it has none."""
    across, up = scoring.layout.scatter or ("", "")
    return query.x or across, query.y or up


def sort_keys(scoring: Scoring, categories: list[Category]) -> set[str]:
    """Every column key that a board can be sorted by."""
    return {column.key for column in board_columns(scoring, categories)} | set(ORDER_OF_ENTRIES)


def read_board(
    task_set: TaskSet, query: BoardQuery, *, categories: list[Category], page_size: int | None
) -> Board:
    """Read one page of a board; every entry if ``page_size`` is None.

    For a page number that is too large, the last page.
    """
    scoring = task_set.scoring
    query = replace(query, sort=query.sort or default_sort(scoring))
    # What it is sorted by is always shown.
    columns = board_columns(scoring, categories, (*query.columns, query.column))
    listed, total = _count_entries(_listed_entries(task_set, query), query)
    pages = max(1, math.ceil(total / page_size)) if page_size else 1
    page = min(max(query.page, 1), pages)
    part = slice((page - 1) * page_size, page * page_size) if page_size else slice(None)
    entries = list(_sorted_entries(listed, task_set, query, part))
    figures: dict[int, dict[str, Figure]] = {entry.pk: {} for entry in entries}
    overall = {column.metric.key for column in columns if column.category is None}
    overall |= {scoring.ranked_by, *scatter_keys(scoring, query)}
    shown = Q(category="", metric__in=overall) | Q(metric__in=scoring.layout.grouped)
    stored = Figure.objects.filter(shown, entry__in=figures, scorer=query.scorer).select_related("standing")
    for figure in stored:
        key = f"{figure.metric}:{figure.category}" if figure.category else figure.metric
        figures[figure.entry_id][key] = figure
    leading = {
        pk: cells[scoring.ranked_by].value
        for pk, cells in figures.items()
        if scoring.ranked_by in cells and cells[scoring.ranked_by].ranked
    }
    ranks = _ranks(task_set, query.scorer, {value for value in leading.values() if value is not None})
    rows = [
        BoardRow(
            entry=entry,
            evidence=figure_evidence(entry, query.scorer),
            rank=ranks.get(leading.get(entry.pk)),
            leading=figures[entry.pk].get(scoring.ranked_by),
            figures=figures[entry.pk],
            overall=_cells(figures[entry.pk], [each for each in columns if each.category is None]),
            by_category=[
                _cells(figures[entry.pk], grouped_columns(columns, key)) for key in scoring.layout.grouped
            ],
        )
        for entry in entries
    ]
    return Board(task_set, query, categories, columns, rows, total, page, pages)


def grouped_columns(columns: Iterable[Column], key: str) -> list[Column]:
    """The columns of a metric by category."""
    return [column for column in columns if column.category and column.metric.key == key]


def _cells(figures: Mapping[str, Figure], columns: Iterable[Column]) -> list[Cell]:
    return [Cell(column.metric, figures.get(column.key)) for column in columns]


def _listed_entries(task_set: TaskSet, query: BoardQuery) -> QuerySet[Entry]:
    """The entries on a board: published, with attempts, and matching the filters."""
    entries = Entry.objects.filter(task_set=task_set, state=EntryState.PUBLISHED, attempted__gt=0)
    if query.agent:
        entries = entries.filter(agent__name__icontains=query.agent)
    if query.model:
        entries = entries.filter(agent__model__icontains=query.model)
    for word in query.text.split():
        entries = entries.filter(
            Q(agent__name__icontains=word) | Q(agent__model__icontains=word) | Q(origin__icontains=word)
        )
    if query.evidence == RANKED_ONLY:
        return entries.filter(_is_ranked(query.scorer))
    return entries.filter(_has_evidence(query.evidence, query.scorer)) if query.evidence else entries


def _is_ranked(scorer: str) -> Q:
    """`figures.figure_evidence` in `RANKED`, as a condition on entries."""
    return Q(accepted__isnull=False) if scorer == REPORTED else Q(evidence__in=RANKED)


def _has_evidence(evidence: str, scorer: str) -> Q:
    if scorer != REPORTED:
        return Q(evidence=evidence)
    if evidence == Evidence.TRAJECTORIES:
        return Q(pk=None)
    return Q(accepted__isnull=evidence == Evidence.SELF_REPORTED)


def _count_entries(listed: QuerySet[Entry], query: BoardQuery) -> tuple[QuerySet[Entry], int]:
    """The ``listed`` entries and their number; up to ``MAX_KEYS`` filtered entries are filtered only once."""
    if query.filtered:
        found = list(listed.order_by().values_list("pk", flat=True)[: MAX_KEYS + 1])
        if len(found) <= MAX_KEYS:
            return Entry.objects.filter(pk__in=found), len(found)
    return listed, listed.count()


def _sorted_entries(
    listed: QuerySet[Entry], task_set: TaskSet, query: BoardQuery, part: slice
) -> QuerySet[Entry]:
    """A ``part`` of the ``listed`` entries in order; those without a rank come after the others.

    Among both, missing figures come last in both directions.

    Only keys are sorted and skipped: the query joins and reads only the rows of the part.
    """
    if query.column in ORDER_OF_ENTRIES:
        unranked_last = Case(When(_is_ranked(query.scorer), then=0), default=1)
        order = [unranked_last.asc(), *_order(query, *ORDER_OF_ENTRIES[query.column])]
        entries = Entry.objects.filter(pk__in=listed.order_by(*order).values("pk")[part])
    else:
        metric, _, category = query.column.partition(":")
        figures = Figure.objects.filter(
            task_set=task_set, scorer=query.scorer, metric=metric, category=category
        )
        if query.filtered:
            figures = figures.filter(entry__in=listed)
        by_value = figures.order_by("-ranked", *_order(query, "value", "entry"))
        entries = Entry.objects.filter(figures__in=by_value.values("pk")[part])
        order = [F("figures__ranked").desc(), *_order(query, "figures__value", "pk")]
    return entries.select_related("agent", "team").order_by(*order)


def _order(query: BoardQuery, first: str, then: str) -> list[OrderBy]:
    leading = F(first).desc(nulls_last=True) if query.descending else F(first).asc(nulls_last=True)
    return [leading, F(then).asc()]


def _ranks(task_set: TaskSet, scorer: str, values: Collection[float]) -> dict[float | None, int]:
    """The rank of each of ``values`` of the leading metric among all ranked entries; equal ones share a rank.

    Filters leave it as it is. Counts the figures ahead of the best, and reads the index once from the best to
    the worst.
    """
    if not values:
        return {}
    leading = task_set.scoring.leading
    most, least = max(values), min(values)
    figures = Figure.objects.filter(
        task_set=task_set, scorer=scorer, metric=leading.key, category="", ranked=True
    )
    if leading.more_is_better:
        ahead = figures.filter(value__gt=most).count()
        between, last = figures.filter(value__gt=least, value__lte=most).order_by("-value"), least
    else:
        ahead = figures.filter(value__lt=least).count()
        between, last = figures.filter(value__gte=least, value__lt=most).order_by("value"), most
    ranks: dict[float | None, int] = {}
    for value, count in between.values_list("value").annotate(Count("pk")):
        ranks[value] = ahead + 1
        ahead += count
    return ranks | {last: ahead + 1}
