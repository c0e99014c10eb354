"""Boards, their columns, and benchmarks with their sets side by side, in the API."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.http import HttpResponseBase, QueryDict
from ninja import Field, Query, Schema

from leaderboard.boards.exports import board_json, levels_json
from leaderboard.boards.forms import BoardForm, LevelsForm
from leaderboard.boards.levels import benchmark_sets, read_levels
from leaderboard.boards.selectors import Board, board_columns, board_entries, read_board, sort_keys
from leaderboard.catalogue.api import (
    SET,
    BenchmarkOut,
    CategoryOut,
    TaskSetOut,
    benchmark_data,
    find_task_set,
    task_set_data,
)
from leaderboard.catalogue.selectors import all_task_sets, pick_benchmark, set_categories
from leaderboard.core.endpoints.callers import ApiRequest
from leaderboard.core.endpoints.paging import Paging, link_after, read_cursor
from leaderboard.core.endpoints.problems import form_problems
from leaderboard.core.endpoints.routers import BENCHMARKS, reads
from leaderboard.core.endpoints.schemas import FigureOut, MetricOut, TierOut
from leaderboard.core.figures import metric_json
from leaderboard.core.labels import scorer_labels
from leaderboard.domain.entries import Evidence, Provenance
from leaderboard.domain.errors import InputError
from leaderboard.domain.openness import ModelOpenness, ScaffoldOpenness
from leaderboard.entries.api import ZIP, archive_answer
from leaderboard.entries.declared import DECLARED
from leaderboard.models import TaskSet


class TaskSetDetail(TaskSetOut):
    """A task set, with the columns that its board can be sorted by."""

    benchmark: str
    categories: list[CategoryOut]
    metrics: list[MetricOut]
    ranked_by: str = Field(description="The key of the metric that gives the ranks.")
    sort_keys: list[str]
    scorers: list[str]


class BoardRowOut(Schema):
    """An entry on a board; `figures` by column."""

    rank: int | None
    default_rank: int | None = Field(
        description="The rank on the same board with the default scorer and coverage."
    )
    tier: TierOut | None = Field(description="Null without a rank, and beyond the entries that are tested.")
    entry: str
    agent: str
    model: str
    attempted: int
    evidence: Evidence = Field(description="What supports the figures; `self-reported` has no rank.")
    provenance: Provenance
    source: str = Field(description="Where the entry comes from, in words.")
    model_openness: ModelOpenness | None = Field(description="As its team says; null if it does not.")
    scaffold_openness: ScaffoldOpenness | None = Field(description="As its team says; null if it does not.")
    code: str = Field(description="The address of the agent's code; empty without one.")
    evaluated: date | None
    released: date | None
    published: date | None
    imported: date | None
    figures: dict[str, FigureOut]


class BoardOut(Schema):
    """A part of a board: entries with a rank among all of them, then those that are only self-reported."""

    benchmark: str
    task_set: str
    scorer: str
    coverage: str
    at: date | None = Field(description="The day at whose end it stood so, in UTC; null for now.")
    sort: str
    total: int
    conclusion: str = Field(
        description="What can be said of who leads; empty if the first is not in this part, or alone."
    )
    columns: list[MetricOut] = Field(description="The metrics that are shown overall, in order.")
    items: list[BoardRowOut]
    next: str | None


BOARD_FIELDS = ("sort", "scorer", "coverage", "at", "agent", "model", "q", "evidence", *DECLARED)
"""The parameters of a board's query with one value each."""


class BoardQueryIn(Paging):
    """The same query as of a board's page."""

    sort: str = Field(
        "", description="A column's key, with `-` in front for descending order. See `sort_keys`."
    )
    scorer: str = Field("", description="Whose scores; empty for the board's default.")
    coverage: str = Field(
        "",
        description="`all`: a figure is the mean over all tasks, one without an attempt as failed, which is "
        "the default. `attempted`: over the tasks that have a score.",
    )
    at: str = Field(
        "",
        description="A day such as `2026-11-01`: the board as it stood at its end, in UTC, by today's "
        "figures; empty for now.",
    )
    columns: list[str] = Field([], description="More metrics to show overall, by their keys.")
    agent: str = Field("", description="Text that the agent's name contains.")
    model: str = Field("", description="Text that the model's name contains.")
    q: str = Field("", description="Words that the agent's name, the model's name or the origin contain.")
    evidence: str = Field(
        "", description="`trajectories`, `accepted` or `self-reported`; `ranked` for the first two; or all."
    )
    model_openness: str = Field(
        "",
        description=f"{', '.join(f'`{each}`' for each in ModelOpenness)}; `open-weights` has those with open "
        "data, too.",
    )
    scaffold_openness: str = Field("", description=f"{', '.join(f'`{each}`' for each in ScaffoldOpenness)}.")
    code: str = Field("", description="`linked`: only entries with a link to their code.")
    released_since: str = Field(
        "", description="A day: only entries whose agent was released on it or later."
    )


class SetFigureOut(FigureOut):
    """An agent's figure on one task set."""

    task_set: str
    metric: str
    entry: str
    interval: tuple[float, float] | None = Field(
        description="Of a share: the Wilson score interval at 95 % over `tasks`."
    )


class AgentOut(Schema):
    """An agent's figures on a benchmark's task sets; an agent can have some with a rank and some without."""

    agent: str
    model: str
    ranked: bool
    figures: list[SetFigureOut]


class BenchmarkDetail(BenchmarkOut):
    """A benchmark with its agents' figures by task set, which are never put together."""

    levels: str = Field(description="What the task sets differ by; empty if they have no order.")
    metrics: list[MetricOut]
    scorer: str
    total: int
    items: list[AgentOut]
    next: str | None


class LevelsQueryIn(Paging):
    """The same query as of a benchmark's page."""

    scorer: str = Field("", description="Whose scores; empty for what boards show by default.")


@reads(BENCHMARKS, "/benchmarks/{slug:benchmark}", response=BenchmarkDetail)
def benchmark(request: ApiRequest, benchmark: str, query: Query[LevelsQueryIn]) -> dict[str, Any]:
    """Read a benchmark.

    With each agent's figures on its task sets, in the order of their levels.
    """
    task_sets = benchmark_sets(pick_benchmark(all_task_sets(), benchmark))
    page = read_cursor(request, query) or 1
    data = QueryDict(mutable=True)
    data.update({"scorer": query.scorer, "page": str(page)})
    form = LevelsForm(data, scoring=task_sets[0].scoring)
    if form.errors:
        raise InputError(*form_problems(form, file="query"))
    levels = read_levels(task_sets, form.levels_query(), page_size=query.limit)
    read = levels_json(levels)
    return {
        **read,
        **benchmark_data(levels.benchmark),
        "task_sets": [task_set_data(each) for each in task_sets],
        "items": read["agents"],
        "next": link_after(request, page + 1) if levels.page < levels.pages else None,
    }


@reads(BENCHMARKS, SET, response=TaskSetDetail)
def task_set(request: ApiRequest, benchmark: str, task_set: str) -> dict[str, Any]:
    """Read a task set.

    With its categories, and the columns to sort by and the scorers of its board.
    """
    found = find_task_set(benchmark, task_set)
    categories = set_categories(found)
    scoring = found.scoring
    columns = [column.key for column in board_columns(scoring, categories)]
    return {
        **task_set_data(found),
        "benchmark": found.benchmark.slug,
        "categories": [{"slug": each.slug, "name": each.name} for each in categories],
        "metrics": [metric_json(metric) for metric in scoring.metrics],
        "ranked_by": scoring.ranked_by,
        "sort_keys": columns + sorted(sort_keys(scoring, categories) - set(columns)),
        "scorers": list(scorer_labels(scoring)),
    }


@reads(BENCHMARKS, f"{SET}/board", response=BoardOut)
def board(request: ApiRequest, benchmark: str, task_set: str, query: Query[BoardQueryIn]) -> dict[str, Any]:
    """Read a board.

    Sorted and filtered as on its page, with the same query.
    """
    shown = _read_board(request, find_task_set(benchmark, task_set), query)
    read = board_json(shown)
    following = link_after(request, shown.page + 1) if shown.page < shown.pages else None
    return {**read, "items": read["entries"], "next": following}


@reads(
    BENCHMARKS,
    f"{SET}/archive",
    url_name="board-archive",
    openapi_extra={"responses": {200: {"description": "The archive.", **ZIP}}},
)
def board_archive(
    request: ApiRequest, benchmark: str, task_set: str, query: Query[BoardQueryIn]
) -> HttpResponseBase:
    """Download the attempts of a board's entries as one archive.

    Of the entries that the board lists with the same query: a folder for each, as in an entry's archive.
    """
    found = find_task_set(benchmark, task_set)
    entries = board_entries(_read_board(request, found, query), request.caller.visitor)
    return archive_answer(request, entries, name=f"{benchmark}-{task_set}-attempts")


def _read_board(request: ApiRequest, task_set: TaskSet, query: BoardQueryIn) -> Board:
    categories = set_categories(task_set)
    page = read_cursor(request, query) or 1
    data = QueryDict(mutable=True)
    data.update({name: getattr(query, name) for name in BOARD_FIELDS})
    data["page"] = str(page)
    data.setlist("columns", query.columns)
    form = BoardForm(data, scoring=task_set.scoring, categories=categories)
    if form.errors:
        raise InputError(*form_problems(form, file="query"))
    return read_board(task_set, form.board_query(), categories=categories, page_size=query.limit)
