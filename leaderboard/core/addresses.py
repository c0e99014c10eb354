"""Addresses of the site's pages as others get them: from `SUPERBOARD_URL`, whatever host a request names."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest

_BOARD: Final = frozenset({
    *("agent", "model", "q", "evidence", "model_openness", "scaffold_openness", "code", "released_since"),
    *("scorer", "coverage", "at", "columns", "x", "y", "sort", "page"),
})  # fmt: skip
PUBLIC_PAGES: Final[dict[str, frozenset[str]]] = {
    "home": _BOARD,
    "board": _BOARD,
    "board-history": frozenset(("scorer", "coverage")),
    "benchmark": frozenset(("scorer", "page")),
    "grid": frozenset(),
    "compare": frozenset(("e", "metric", "order", "show")),
    "tasks": frozenset(("q", "category", "solved", "sort")),
    "failures": frozenset(("entry", "category", "finding", "task", "landmark", "page")),
    "task": frozenset(("finding", "landmark", "page")),
    "task-parting": frozenset(("one", "other")),
    "entry": frozenset(("category", "outcome", "finding", "landmarks", "sort", "page")),
    "versions": frozenset(("all",)),
    "attempt": frozenset(("vs", "page")),
    "output": frozenset(),
    "find": frozenset(("q", "in")),
    "search": frozenset(("q", "finding", "agent", "model", "category", "kind", "attempt", "page")),
    "about": frozenset(),
    "guide": frozenset(),
    "api-reference": frozenset(),
    "submit": frozenset(),
    "sample-report": frozenset(),
}
"""The pages for all readers by the names of their addresses, and what of a query changes what each shows."""


def absolute(path: str) -> str:
    """The whole address of a path on this site."""
    return f"{settings.SUPERBOARD_URL.rstrip('/')}{path}"


def lasting_address(request: HttpRequest) -> str:
    """The address by which others should know the page that a request is for; empty if it is not for all.

    Of the query it has what changes the content, in a fixed order. An order of rows is left out, unless it
    decides which rows are on a page.
    """
    match = request.resolver_match
    keys = PUBLIC_PAGES.get(match.view_name) if match else None
    if keys is None:
        return ""
    kept = [
        (key, value)
        for key, values in sorted(request.GET.lists())
        if key in keys
        for value in values
        if value and (key, value) != ("page", "1")
    ]
    if not any(key == "page" for key, _ in kept):
        kept = [pair for pair in kept if pair[0] != "sort"]
    return absolute(request.path) + (f"?{urlencode(kept)}" if kept else "")
