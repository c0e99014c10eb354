"""Tasks and the attempts at them, in the API."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from ninja import Query, Schema

from leaderboard.attempts.api import AttemptOut, with_scores
from leaderboard.attempts.selectors import attempts_at
from leaderboard.catalogue.api import SET, LandmarkOut, find_task_set
from leaderboard.catalogue.selectors import find_task, shown_landmarks
from leaderboard.core.endpoints.callers import ApiRequest
from leaderboard.core.endpoints.paging import Page, Paging, read_cursor_page
from leaderboard.core.endpoints.routers import BENCHMARKS, reads
from leaderboard.models import Task


class TaskOut(Schema):
    """A task, without its gold answer."""

    task_id: str
    title: str
    categories: list[str]
    landmarks: int
    url: str
    page: str


class TaskDetail(Schema):
    """A task with its query for agents, without its gold answer."""

    task_id: str
    title: str
    query: str
    repository: str
    commit: str
    entrypoint: str
    categories: list[str]
    landmarks: list[LandmarkOut]
    attempts: str
    url: str
    page: str


@reads(BENCHMARKS, f"{SET}/tasks", response=Page[TaskOut])
def tasks(request: ApiRequest, benchmark: str, task_set: str, paging: Query[Paging]) -> dict[str, Any]:
    """List the tasks of a set.

    Ordered by id.
    """
    found = find_task_set(benchmark, task_set)
    listed = found.tasks.prefetch_related("categories").only("task_id", "title", "landmarks", "task_set")
    rows, following = read_cursor_page(request, paging, listed, order=("task_id",))
    for row in rows:
        row.task_set = found
    return {"items": [_task_data(row) | {"landmarks": len(row.landmarks)} for row in rows], "next": following}


@reads(BENCHMARKS, f"{SET}/tasks/{{task_id}}", response=TaskDetail)
def task(request: ApiRequest, benchmark: str, task_set: str, task_id: str) -> dict[str, Any]:
    """Read a task.

    A landmark's pattern is null if it reveals the gold answer.
    """
    found = find_task(find_task_set(benchmark, task_set), task_id)
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

    Ordered by the names of their agents.
    """
    found = find_task(find_task_set(benchmark, task_set), task_id)
    order = ("entry__agent__name", "entry__agent__model", "number", "pk")
    rows, following = read_cursor_page(request, paging, with_scores(attempts_at(found)), order=order)
    return {"items": rows, "next": following}


def _task_data(task: Task) -> dict[str, Any]:
    task_set = task.task_set
    return {
        "task_id": task.task_id,
        "title": task.title,
        "categories": [category.slug for category in task.categories.all()],
        "url": reverse("api:task", args=(task_set.benchmark.slug, task_set.slug, task.task_id)),
        "page": task.get_absolute_url(),
    }
