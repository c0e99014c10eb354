"""A benchmark's task sets side by side: agents with their figures on each set, never put together.

Three queries for any number of agents and sets.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter

from django.db.models import F, Max, Min, OrderBy, Q, QuerySet

from leaderboard.core.figures import Cell
from leaderboard.domain.intervals import wilson
from leaderboard.domain.scores import BOARD
from leaderboard.models import Agent, Benchmark, Entry, Figure, TaskSet
from leaderboard.scoring.contract import Metric, Unit


@dataclass(frozen=True, slots=True)
class LevelsQuery:
    """The query in the address of a benchmark's page."""

    scorer: str = BOARD
    page: int = 1


@dataclass(frozen=True, slots=True)
class SetFigure:
    """An entry's figure on one task set."""

    entry: Entry
    figure: Figure
    metric: Metric

    @property
    def cell(self) -> Cell:
        return Cell(self.metric, self.figure)

    @property
    def why_missing(self) -> str:
        """Why it has no value."""
        k = self.metric.pass_at
        return f"No task has {k} attempts with a score" if k > 1 else "No score"

    @property
    def interval(self) -> tuple[float, float] | None:
        """The Wilson score interval over the tasks of a share; None for other metrics or without a value."""
        value = self.figure.value
        return (
            wilson(value, self.figure.tasks) if value is not None and self.metric.unit == Unit.SHARE else None
        )


@dataclass(frozen=True, slots=True)
class AgentRow:
    """An agent's figures: for each metric, one for each task set, None where it has none.

    An agent whose evidence is enough for a rank on some sets only has a row for these and one for the others.
    """

    agent: Agent
    ranked: bool
    figures: list[list[SetFigure | None]]


@dataclass(frozen=True, slots=True)
class Levels:
    """One page of a benchmark's agents; those without a rank come after the others."""

    benchmark: Benchmark
    task_sets: list[TaskSet]
    query: LevelsQuery
    metrics: list[Metric]
    rows: list[AgentRow]
    total: int
    page: int
    pages: int

    @property
    def ranked_rows(self) -> list[AgentRow]:
        return [row for row in self.rows if row.ranked]

    @property
    def groups(self) -> list[tuple[bool, list[AgentRow]]]:
        """The rows with a rank, then the others; each only if there is one."""
        others = [row for row in self.rows if not row.ranked]
        return [(ranked, rows) for ranked, rows in ((True, self.ranked_rows), (False, others)) if rows]

    @property
    def levels(self) -> str:
        """What its sets differ by; empty if they have no order."""
        return self.benchmark.scoring.layout.levels

    @property
    def drawn_sets(self) -> list[TaskSet]:
        """The task sets of its curve: in order of their levels, or all of them if they have no order."""
        return [each for each in self.task_sets if each.level is not None or not self.levels]

    @property
    def previous_page(self) -> int:
        return self.page - 1

    @property
    def next_page(self) -> int:
        return self.page + 1

    @property
    def shown_columns(self) -> int:
        return len(self.metrics) * len(self.task_sets)


def benchmark_sets(task_sets: Iterable[TaskSet]) -> list[TaskSet]:
    """The task sets of a benchmark as its page shows them: by level, without those that have no task.

    ``task_sets`` are in the order of the navigation.
    """
    found = list(task_sets)
    filled = [each for each in found if each.task_count] or found  # type: ignore[attr-defined]  # annotated
    return sorted(filled, key=lambda each: math.inf if each.level is None else each.level)


def read_levels(task_sets: list[TaskSet], query: LevelsQuery, *, page_size: int) -> Levels:
    """One page of the agents on these sets of one benchmark, in the order of the first set, then the next.

    For a page number that is too large, the last page.
    """
    benchmark = task_sets[0].benchmark
    scoring = benchmark.scoring
    metrics = [scoring.by_key[key] for key in scoring.layout.by_level or (scoring.ranked_by,)]
    on_boards = Figure.objects.filter(task_set__in=task_sets, scorer=query.scorer, category="")
    keys = _sorted_agents(on_boards, task_sets, metrics[0])
    total = keys.count()
    pages = max(1, math.ceil(total / page_size))
    page = min(max(query.page, 1), pages)
    shown = list(keys[(page - 1) * page_size : page * page_size])
    rows = _rows(on_boards, shown, task_sets, metrics)
    return Levels(benchmark, task_sets, query, metrics, rows, total, page, pages)


def _sorted_agents(
    figures: QuerySet[Figure], task_sets: list[TaskSet], metric: Metric
) -> QuerySet[Figure, tuple[int, bool]]:
    """The keys of agents, each with whether its figures are ranked."""
    best = Max if metric.more_is_better else Min
    by_set = {f"on_{each.pk}": best("value", filter=Q(task_set=each)) for each in task_sets}
    order: list[OrderBy] = [
        F(name).desc(nulls_last=True) if metric.more_is_better else F(name).asc(nulls_last=True)
        for name in by_set
    ]
    agents = figures.filter(metric=metric.key).values("entry__agent", "ranked").annotate(**by_set)
    return agents.order_by("-ranked", *order, "entry__agent").values_list("entry__agent", "ranked")


def _rows(
    figures: QuerySet[Figure],
    shown: list[tuple[int, bool]],
    task_sets: list[TaskSet],
    metrics: list[Metric],
) -> list[AgentRow]:
    by_key = {metric.key: metric for metric in metrics}
    found = figures.filter(metric__in=by_key, entry__agent__in={agent for agent, _ranked in shown})
    # A board has one entry of an agent.
    cells = {
        (figure.entry.agent_id, figure.ranked, figure.metric, figure.task_set_id): SetFigure(
            figure.entry, figure, by_key[figure.metric]
        )
        for figure in found.select_related("entry__agent")
    }
    agents = {each.entry.agent_id: each.entry.agent for each in cells.values()}
    sets = list(map(attrgetter("pk"), task_sets))
    return [
        AgentRow(
            agents[agent],
            ranked,
            [[cells.get((agent, ranked, key, pk)) for pk in sets] for key in by_key],
        )
        for agent, ranked in shown
    ]
