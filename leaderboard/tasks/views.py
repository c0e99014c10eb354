"""The list of a set's tasks, and a task's page."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.attempts.comparison import compare_attempts, why_not_comparable
from leaderboard.attempts.selectors import attempt_with_query
from leaderboard.catalogue.selectors import (
    all_task_sets,
    find_task,
    pick_task_set,
    set_categories,
    shown_landmarks,
)
from leaderboard.core.kept_pages import kept_ready
from leaderboard.core.numbers import row_number
from leaderboard.core.permissions import can_judge_by_gold
from leaderboard.diagnosis.classes import LABELS
from leaderboard.tasks.answers import compare_answers
from leaderboard.tasks.failures import read_failures
from leaderboard.tasks.forms import FailuresForm, TaskForm, TasksForm
from leaderboard.tasks.overview import list_compared, most_different, overview, timelines, two_attempts
from leaderboard.tasks.tasks_list import list_tasks, task_headings


@require_safe
@kept_ready
def tasks(request: HttpRequest, benchmark: str, task_set: str) -> HttpResponse:
    """The tasks of a set; `TasksForm` says which of these, in which order."""
    task_sets = all_task_sets()
    shown = pick_task_set(task_sets, benchmark, task_set)
    categories, decisive = set_categories(shown), shown.scoring.decisive
    form = TasksForm(request.GET, scoring=shown.scoring, categories=categories)
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
    """One task, and the attempts at it against each other. At most eight queries."""
    task_sets = all_task_sets()
    shown = pick_task_set(task_sets, benchmark, task_set)
    found = find_task(shown, task_id)
    asked = None if found.query else attempt_with_query(found)
    overall = overview(found)
    form = TaskForm(request.GET)
    query = form.task_query()
    attempts = list_compared(found, overall.counted, query)
    lines = timelines(attempts.items)
    context = {
        "task_sets": task_sets,
        "task_set": shown,
        "task": found,
        "asks": found.query or (asked.query if asked else ""),
        "asked": asked,
        "overview": overall,
        "form": form,
        "query": query,
        "attempts": attempts,
        "metrics": shown.scoring.scored,
        "stages": list(zip(overall.funnel.stages, shown_landmarks(found), strict=True)),
        "landmark_numbers": range(1, len(found.landmarks) + 1),
        "answers": compare_answers(found, attempts.items, judged=can_judge_by_gold(request.user)),
        "timelines": lines,
        "longest": max((line.steps for line in lines), default=0),
        "pair": list(zip(("one", "other"), most_different(attempts.items), strict=False)),
    }
    return render(request, "tasks/task.html", context)


@require_safe
@kept_ready
def parting(request: HttpRequest, benchmark: str, task_set: str, task_id: str) -> HttpResponse:
    """Where the attempts ``?one=`` and ``?other=`` part. A page of its own: it reads all of their steps."""
    task_sets = all_task_sets()
    shown = pick_task_set(task_sets, benchmark, task_set)
    found = find_task(shown, task_id)
    keys = [row_number(request.GET, name) for name in ("one", "other")]
    two = two_attempts(found, keys)
    if len(two) < len(keys):
        raise Http404("One of them is no published attempt at this task.")
    one, other = two
    why_not = why_not_comparable(one, other)
    context = {
        "task_sets": task_sets,
        "task_set": shown,
        "task": found,
        "attempt": one,
        "other": other,
        "why_not": why_not,
        "comparison": None if why_not else compare_attempts(one, other, 1),
    }
    return render(request, "tasks/parting.html", context, status=400 if why_not else 200)
