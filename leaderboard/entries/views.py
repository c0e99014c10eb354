"""An entry's page, its versions, and the actions of its owners and of operators."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from leaderboard.attempts.tombstones import with_tombstone
from leaderboard.attempts.totals import shown_totals
from leaderboard.catalogue.selectors import all_task_sets, pick_task_set, set_categories
from leaderboard.core.figures import scorers_of
from leaderboard.core.form_errors import add_refusal
from leaderboard.core.kept_pages import kept_ready, unless_draft
from leaderboard.core.labels import scorer_labels
from leaderboard.core.permissions import (
    SignedInRequest,
    can_edit_entry,
    can_operate,
    check_can_act_on_entry,
    sees_as_draft,
    visible_entries,
)
from leaderboard.domain.entries import OPEN
from leaderboard.domain.errors import InputError
from leaderboard.domain.withheld import FEWEST_TASKS
from leaderboard.entries import selectors
from leaderboard.entries.archives import archive_context, archive_page
from leaderboard.entries.attempts_list import attempt_headings, read_attempts
from leaderboard.entries.editing import accept_entry, edit_entry, unaccept_entry
from leaderboard.entries.forms import AttemptsForm, EntryForm
from leaderboard.entries.pictures import entry_picture
from leaderboard.entries.services import discard_draft, hide_entry, publish_entry, show_entry, withdraw_entry
from leaderboard.entries.sharing import badge_markdown, badge_svg, citation, new_entries
from leaderboard.models import Entry, TaskSet


@require_safe
@kept_ready
@with_tombstone
def entry(request: HttpRequest, slug: str) -> HttpResponse:
    """Scores, categories and attempts of an entry; `AttemptsForm` says which of these, in which order."""
    shown = get_object_or_404(_entries(request), slug=slug)
    run_here = hasattr(shown, "run")
    categories = set_categories(shown.task_set)
    scoring = shown.task_set.scoring
    form = AttemptsForm(request.GET, scoring=scoring, categories=categories)
    query = form.attempts_query()
    draft = sees_as_draft(request.user, shown)
    labels = scorer_labels(scoring)
    figures = selectors.entry_figures(shown, categories, draft=draft)
    totals, listed = shown_totals(shown.attempts.all(), scoring), read_attempts(shown, query, draft=draft)
    # Scores alone have no files, whose sizes are asked for then.
    has_files = bool(totals) or any(each.attempt.format for each in listed.page.items)
    context = {
        **_page_context(shown),
        **_owner_context(request, shown),
        "categories": categories,
        "scorers": [labels[scorer] for scorer in scorers_of(scoring)],
        "figures": figures,
        "badges": selectors.badges(shown, figures),
        "badge_markdown": badge_markdown(shown),
        "citation": citation(shown),
        "links": selectors.shown_links(shown),
        "notes": selectors.shown_notes(shown),
        "environment": selectors.run_environment(shown) if run_here else [],
        "unfinished": selectors.unfinished_jobs(shown) if run_here else (0, 0),
        "totals": totals,
        "form": form,
        "headings": attempt_headings(scoring, query.sort, request.GET),
        "listed": listed,
        "as_draft": draft,
        "fewest_tasks": FEWEST_TASKS,
        **archive_context([shown] if has_files else []),
    }
    return unless_draft(render(request, "entries/entry.html", context), shown)


@require_safe
@kept_ready
@with_tombstone
def versions(request: HttpRequest, slug: str) -> HttpResponse:
    """An entry's versions, and how it differs from the previous one or that of ``?from=``."""
    shown = get_object_or_404(_entries(request), slug=slug)
    readable = _readable_versions(request, shown)
    chosen = (each for each in readable if each.slug == request.GET.get("from"))
    before = next(chosen, selectors.previous_version(shown))
    if before is not None and before not in readable:
        before = None
    draft = sees_as_draft(request.user, shown)
    context = {
        **_page_context(shown),
        "versions": readable,
        "before": before,
        "comparison": selectors.compare_versions(shown, before, draft=draft)
        if before and before != shown
        else None,
        "as_draft": draft,
        "all_tasks": "all" in request.GET,
    }
    return unless_draft(render(request, "entries/versions.html", context), *readable)


@require_safe
@kept_ready
@with_tombstone
def badge(request: HttpRequest, slug: str) -> HttpResponse:
    """An entry's badge, for the README of who made the agent."""
    shown = get_object_or_404(_entries(request), slug=slug)
    return unless_draft(HttpResponse(badge_svg(shown), content_type="image/svg+xml"), shown)


@require_safe
@kept_ready
@with_tombstone
def picture(request: HttpRequest, slug: str) -> HttpResponse:
    """An entry's figures as a picture; there is none of an entry that not everybody may read."""
    shown = get_object_or_404(_entries(request).filter(state__in=OPEN), slug=slug)
    return HttpResponse(entry_picture(shown), content_type="image/png")


@require_safe
@with_tombstone
def archive(request: HttpRequest, slug: str) -> HttpResponseBase:
    """All attempts of an entry as one archive."""
    shown = get_object_or_404(_entries(request), slug=slug)
    return archive_page(request, [shown], name=f"{shown.slug}-attempts")


@require_safe
@kept_ready
def feed(request: HttpRequest, benchmark: str = "", task_set: str = "") -> HttpResponse:
    """The newest entries of a board, or of all, as an Atom feed."""
    shown = pick_task_set(all_task_sets(), benchmark, task_set) if benchmark else None
    text = new_entries(shown, request.path).writeString("utf-8")
    return HttpResponse(text, content_type="application/atom+xml; charset=utf-8")


@login_required
@with_tombstone
def edit(request: SignedInRequest, slug: str) -> HttpResponse:
    """The form for an entry's texts."""
    shown = get_object_or_404(_entries(request), slug=slug)
    check_can_act_on_entry(request.user, shown, "edit")
    form = EntryForm(request.POST or None, entry=shown)
    if request.method == "POST" and form.is_valid():
        try:
            return redirect(edit_entry(shown, user=request.user, **form.changes()))
        except InputError as error:
            add_refusal(form, error, {"scaffold": "name"})
    return render(request, "entries/edit_entry.html", {**_page_context(shown), "form": form})


@require_POST
@login_required
@with_tombstone
def act(request: SignedInRequest, slug: str) -> HttpResponse:
    """Publish, withdraw, discard, accept, hide or show an entry, as ``action`` says."""
    shown = get_object_or_404(_entries(request), slug=slug)
    action = request.POST.get("action", "")
    check_can_act_on_entry(request.user, shown, action)
    user, reason = request.user, request.POST.get("reason", "")
    try:
        match action:
            case "publish":
                given = {name: name in request.POST for name in ("leaving_out", "secrets_acknowledged")}
                publish_entry(shown, user=user, replaces=request.POST.get("replaces", ""), **given)
            case "discard":
                discard_draft(shown, user=user)
                return redirect(shown.task_set)
            case "withdraw":
                withdraw_entry(shown, user=user, reason=reason)
            case "accept":
                accept_entry(shown, user=user, why=reason)
            case "unaccept":
                unaccept_entry(shown, user=user)
            case "hide":
                hide_entry(shown, user=user, reason=reason)
            case "show":
                show_entry(shown, user=user)
            case _:
                messages.error(request, "An entry has no such action.")
    except InputError as error:
        messages.error(request, str(error))
    return redirect(shown)


def _entries(request: HttpRequest) -> QuerySet[Entry]:
    related = ("agent", "task_set__benchmark", "run", "team", "accepted_by", "next")
    return visible_entries(request.user).select_related(*related)


def _page_context(entry: Entry) -> dict[str, Any]:
    task_sets = all_task_sets()
    task_set: TaskSet = next(each for each in task_sets if each.pk == entry.task_set_id)
    return {"task_sets": task_sets, "task_set": task_set, "entry": entry}


def _owner_context(request: HttpRequest, entry: Entry) -> dict[str, Any]:
    """An entry's versions, and what the user may do with it."""
    can_edit = can_edit_entry(request.user, entry)
    draft = sees_as_draft(request.user, entry)
    can_publish = entry.is_draft and can_edit and not hasattr(entry, "run")
    operator = can_operate(request.user)
    history = selectors.version_history(entry) if entry.previous_id or hasattr(entry, "next") else [entry]
    return {
        "can_edit": can_edit,
        "operator": operator,
        "suspected": selectors.suspected_attempts(entry) if operator else 0,
        "versions": len(history),
        "current": selectors.published_version(history),
        "preview": selectors.rank_preview(entry, draft=draft) if can_publish else None,
        "bare": entry.attempts.filter(has_trajectory=False).count() if can_publish else 0,
        "acknowledgements": selectors.acknowledgements(entry) if can_publish else None,
    }


def _readable_versions(request: HttpRequest, entry: Entry) -> list[Entry]:
    """The versions of an entry that the user may see, the oldest first; a draft itself comes last."""
    if entry.is_draft:
        before = selectors.previous_version(entry)
        versions = [*(selectors.version_history(before) if before else ()), entry]
    else:
        versions = selectors.version_history(entry)
    visible = visible_entries(request.user).filter(pk__in=[each.pk for each in versions])
    keys = set(visible.values_list("pk", flat=True))
    return [each for each in versions if each.pk in keys]
