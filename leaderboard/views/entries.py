"""An entry's page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from leaderboard.forms import page_number
from leaderboard.permissions import visible_entries
from leaderboard.selectors.attempts import list_attempts
from leaderboard.selectors.catalogue import all_task_sets, set_categories
from leaderboard.selectors.entries import entry_figures
from leaderboard.selectors.runs import run_environment, unfinished_units
from leaderboard.services.figures import SCORER_ORDER


@require_safe
def entry(request: HttpRequest, slug: str) -> HttpResponse:
    """Scores, categories, and every attempt of an entry; ``?category=`` leaves only that category's tasks."""
    readable = visible_entries(request.user).select_related("agent", "task_set__benchmark", "run")
    shown = get_object_or_404(readable, slug=slug)
    made_here = hasattr(shown, "run")
    categories = set_categories(shown.task_set)
    wanted = next((c for c in categories if c.slug == request.GET.get("category")), None)
    attempts = shown.attempts.select_related("task").prefetch_related("task__categories")
    if wanted:
        attempts = attempts.filter(task__categories=wanted)
    task_sets = all_task_sets()
    context = {
        "task_sets": task_sets,
        "task_set": next(s for s in task_sets if s.pk == shown.task_set_id),
        "entry": shown,
        "categories": categories,
        "category": wanted,
        "scorers": SCORER_ORDER,
        "figures": entry_figures(shown, categories),
        "environment": run_environment(shown) if made_here else [],
        "unfinished": unfinished_units(shown) if made_here else (0, 0),
        "attempts": list_attempts(attempts, page_number(request.GET)),
    }
    return render(request, "leaderboard/entry.html", context)
