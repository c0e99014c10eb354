"""The page that compares entries, and its grid as CSV."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.catalogue.selectors import all_task_sets, pick_task_set
from leaderboard.comparing.exports import grid_csv
from leaderboard.comparing.forms import CompareForm, entry_slugs
from leaderboard.comparing.grids import MOST_ENTRIES as MOST_IN_GRID
from leaderboard.comparing.grids import read_grid
from leaderboard.comparing.selectors import (
    FEWEST_ENTRIES,
    MOST_ENTRIES,
    Chosen,
    choose_entries,
    compare_entries,
    entries_to_add,
)
from leaderboard.comparing.texts import conclusion
from leaderboard.core.kept_pages import kept_ready, unless_draft
from leaderboard.domain.bootstrap import COVERED, FEWEST_CLUSTERS, RESAMPLES


@require_safe
@kept_ready
def compare(request: HttpRequest) -> HttpResponse:
    """Entries against each other: figures, paired differences, and the grid of tasks.

    With fewer than two, and where they can't be compared, it says why and offers entries to choose.
    """
    chosen = choose_entries(request.user, entry_slugs(request.GET))
    task_sets = all_task_sets()
    if not task_sets:
        return render(request, "boards/empty_site.html", {"task_sets": []})
    own = chosen.entries[0].task_set if chosen.entries else None
    task_set = pick_task_set(task_sets, own.benchmark.slug if own else "", own.slug if own else "")
    form = CompareForm(request.GET, scoring=task_set.scoring)
    context: dict[str, Any] = {
        "task_sets": task_sets,
        "task_set": task_set,
        "form": form,
        "chosen": chosen.entries,
        "problems": chosen.problems,
        "offered": entries_to_add(task_set, chosen.entries),
        "fewest": FEWEST_ENTRIES,
        "most": MOST_ENTRIES,
        "room": len(chosen.entries) < MOST_ENTRIES,
        "query_string": request.GET.urlencode(),
    }
    if chosen.are_comparable:
        compared = compare_entries(chosen.entries, form.query(), user=request.user)
        context |= {
            "compared": compared,
            "conclusions": [(pair, conclusion(pair, compared)) for pair in compared.differences],
            "resamples": RESAMPLES,
            "covered": round(100 * COVERED),
            "fewest_clusters": FEWEST_CLUSTERS,
        }
    response = render(request, "comparing/compare.html", context, status=_status(chosen))
    return unless_draft(response, *chosen.entries)


@require_safe
@kept_ready
def compare_csv(request: HttpRequest) -> HttpResponse:
    """The grid as CSV, with the same query as the page."""
    chosen = choose_entries(request.user, entry_slugs(request.GET))
    if not chosen.are_comparable:
        why = "\n".join(map(str, chosen.problems)) or f"query, $.e: choose {FEWEST_ENTRIES} entries or more"
        return HttpResponse(why, content_type="text/plain; charset=utf-8", status=_status(chosen, fewest=400))
    form = CompareForm(request.GET, scoring=chosen.entries[0].task_set.scoring)
    compared = compare_entries(chosen.entries, form.query(), user=request.user)
    response = HttpResponse(grid_csv(compared), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="comparison.csv"'
    return unless_draft(response, *chosen.entries)


@require_safe
@kept_ready
def grid(request: HttpRequest, benchmark: str, task_set: str) -> HttpResponse:
    """All ranked entries of a board by all of its tasks."""
    task_sets = all_task_sets()
    shown = pick_task_set(task_sets, benchmark, task_set)
    context = {"task_sets": task_sets, "task_set": shown, "grid": read_grid(shown), "most": MOST_IN_GRID}
    return render(request, "comparing/grid.html", context)


def _status(chosen: Chosen, *, fewest: int = 200) -> int:
    if chosen.missing:
        return 404
    if chosen.problems:
        return 400
    return 200 if chosen.are_comparable else fewest
