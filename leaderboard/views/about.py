"""What the figures mean and where they come from."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.selectors.catalogue import all_task_sets


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """The metrics, the scorers, the published figures and the limits."""
    return render(request, "leaderboard/about.html", {"task_sets": all_task_sets()})
