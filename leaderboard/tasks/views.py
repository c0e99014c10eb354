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
)
from leaderboard.core.kept_pages import kept_ready
from leaderboard.core.numbers import page_number
from leaderboard.diagnosis.classes import LABELS
from leaderboard.tasks.failures import read_failures
from leaderboard.tasks.forms import FailuresForm, TasksForm
from leaderboard.tasks.tasks_list import list_tasks, task_headings


@require_safe
@kept_ready
def tasks(request: HttpRequest, benchmark: str, task_set: str) -> HttpResponse:
    """The tasks of a set; `TasksForm` says which of these, in which order."""
    task_sets = all_task_sets()
    shown = pick_task_set(task_sets, benchmark, task_set)
    categories, decisive = set_categories(shown), shown.scoring.decisive
    form = TasksForm(request.GET, groups=shown.scoring.groups, categories=categories)
    query = form.tasks_query()
    context = {
        "task_sets": task_sets,
        "task_set": shown,
        "categories": categories,
        "form": form,
        "query": query,
        "headings": task_headings(decisive, query.sort, request.GET),
        "listed": list_tasks(shown, query),
        "decisive": decisive,
    }
    return render(request, "tasks/tasks.html", context)


@require_safe
@kept_ready
def failures(request: HttpRequest, benchmark: str, task_set: str) -> HttpResponse:
    """What stops the attempts at a set's tasks: landmarks and findings, and the attempts behind each."""
    task_sets = all_task_sets()
    shown = pick_task_set(task_sets, benchmark, task_set)
    categories = set_categories(shown)
    form = FailuresForm(request.GET, categories=categories)
    query = form.failures_query()
    context = {
        "task_sets": task_sets,
        "task_set": shown,
        "categories": categories,
        "form": form,
        "query": query,
        "failures": read_failures(shown, categories, query),
        "finding": LABELS.get(query.finding, ""),
        "metrics": shown.scoring.scored,
    }
    return render(request, "tasks/failures.html", context)


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
