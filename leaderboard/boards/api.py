"""Boards, and what they can be sorted by."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict
from ninja import Field, Query, Schema

from leaderboard.boards.exports import board_json
from leaderboard.boards.forms import BoardForm
from leaderboard.boards.selectors import board_columns, read_board, sort_keys
from leaderboard.catalogue.api import SET, CategoryOut, TaskSetOut, find_task_set, task_set_data
from leaderboard.catalogue.selectors import set_categories
from leaderboard.core.endpoints.callers import ApiRequest
from leaderboard.core.endpoints.paging import Paging, link_after, read_cursor
from leaderboard.core.endpoints.routers import BENCHMARKS, reads
from leaderboard.core.endpoints.schemas import FigureOut
from leaderboard.core.labels import SCORERS
from leaderboard.domain.errors import InputErrors, Problem


class TaskSetDetail(TaskSetOut):
    """A task set, and what its board can be sorted by."""

    benchmark: str
    categories: list[CategoryOut]
    sort_keys: list[str]
    scorers: list[str]


class BoardRowOut(Schema):
    """An entry on a board; `figures` by column."""

    rank: int | None
    entry: str
    agent: str
    model: str
    attempted: int
    figures: dict[str, FigureOut]


class BoardOut(Schema):
    """A part of a board, ranked among all of its entries."""

    benchmark: str
    task_set: str
    scorer: str
    sort: str
    total: int
    items: list[BoardRowOut]
    next: str | None


class BoardQueryIn(Paging):
    """What a board's page takes in its address, too."""

    sort: str = Field("", description="A column's key, with `-` in front for largest first. See `sort_keys`.")
    scorer: str = Field("", description="Whose scores; what the board shows unasked where it is empty.")
    agent: str = Field("", description="Text in the agent's name.")
    model: str = Field("", description="Text in the model's name.")
    q: str = Field("", description="Words in the agent's name, its model's, or the source.")


@reads(BENCHMARKS, SET, response=TaskSetDetail)
def task_set(request: ApiRequest, benchmark: str, task_set: str) -> dict[str, Any]:
    """Read a task set.

    With its categories, and the columns and scorers that its board can be read by.
    """
    found = find_task_set(benchmark, task_set)
    categories = set_categories(found)
    extra = sort_keys(categories) - {column.key for column in board_columns(categories)}
    return {
        **task_set_data(found),
        "benchmark": found.benchmark.slug,
        "categories": [{"slug": each.slug, "name": each.name} for each in categories],
        "sort_keys": [column.key for column in board_columns(categories)] + sorted(extra),
        "scorers": list(SCORERS),
    }


@reads(BENCHMARKS, f"{SET}/board", response=BoardOut)
def board(request: ApiRequest, benchmark: str, task_set: str, query: Query[BoardQueryIn]) -> dict[str, Any]:
    """Read a board.

    Sorted, filtered and scored as its page is, by the same query.
    """
    found = find_task_set(benchmark, task_set)
    categories = set_categories(found)
    page = read_cursor(request, query) or 1
    said = QueryDict(mutable=True)
    said.update({name: getattr(query, name) for name in ("sort", "scorer", "agent", "model", "q")})
    said["page"] = str(page)
    form = BoardForm(said, sort_keys=sort_keys(categories))
    if form.errors:
        raise InputErrors(tuple(form_problems(form, file="query")))
    shown = read_board(found, form.board_query(), categories=categories, page_size=query.limit)
    data = board_json(shown)
    more = shown.page < shown.pages
    return {**data, "items": data["entries"], "next": link_after(request, page + 1) if more else None}


def form_problems(form: forms.Form, *, file: str) -> list[Problem]:
    """What a form of the pages finds wrong, as problems of ``file``."""
    return [
        Problem(file, "" if name == "__all__" else f"$.{name}", str(error))
        for name, errors in form.errors.items()
        for error in errors
    ]
