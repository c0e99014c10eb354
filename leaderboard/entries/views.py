"""An entry's page, its versions, and what its owners and operators do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from leaderboard.attempts.selectors import list_attempts
from leaderboard.attempts.tombstones import says_what_is_gone
from leaderboard.catalogue.selectors import all_task_sets, set_categories
from leaderboard.core.figures import SCORER_ORDER
from leaderboard.core.numbers import page_number
from leaderboard.core.permissions import can_edit_entry, can_operate, check_can_act_on_entry, visible_entries
from leaderboard.domain.errors import InputError
from leaderboard.domain.scores import Metric
from leaderboard.entries.editing import edit_entry, unverify_entry, verify_entry
from leaderboard.entries.forms import EntryForm
from leaderboard.entries.selectors import (
    acknowledgements,
    badges,
    compare_versions,
    entry_figures,
    line_of,
    on_board,
    rank_preview,
    run_environment,
    shown_links,
    shown_notes,
    unfinished_jobs,
    version_before,
)
from leaderboard.entries.services import discard_draft, hide_entry, publish_entry, show_entry, withdraw_entry
from leaderboard.models import Entry, TaskSet

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@require_safe
@says_what_is_gone
def entry(request: HttpRequest, slug: str) -> HttpResponse:
    """Scores, categories, and every attempt of an entry; ``?category=`` leaves only that category's tasks."""
    shown = get_object_or_404(_entries(request), slug=slug)
    made_here = hasattr(shown, "run")
    categories = set_categories(shown.task_set)
    wanted = next((c for c in categories if c.slug == request.GET.get("category")), None)
    attempts = shown.attempts.select_related("task").prefetch_related("task__categories")
    if wanted:
        attempts = attempts.filter(task__categories=wanted)
    figures = entry_figures(shown, categories)
    context = {
        **_frame(shown),
        **_standing(request, shown),
        "categories": categories,
        "category": wanted,
        "scorers": SCORER_ORDER,
        "figures": figures,
        "badges": badges(shown, figures),
        "links": shown_links(shown),
        "notes": shown_notes(shown),
        "environment": run_environment(shown) if made_here else [],
        "unfinished": unfinished_jobs(shown) if made_here else (0, 0),
        "attempts": list_attempts(attempts, page_number(request.GET)),
    }
    return render(request, "entries/entry.html", context)


@require_safe
@says_what_is_gone
def versions(request: HttpRequest, slug: str) -> HttpResponse:
    """An entry's versions, and what it changes against the one before or that of ``?from=``."""
    shown = get_object_or_404(_entries(request), slug=slug)
    line = _readable_versions(request, shown)
    before = next((each for each in line if each.slug == request.GET.get("from")), version_before(shown))
    if before is not None and before not in line:
        before = None
    context = {
        **_frame(shown),
        "versions": line,
        "before": before,
        "metrics": list(Metric),
        "comparison": compare_versions(shown, before) if before and before != shown else None,
        "all_tasks": "all" in request.GET,
    }
    return render(request, "entries/versions.html", context)


@login_required
@says_what_is_gone
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """What an entry's owners say of it, in a form."""
    shown = get_object_or_404(_entries(request), slug=slug)
    check_can_act_on_entry(request.user, shown, "edit")
    form = EntryForm(request.POST or None, entry=shown)
    if request.method == "POST" and form.is_valid():
        try:
            return redirect(edit_entry(shown, user=_user(request), **form.changes()))
        except InputError as error:
            form.add_error(None, str(error))
    return render(request, "entries/edit_entry.html", {**_frame(shown), "form": form})


@require_POST
@login_required
@says_what_is_gone
def act(request: HttpRequest, slug: str) -> HttpResponse:
    """Publish, withdraw, discard, verify, hide or show an entry, as ``action`` says."""
    shown = get_object_or_404(_entries(request), slug=slug)
    action = request.POST.get("action", "")
    check_can_act_on_entry(request.user, shown, action)
    user, said = _user(request), request.POST.get("reason", "")
    try:
        match action:
            case "publish":
                given = {name: name in request.POST for name in ("leaving_out", "secrets_acknowledged")}
                publish_entry(shown, user=user, **given)
            case "discard":
                discard_draft(shown, user=user)
                return redirect(shown.task_set)
            case "withdraw":
                withdraw_entry(shown, user=user, reason=said)
            case "verify":
                verify_entry(shown, user=user, how=said)
            case "unverify":
                unverify_entry(shown, user=user)
            case "hide":
                hide_entry(shown, user=user, reason=said)
            case "show":
                show_entry(shown, user=user)
            case _:
                messages.error(request, "This is nothing that can be done with an entry.")
    except InputError as error:
        messages.error(request, str(error))
    return redirect(shown)


def _entries(request: HttpRequest) -> QuerySet[Entry]:
    related = ("agent", "task_set__benchmark", "run", "team", "verified_by", "next")
    return visible_entries(request.user).select_related(*related)


def _frame(entry: Entry) -> dict[str, Any]:
    task_sets = all_task_sets()
    task_set: TaskSet = next(each for each in task_sets if each.pk == entry.task_set_id)
    return {"task_sets": task_sets, "task_set": task_set, "entry": entry}


def _standing(request: HttpRequest, entry: Entry) -> dict[str, Any]:
    """Where an entry stands, and what whoever looks at it may do about that."""
    mine = can_edit_entry(request.user, entry)
    waits = entry.is_draft and mine and not hasattr(entry, "run")
    line = line_of(entry) if entry.previous_id or hasattr(entry, "next") else [entry]
    return {
        "mine": mine,
        "operator": can_operate(request.user),
        "versions": len(line),
        "current": on_board(line),
        "preview": rank_preview(entry) if waits else None,
        "asked": acknowledgements(entry) if waits else None,
    }


def _readable_versions(request: HttpRequest, entry: Entry) -> list[Entry]:
    """The versions in an entry's line, a draft's own last, as far as they may be compared."""
    before = version_before(entry) if entry.is_draft else None
    line = [*(line_of(before) if before else []), entry] if entry.is_draft else line_of(entry)
    visible = visible_entries(request.user).filter(pk__in=[each.pk for each in line])
    seen = set(visible.values_list("pk", flat=True))
    return [each for each in line if each.pk in seen]


def _user(request: HttpRequest) -> User:
    """Who asks: nobody who is not signed in gets here."""
    return cast("User", request.user)
