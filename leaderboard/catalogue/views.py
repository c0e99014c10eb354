"""The page about the benchmarks and their figures."""

from __future__ import annotations

from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.catalogue.selectors import all_task_sets


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
