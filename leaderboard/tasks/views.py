"""The list of a set's tasks, and a task's page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.attempts.selectors import attempt_with_query, attempts_at, list_attempts
from leaderboard.catalogue.selectors import (
    all_task_sets,
    find_task,
    pick_task_set,
    set_categories,
    shown_landmarks,
    tasks_with_results,
)
from leaderboard.core.kept_pages import kept_ready
from leaderboard.core.numbers import page_number


@require_safe
@kept_ready
def tasks(request: HttpRequest, benchmark: str, task_set: str) -> HttpResponse:
    """Every task of a set."""
    task_sets = all_task_sets()
    shown = pick_task_set(task_sets, benchmark, task_set)
    context = {
        "task_sets": task_sets,
        "task_set": shown,
        "categories": set_categories(shown),
        "tasks": tasks_with_results(shown),
        "decisive": shown.scoring.decisive,
    }
    return render(request, "tasks/tasks.html", context)


@require_safe
@kept_ready
def task(request: HttpRequest, benchmark: str, task_set: str, task_id: str) -> HttpResponse:
    """One task, with every attempt at it and their landmarks."""
    task_sets = all_task_sets()
    shown = pick_task_set(task_sets, benchmark, task_set)
    found = find_task(shown, task_id)
    asked = None if found.query else attempt_with_query(found)
    context = {
        "task_sets": task_sets,
        "task_set": shown,
        "task": found,
        "attempts": list_attempts(attempts_at(found), shown, page_number(request.GET)),
        "query": found.query or (asked.query if asked else ""),
        "asked": asked,
        "metrics": shown.scoring.scored,
        "landmarks": shown_landmarks(found),
        "landmark_numbers": range(1, len(found.landmarks) + 1),
    }
    return render(request, "tasks/task.html", context)
