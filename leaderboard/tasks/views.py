"""The list of a set's tasks, and a task's page."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.attempts.selectors import attempts_at, list_attempts
from leaderboard.catalogue.selectors import all_task_sets, set_categories, shown_landmarks, tasks_with_results
from leaderboard.catalogue.views import pick_task_set
from leaderboard.core.numbers import page_number
from leaderboard.domain.scores import Metric
from leaderboard.domain.text import storable


@require_safe
def tasks(request: HttpRequest, benchmark: str, task_set: str) -> HttpResponse:
    """Every task of a set."""
    task_sets = all_task_sets()
    shown = pick_task_set(task_sets, benchmark, task_set)
    context = {
        "task_sets": task_sets,
        "task_set": shown,
        "categories": set_categories(shown),
        "tasks": tasks_with_results(shown),
    }
    return render(request, "tasks/tasks.html", context)


@require_safe
def task(request: HttpRequest, benchmark: str, task_set: str, task_id: str) -> HttpResponse:
    """One task: every attempt at it, landmark by landmark."""
    task_sets = all_task_sets()
    shown = pick_task_set(task_sets, benchmark, task_set)
    # As it could be stored: PostgreSQL fails on a NUL in a query.
    found = shown.tasks.prefetch_related("categories").filter(task_id=storable(task_id)).first()
    if found is None:
        raise Http404("This task set has no task of that name.")
    found.task_set = shown
    context = {
        "task_sets": task_sets,
        "task_set": shown,
        "task": found,
        "attempts": list_attempts(attempts_at(found), page_number(request.GET)),
        "metrics": list(Metric),
        "landmarks": shown_landmarks(found),
        "landmark_numbers": range(1, len(found.landmarks) + 1),
    }
    return render(request, "tasks/task.html", context)
