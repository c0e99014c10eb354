"""The operators' pages: what waits for them, and the audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.core.numbers import page_number, row_number
from leaderboard.core.permissions import check_can_operate
from leaderboard.domain.errors import InputError
from leaderboard.domain.text import plural
from leaderboard.entries.names import merge_agents
from leaderboard.models import Agent, Entry, TaskSet
from leaderboard.operating.rescoring import request_preview, request_rescore
from leaderboard.operating.selectors import read_events, read_queue

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@require_safe
@login_required
def queue(request: HttpRequest) -> HttpResponse:
    """Entries to verify, stale scores, hidden entries, names that may be one."""
    check_can_operate(request.user)
    context = {"task_sets": all_task_sets(), "queue": read_queue()}
    return render(request, "operating/operate.html", context)


@require_safe
@login_required
def audit(request: HttpRequest) -> HttpResponse:
    """Who did what, the latest first; ``?entry=`` leaves one entry's events."""
    check_can_operate(request.user)
    slug = request.GET.get("entry", "")
    entry = get_object_or_404(Entry.objects.select_related("agent", "task_set"), slug=slug) if slug else None
    context = {
        "task_sets": all_task_sets(),
        "entry": entry,
        "events": read_events(page_number(request.GET), entry=entry),
    }
    return render(request, "operating/audit.html", context)


@require_POST
@login_required
def rescore(request: HttpRequest) -> HttpResponse:
    """Have the stale scores of a task set looked at (``action=preview``) or computed anew."""
    check_can_operate(request.user)
    task_set = get_object_or_404(TaskSet, pk=row_number(request.POST, "task_set"))
    if request.POST.get("action") == "preview":
        request_preview(task_set, user=_user(request))
        said = "A worker looks which ranks would change; load this page again to see it."
    else:
        n = request_rescore(task_set, user=_user(request))
        said = plural(n, "{n} attempt is handed to the workers.", "{n} attempts are handed to the workers.")
    messages.info(request, said)
    return redirect("operate")


@require_POST
@login_required
def merge(request: HttpRequest) -> HttpResponse:
    """Give the entries of one agent to another."""
    check_can_operate(request.user)
    keep, gone = (get_object_or_404(Agent, pk=row_number(request.POST, name)) for name in ("keep", "merge"))
    try:
        n = merge_agents(keep=keep, merge=gone, user=_user(request))
        messages.info(request, plural(n, "{n} entry has moved.", "{n} entries have moved."))
    except InputError as error:
        messages.error(request, str(error))
    return redirect("operate")


def _user(request: HttpRequest) -> User:
    """Who asks, after `check_can_operate`."""
    return cast("User", request.user)
