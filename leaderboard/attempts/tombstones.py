"""Addresses of what was withdrawn or hidden: they stay, and say what became of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.core.permissions import readable_entries, visible_entries
from leaderboard.models import Attempt, Entry

View = Callable[..., HttpResponseBase]


def says_what_is_gone(view: View) -> View:
    """Answer 410 with a tombstone where a 404 is for want of an entry that was taken away.

    For views of an entry by ``slug``, or of an attempt by ``pk``.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
        try:
            return view(request, **arguments)
        except Http404:
            entry = _gone(request, **arguments)
            if entry is None:
                raise
            return tombstone(request, entry)

    return wrapped


def tombstone(request: HttpRequest, entry: Entry) -> HttpResponse:
    """Who took the entry away, when, and why."""
    context = {"task_sets": all_task_sets(), "task_set": entry.task_set, "entry": entry}
    return render(request, "attempts/gone.html", context, status=410)


def _gone(request: HttpRequest, *, slug: str = "", pk: int = 0, **_: Any) -> Entry | None:
    user = request.user
    unseen = readable_entries(user).exclude(pk__in=visible_entries(user).values("pk"))
    # By the attempt's own key: only that knows what to do with a number larger than any column's.
    wanted = Q(slug=slug) if slug else Q(pk__in=Attempt.objects.filter(pk=pk).values("entry"))
    return unseen.filter(wanted).select_related("agent", "task_set__benchmark", "team").first()
