"""Benchmarks, their task sets, boards and tasks."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict
from django.urls import reverse
from ninja import Field, Query

from leaderboard.api.attempts import attempt_data, with_scores
from leaderboard.api.callers import ApiRequest
from leaderboard.api.paging import Page, Paging, link_after, read_cursor, take_page
from leaderboard.api.reading import find_task, find_task_set, reads
from leaderboard.api.routers import BENCHMARKS
from leaderboard.api.schemas import (
    AttemptOut,
    BenchmarkOut,
    BoardOut,
    TaskDetail,
    TaskOut,
    TaskSetDetail,
)
from leaderboard.domain.errors import InputErrors, Problem
from leaderboard.exports import board_json
from leaderboard.forms import BoardForm
from leaderboard.labels import SCORERS
from leaderboard.models import Task, TaskSet
from leaderboard.selectors.attempts import attempts_at
from leaderboard.selectors.board import board_columns, read_board, sort_keys
from leaderboard.selectors.catalogue import all_task_sets, set_categories, shown_landmarks

SET = "/benchmarks/{slug:benchmark}/{slug:task_set}"


class BoardQueryIn(Paging):
    """What a board's page takes in its address, too."""

    sort: str = Field("", description="A column's key, with `-` in front for largest first. See `sort_keys`.")
    scorer: str = Field("", description="Whose scores; what the board shows unasked where it is empty.")
    agent: str = Field("", description="Text in the agent's name.")
    model: str = Field("", description="Text in the model's name.")
    q: str = Field("", description="Words in the agent's name, its model's, or the source.")


@reads(BENCHMARKS, "/benchmarks", response=list[BenchmarkOut])
def benchmarks(request: ApiRequest) -> list[dict[str, Any]]:
    """List the benchmarks.

    Each with its task sets, in the order of the site's navigation.
    """
    listed: dict[int, dict[str, Any]] = {}
    for task_set in all_task_sets():
        benchmark = task_set.benchmark
        data = {"slug": benchmark.slug, "name": benchmark.name, "summary": benchmark.summary}
        known = listed.setdefault(benchmark.pk, {**data, "url": benchmark.url, "task_sets": []})
        known["task_sets"].append(_task_set_data(task_set))
    return list(listed.values())


@reads(BENCHMARKS, SET, response=TaskSetDetail)
def task_set(request: ApiRequest, benchmark: str, task_set: str) -> dict[str, Any]:
    """Read a task set.

    With its categories, and the columns and scorers that its board can be read by.
    """
    found = find_task_set(benchmark, task_set)
    categories = set_categories(found)
    extra = sort_keys(categories) - {column.key for column in board_columns(categories)}
    return {
        **_task_set_data(found),
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


@reads(BENCHMARKS, f"{SET}/tasks", response=Page[TaskOut])
def tasks(request: ApiRequest, benchmark: str, task_set: str, paging: Query[Paging]) -> dict[str, Any]:
    """List the tasks of a set.

    By their ids.
    """
    found = find_task_set(benchmark, task_set)
    listed = found.tasks.prefetch_related("categories").only("task_id", "title", "landmarks", "task_set")
    rows, following = take_page(request, paging, listed, order=("task_id",))
    for row in rows:
        row.task_set = found
    return {"items": [_task_data(row) | {"landmarks": len(row.landmarks)} for row in rows], "next": following}


@reads(BENCHMARKS, f"{SET}/tasks/{{task_id}}", response=TaskDetail)
def task(request: ApiRequest, benchmark: str, task_set: str, task_id: str) -> dict[str, Any]:
    """Read a task.

    A landmark's pattern is null where it would give the gold answer away.
    """
    found = find_task(benchmark, task_set, task_id)
    patterns = enumerate(shown_landmarks(found), start=1)
    return {
        **_task_data(found),
        "query": found.query,
        "repository": found.repository,
        "commit": found.commit,
        "entrypoint": found.entrypoint,
        "landmarks": [{"number": number, "pattern": pattern or None} for number, pattern in patterns],
        "attempts": reverse("api:task-attempts", args=(benchmark, task_set, task_id)),
    }


@reads(BENCHMARKS, f"{SET}/tasks/{{task_id}}/attempts", response=Page[AttemptOut], url_name="task-attempts")
def task_attempts(
    request: ApiRequest, benchmark: str, task_set: str, task_id: str, paging: Query[Paging]
) -> dict[str, Any]:
    """List the published attempts at a task.

    By the names of their agents.
    """
    found = find_task(benchmark, task_set, task_id)
    order = ("entry__agent__name", "entry__agent__model", "number", "pk")
    rows, following = take_page(request, paging, with_scores(attempts_at(found)), order=order)
    return {"items": [attempt_data(row) for row in rows], "next": following}


def form_problems(form: forms.Form, *, file: str) -> list[Problem]:
    """What a form of the pages finds wrong, as problems of ``file``."""
    return [
        Problem(file, "" if name == "__all__" else f"$.{name}", str(error))
        for name, errors in form.errors.items()
        for error in errors
    ]


def _task_set_data(task_set: TaskSet) -> dict[str, Any]:
    args = (task_set.benchmark.slug, task_set.slug)
    return {
        "slug": task_set.slug,
        "name": task_set.name,
        "summary": task_set.summary,
        "tasks": task_set.task_count,  # type: ignore[attr-defined]  # annotated
        "is_default": task_set.is_default,
        "board": reverse("api:board", args=args),
        "page": task_set.get_absolute_url(),
    }


def _task_data(task: Task) -> dict[str, Any]:
    task_set = task.task_set
    return {
        "task_id": task.task_id,
        "title": task.title,
        "categories": [category.slug for category in task.categories.all()],
        "url": reverse("api:task", args=(task_set.benchmark.slug, task_set.slug, task.task_id)),
        "page": task.get_absolute_url(),
    }
