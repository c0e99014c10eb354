"""The page about the benchmarks and their figures, and the documentation."""

from __future__ import annotations

from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.catalogue.guide import guide_page
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


@require_safe
def guide(request: HttpRequest, name: str) -> HttpResponse:
    """A page of docs/."""
    page = guide_page(name)
    if page is None:
        raise Http404
    title, html = page
    return render(
        request, "catalogue/guide.html", {"task_sets": all_task_sets(), "title": title, "html": html}
    )
