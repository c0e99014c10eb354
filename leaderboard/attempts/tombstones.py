"""Addresses that no longer show an entry: it was withdrawn or hidden, or was a draft there."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.core.permissions import readable_entries, visible_entries
from leaderboard.models import Attempt, Entry

View = Callable[..., HttpResponseBase]


def with_tombstone(view: View) -> View:
    """Turn a view's 404 into a 410 with the reason if the entry was withdrawn or hidden.

    The slug that an entry had as a draft leads to its present one. For views of an entry by ``slug``, or of
    an attempt by ``pk``.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
        try:
            return view(request, **arguments)
        except Http404:
            if moved := _moved(request, **arguments):
                return moved
            entry = _withdrawn_or_hidden(request, **arguments)
            if entry is None:
                raise
            context = {"task_sets": all_task_sets(), "task_set": entry.task_set, "entry": entry}
            return render(request, "attempts/gone.html", context, status=410)

    return wrapped


def _moved(request: HttpRequest, *, slug: str = "", **_: Any) -> HttpResponseBase | None:
    former = visible_entries(request.user).filter(draft_slug=slug).first() if slug else None
    if former is None or request.resolver_match is None:
        return None
    address = reverse(request.resolver_match.view_name, args=(former.slug,))
    query = request.META.get("QUERY_STRING")
    return redirect(f"{address}?{query}" if query else address)


def _withdrawn_or_hidden(request: HttpRequest, *, slug: str = "", pk: int = 0, **_: Any) -> Entry | None:
    user = request.user
    not_visible = readable_entries(user).exclude(pk__in=visible_entries(user).values("pk"))
    # Through `Attempt`'s own key: Django matches nothing, and does not fail, on a number too large for it.
    wanted = Q(slug=slug) if slug else Q(pk__in=Attempt.objects.filter(pk=pk).values("entry"))
    return not_visible.filter(wanted).select_related("agent", "task_set__benchmark", "team").first()
