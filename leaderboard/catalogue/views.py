"""What the figures mean and where they come from."""

from __future__ import annotations

from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.models import TaskSet


class Published(NamedTuple):
    """A figure of the SUPER paper (arXiv 2409.07440): accuracy in percent."""

    task_set: str
    tasks: int
    agent: str
    model: str
    accuracy: float


PUBLISHED = (
    Published("Expert", 45, "SWE-Agent", "GPT-4o", 16.3),
    Published("Masked", 152, "SWE-Agent", "GPT-4o", 46.1),
    Published("Masked", 152, "ReAct-SUPER + Reflexion", "GPT-4o", 45.4),
    Published("Masked", 152, "ReAct-SUPER", "GPT-4o", 41.6),
)


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """The metrics, the scorers, the published figures and the limits."""
    context = {"task_sets": all_task_sets(), "published": PUBLISHED}
    return render(request, "catalogue/about.html", context)


def pick_task_set(task_sets: list[TaskSet], benchmark: str, slug: str) -> TaskSet:
    if not benchmark:
        return next((s for s in task_sets if s.is_default), task_sets[0])
    for task_set in task_sets:
        if (task_set.benchmark.slug, task_set.slug) == (benchmark, slug):
            return task_set
    raise Http404("There is no such task set.")
