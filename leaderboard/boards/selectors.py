"""A board: one page of ranked entries with a figure in every column.

Entries without enough evidence for a rank come after the ranked ones in every order. Five queries for any
number of entries. Ranks and order come from the index on stored figures.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain
from typing import Final

from django.db.models import Case, Count, F, FloatField, OrderBy, Q, QuerySet, Value, When

from leaderboard.boards.history import as_it_was, had_rank, stood_on_board
from leaderboard.core.figures import Cell, figure_evidence
from leaderboard.core.permissions import Visitor, visible_entries
from leaderboard.domain.entries import RANKED, EntryState, Evidence
from leaderboard.domain.scores import BOARD, REPORTED
from leaderboard.entries.declared import Declared
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
ALL_TASKS, SCORED_TASKS = "all", "attempted"
"""What a figure is the mean over: all tasks, one without an attempt as failed; or those that have a score."""
COUNTED: Final = {ALL_TASKS: "value", SCORED_TASKS: "attempted"}
"""The field of a `Figure` that a board shows for each."""


@dataclass(frozen=True, slots=True)
class BoardQuery:
    """The query in a board's address.

    ``sort`` is a column's key, with a leading ``-`` for descending; empty for the order of the ranks.
    ``columns`` are the metrics that are shown overall beside those of the scoring's layout; ``x`` and ``y``
    those of the first chart, empty for the layout's. ``coverage`` is a key of `COUNTED`. ``at`` is the day,
    in UTC, at whose end the board is shown; None for now.
    """

    sort: str = ""
    scorer: str = BOARD
    coverage: str = ALL_TASKS
    at: date | None = None
    columns: tuple[str, ...] = ()
    x: str = ""
    y: str = ""
    agent: str = ""
    model: str = ""
    text: str = ""
    evidence: str = ""
    declared: Declared = field(default_factory=Declared)
    page: int = 1

    @property
    def column(self) -> str:
        return self.sort.removeprefix("-")

    @property
    def descending(self) -> bool:
        return self.sort.startswith("-")

    @property
    def filtered(self) -> bool:
        named = self.agent or self.model or self.text
        return bool(named or self.evidence or self.declared != Declared())

    @property
    def switched(self) -> bool:
        """Whether its figures are counted in another way than by default."""
        return (self.scorer, self.coverage) != (BOARD, ALL_TASKS)

    @property
    def has_tiers(self) -> bool:
        """Whether its ranks are those whose tiers are stored."""
        return self.coverage == ALL_TASKS and self.at is None

    @property
    def by_default(self) -> BoardQuery:
        """The same board, counted as by default."""
        return replace(self, scorer=BOARD, coverage=ALL_TASKS)

    @property
    def counted(self) -> str:
        """The field of a figure that is shown."""
        return COUNTED[self.coverage]


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
    ``default_rank`` is the one on the same board counted as by default. ``leading`` is the figure that gives
    the rank, None where no tier is stored of it.
    """

    entry: Entry
    evidence: Evidence
    rank: int | None
    default_rank: int | None
    leading: Figure | None
    figures: dict[str, Figure]
    overall: list[Cell]
    by_category: list[list[Cell]]

    @property
    def rank_changed(self) -> bool:
        return self.rank != self.default_rank

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
    if query.at:
        entries = [as_it_was(entry, query.at) for entry in entries]
    figures, by_default = _read_figures(entries, query, columns, scoring)
    leading = {
        pk: cells[scoring.ranked_by].value for pk, cells in figures.items() if scoring.ranked_by in cells
    }
    ranks = _ranks(task_set, query, entries, leading)
    default_ranks = _ranks(task_set, query.by_default, entries, by_default) if query.switched else ranks
    rows = [
        BoardRow(
            entry=entry,
            evidence=figure_evidence(entry, query.scorer),
            rank=ranks.get(entry.pk),
            default_rank=default_ranks.get(entry.pk),
            leading=figures[entry.pk].get(scoring.ranked_by) if query.has_tiers else None,
            figures=figures[entry.pk],
            overall=_cells(figures[entry.pk], [each for each in columns if each.category is None]),
            by_category=[
                _cells(figures[entry.pk], grouped_columns(columns, key)) for key in scoring.layout.grouped
            ],
        )
        for entry in entries
    ]
    return Board(task_set, query, categories, columns, rows, total, page, pages)


def board_entries(board: Board, user: Visitor) -> list[Entry]:
    """The entries of a board's page that ``user`` may see: of another day's some were withdrawn since."""
    visible = visible_entries(user).filter(pk__in=[row.entry.pk for row in board.rows])
    entries = list(visible.select_related("agent", "team"))
    for entry in entries:
        entry.task_set = board.task_set
    return entries


def _read_figures(
    entries: list[Entry], query: BoardQuery, columns: list[Column], scoring: Scoring
) -> tuple[dict[int, dict[str, Figure]], dict[int, float | None]]:
    """The figures of ``entries`` by column key, and what they are ranked by on the board by default.

    One query. Figures are as the query counts them.
    """
    figures: dict[int, dict[str, Figure]] = {entry.pk: {} for entry in entries}
    by_default: dict[int, float | None] = {}
    overall = {column.metric.key for column in columns if column.category is None}
    overall |= {scoring.ranked_by, *scatter_keys(scoring, query)}
    wanted = Q(category="", metric__in=overall) | Q(metric__in=scoring.layout.grouped)
    wanted &= Q(scorer=query.scorer)
    if query.switched:
        wanted |= Q(scorer=BOARD, category="", metric=scoring.ranked_by)
    for figure in Figure.objects.filter(wanted, entry__in=figures).select_related("standing"):
        key = f"{figure.metric}:{figure.category}" if figure.category else figure.metric
        if figure.scorer == BOARD and key == scoring.ranked_by:
            by_default[figure.entry_id] = figure.value
        if figure.scorer == query.scorer:
            figures[figure.entry_id][key] = _as_counted(figure, query)
    return figures, by_default


def _as_counted(figure: Figure, query: BoardQuery) -> Figure:
    """The figure, not to be saved, with the value and the tasks that the query counts.

    An interval is stored of the mean over all tasks: where a task is left out, the figure has none.
    """
    if query.coverage == SCORED_TASKS and figure.tasks != figure.scored:
        figure.value, figure.tasks = figure.attempted, figure.scored
        figure.low = figure.high = None
    return figure


def grouped_columns(columns: Iterable[Column], key: str) -> list[Column]:
    """The columns of a metric by category."""
    return [column for column in columns if column.category and column.metric.key == key]


def _cells(figures: Mapping[str, Figure], columns: Iterable[Column]) -> list[Cell]:
    return [Cell(column.metric, figures.get(column.key)) for column in columns]


def _on_board(task_set: TaskSet, query: BoardQuery) -> QuerySet[Entry]:
    """The entries with attempts that the board has, or had on the query's day, whatever its filters."""
    on_board = stood_on_board(query.at) if query.at else Q(state=EntryState.PUBLISHED)
    return Entry.objects.filter(on_board, task_set=task_set, attempted__gt=0)


def _listed_entries(task_set: TaskSet, query: BoardQuery) -> QuerySet[Entry]:
    """The entries on a board that match the filters."""
    entries = _on_board(task_set, query)
    if query.agent:
        entries = entries.filter(agent__name__icontains=query.agent)
    if query.model:
        entries = entries.filter(agent__model__icontains=query.model)
    for word in query.text.split():
        entries = entries.filter(
            Q(agent__name__icontains=word) | Q(agent__model__icontains=word) | Q(origin__icontains=word)
        )
    entries = entries.filter(query.declared.condition)
    if not query.evidence:
        return entries
    ranked = had_rank(query.scorer, query.at)
    if query.evidence == RANKED_ONLY:
        return entries.filter(ranked)
    if query.evidence == Evidence.SELF_REPORTED:
        return entries.exclude(ranked)
    by_trajectories = Q(evidence=Evidence.TRAJECTORIES)
    if query.evidence == Evidence.TRAJECTORIES:
        return entries.none() if query.scorer == REPORTED else entries.filter(by_trajectories)
    return entries.filter(ranked) if query.scorer == REPORTED else entries.filter(ranked & ~by_trajectories)


def _count_entries(listed: QuerySet[Entry], query: BoardQuery) -> tuple[QuerySet[Entry], int]:
    """The ``listed`` entries and their number; up to ``MAX_KEYS`` filtered entries are filtered only once."""
    if query.filtered or query.at:
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
    unranked_last = Case(When(had_rank(query.scorer, query.at), then=0), default=1)
    metric, _, category = query.column.partition(":")
    if query.column in ORDER_OF_ENTRIES:
        order = [unranked_last.asc(), *_order(query, *ORDER_OF_ENTRIES[query.column])]
        entries = Entry.objects.filter(pk__in=listed.order_by(*order).values("pk")[part])
    elif query.at:
        # Evidence was another then, and the figures of replaced versions are on no board now.
        order = [unranked_last.asc(), *_order(query, f"figures__{query.counted}", "pk")]
        in_column = Q(figures__scorer=query.scorer, figures__metric=metric, figures__category=category)
        entries = listed.filter(in_column)
        return entries.select_related("agent", "team").order_by(*order)[part]
    else:
        figures = Figure.objects.filter(
            task_set=task_set, scorer=query.scorer, metric=metric, category=category
        )
        if query.filtered:
            figures = figures.filter(entry__in=listed)
        by_value = figures.order_by("-ranked", *_order(query, query.counted, "entry"))
        entries = Entry.objects.filter(figures__in=by_value.values("pk")[part])
        order = [F("figures__ranked").desc(), *_order(query, f"figures__{query.counted}", "pk")]
    return entries.select_related("agent", "team").order_by(*order)


def _order(query: BoardQuery, first: str, then: str) -> list[OrderBy]:
    leading = F(first).desc(nulls_last=True) if query.descending else F(first).asc(nulls_last=True)
    return [leading, F(then).asc()]


def _ranks(
    task_set: TaskSet, query: BoardQuery, entries: Iterable[Entry], leading: Mapping[int, float | None]
) -> dict[int, int]:
    """The rank of each of ``entries``, by its key, among all ranked ones by their ``leading`` figures.

    Equal ones share a rank. Filters leave it as it is. One query, which counts the figures ahead of the best,
    and reads the index once from the best to the worst.
    """
    values = {
        entry.pk: value
        for entry in entries
        if (value := leading.get(entry.pk)) is not None and figure_evidence(entry, query.scorer) in RANKED
    }
    if not values:
        return {}
    metric, counted = task_set.scoring.leading, query.counted
    most, least = max(values.values()), min(values.values())
    figures = Figure.objects.filter(scorer=query.scorer, metric=metric.key, category="")
    if query.at:
        ranked = _on_board(task_set, query).filter(had_rank(query.scorer, query.at))
        figures = figures.filter(entry__in=ranked)
    else:
        figures = figures.filter(task_set=task_set, ranked=True)
    ahead = Q(**{f"{counted}__gt": most}) if metric.more_is_better else Q(**{f"{counted}__lt": least})
    between = figures.filter(**{f"{counted}__gte": least, f"{counted}__lte": most})
    counts = between.values_list(counted).annotate(Count("pk")).order_by()
    first = figures.filter(ahead).annotate(ahead=Value(None, FloatField())).values_list("ahead")
    found = dict(counts.union(first.annotate(Count("pk")).order_by(), all=True))
    before, ranks = found.pop(None, 0), {}
    for value in sorted(found, reverse=metric.more_is_better):
        ranks[value] = before + 1
        before += found[value]
    return {pk: ranks[value] for pk, value in values.items() if value in ranks}
