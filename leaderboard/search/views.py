"""The search page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.domain.words import INDEXED_END
from leaderboard.search import selectors
from leaderboard.search.forms import SearchForm

EXAMPLES = {
    "import error": "both words in one step, wherever in it",
    '"out of memory"': "these words one after the other",
    "train.py": "as it is typed: what punctuation joins stays together",
    "--batch_size 8": "options, paths and messages can be pasted; punctuation itself does not count",
    "tokeniz*": "every word that begins so",
}.items()
"""Ways to search, each with what it finds."""


@require_safe
@vary_on_headers("HX-Request")
def search(request: HttpRequest) -> HttpResponse:
    """Steps of all trajectories that the visitor may see, by their words."""
    form = SearchForm(request.GET)
    query = form.search_query()
    page = form.cleaned_data.get("page") or 1
    results = selectors.search(request.user, query, page) if query else None
    context = {
        "task_sets": all_task_sets(),
        "form": form,
        "results": results,
        "filters": form.filters,
        "examples": EXAMPLES,
        "indexed": 2 * INDEXED_END,
    }
    template = "search/search.html" + ("#results" if request.htmx else "")  # type: ignore[attr-defined]
    return render(request, template, context)
