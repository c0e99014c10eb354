"""Benchmarks and their task sets."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from ninja import Field, Schema

from leaderboard.catalogue.selectors import all_task_sets, pick_task_set
from leaderboard.core.endpoints.callers import ApiRequest
from leaderboard.core.endpoints.routers import BENCHMARKS, reads
from leaderboard.models import Benchmark, TaskSet


class CategoryOut(Schema):
    """A category of tasks."""

    slug: str
    name: str


class TaskSetOut(Schema):
    """A list of tasks that agents are ranked on."""

    slug: str
    name: str
    summary: str
    tasks: int
    is_default: bool
    level: int | None = Field(description="Its place among the benchmark's sets, where these have an order.")
    board: str
    page: str


class BenchmarkOut(Schema):
    """A family of task sets that are scored in the same way."""

    slug: str
    name: str
    summary: str
    url: str
    page: str
    max_attempts: int = Field(description="Attempts at one task that one entry may have.")
    task_sets: list[TaskSetOut]


class LandmarkOut(Schema):
    """A landmark of a task."""

    number: int
    pattern: str | None = Field(description="Null if it is withheld because it reveals the gold answer.")


def find_task_set(benchmark: str, slug: str) -> TaskSet:
    """A task set with its benchmark and ``task_count``. One query."""
    return pick_task_set(all_task_sets(), benchmark, slug)


SET = "/benchmarks/{slug:benchmark}/{slug:task_set}"


@reads(BENCHMARKS, "/benchmarks", response=list[BenchmarkOut])
def benchmarks(request: ApiRequest) -> list[dict[str, Any]]:
    """List the benchmarks.

    Each with its task sets, in the order of the site's navigation.
    """
    listed: dict[int, dict[str, Any]] = {}
    for task_set in all_task_sets():
        benchmark = task_set.benchmark
        known = listed.setdefault(benchmark.pk, {**benchmark_data(benchmark), "task_sets": []})
        known["task_sets"].append(task_set_data(task_set))
    return list(listed.values())


def benchmark_data(benchmark: Benchmark) -> dict[str, Any]:
    return {
        "slug": benchmark.slug,
        "name": benchmark.name,
        "summary": benchmark.summary,
        "url": benchmark.url,
        "page": benchmark.get_absolute_url(),
        "max_attempts": benchmark.max_attempts,
    }


def task_set_data(task_set: TaskSet) -> dict[str, Any]:
    args = (task_set.benchmark.slug, task_set.slug)
    return {
        "slug": task_set.slug,
        "name": task_set.name,
        "summary": task_set.summary,
        "tasks": task_set.task_count,  # type: ignore[attr-defined]  # annotated
        "is_default": task_set.is_default,
        "level": task_set.level,
        "board": reverse("api:board", args=args),
        "page": task_set.get_absolute_url(),
    }
