"""The trajectory viewer: the notebook, pages of long outputs, search, downloads."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet, prefetch_related_objects
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.text import Truncator
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard.attempts import selectors
from leaderboard.attempts.comparison import compare_attempts, why_not_comparable
from leaderboard.attempts.files import file_response
from leaderboard.attempts.fragments import attempt_html
from leaderboard.attempts.tombstones import with_tombstone
from leaderboard.attempts.withheld import LARGE_FIELDS
from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.core.numbers import page_number, row_number
from leaderboard.core.permissions import can_operate, readable_files, sees_as_draft, visible_attempts
from leaderboard.domain.scores import Metric
from leaderboard.models import Attempt

FIND_MAX_LENGTH = 200
ANSWER_MAX_LENGTH = 20_000
"""Characters of an answer that the page shows; the original file has the whole answer."""


@require_safe
@with_tombstone
def attempt(request: HttpRequest, pk: int) -> HttpResponse:
    """A trajectory with its landmarks; with ``?vs=``, two side by side. At most eight queries."""
    if "vs" in request.GET:
        return _side_by_side(request, pk)
    operator = can_operate(request.user)
    attempts = _attempts(request).select_related("suspicions__decided_by") if operator else _attempts(request)
    shown = get_object_or_404(attempts, pk=pk)
    draft = sees_as_draft(request.user, shown.entry)
    context: dict[str, Any] = {
        "attempt": shown,
        "task_sets": all_task_sets(),
        "task_set": shown.entry.task_set,
        "metrics": list(Metric),
        "as_draft": draft,
        "score_rows": selectors.score_rows(shown, draft=draft),
        "answer": Truncator(shown.answer).chars(ANSWER_MAX_LENGTH),
        "others": selectors.other_attempts(shown),
        "suspicions": getattr(shown, "suspicions", None) if operator else None,
        "files": {file.kind: file for file in readable_files(request.user, shown).filter(step=0)},
        "landmarks": selectors.landmark_results(shown, draft=draft),
        "steps": shown.steps.defer("thought", "action", "observation"),
        "html": attempt_html(shown.html, shown.pk),
    }
    return render(request, "attempts/attempt.html", context)


def _side_by_side(request: HttpRequest, pk: int) -> HttpResponse:
    """Two attempts at one task, aligned; others to choose from where ``?vs=`` names none that can be."""
    keys = {pk, row_number(request.GET, "vs")} if request.GET["vs"] else {pk}
    found = _attempts(request).defer(*LARGE_FIELDS).in_bulk(keys)
    if len(found) < len(keys):
        raise Http404("There is no such attempt, or none that you may see.")
    shown = found.pop(pk)
    other = next(iter(found.values()), shown if request.GET["vs"] else None)
    why_not = why_not_comparable(shown, other) if other else ""
    page = page_number(request.GET)
    context: dict[str, Any] = {
        "task_sets": all_task_sets(),
        "task_set": shown.entry.task_set,
        "attempt": shown,
        "why_not": why_not,
        "metrics": list(Metric),
        "landmark_numbers": range(1, len(shown.task.landmarks) + 1),
    }
    if other is None or why_not:
        context["choices"] = selectors.list_attempts(selectors.attempts_at(shown.task).exclude(pk=pk), page)
        return render(request, "attempts/choose.html", context, status=400 if why_not else 200)
    context["other"] = other
    prefetch_related_objects((shown, other), "scores", "landmark_outcomes")
    context["sides"] = [
        selectors.scored_attempt(each, draft=sees_as_draft(request.user, each.entry))
        for each in (shown, other)
    ]
    context["comparison"] = compare_attempts(shown, other, page)
    return render(request, "attempts/side_by_side.html", context)


@require_safe
@vary_on_headers("HX-Request")
@with_tombstone
def output(request: HttpRequest, pk: int, step: int, part: str, number: int) -> HttpResponse:
    """One page of a long output."""
    shown = get_object_or_404(_attempts(request).defer(*LARGE_FIELDS), pk=pk)
    pages = shown.pages.filter(step=step, part=part)
    page = get_object_or_404(pages, number=number)
    context = {
        "task_sets": all_task_sets(),
        "attempt": shown,
        "task_set": shown.entry.task_set,
        "page": page,
        "pages": pages.count(),
        "previous": page.number - 1,
        "next": page.number + 1,
        "html": attempt_html(page.html, shown.pk),
    }
    template = "attempts/output.html" + ("#page" if request.htmx else "")  # type: ignore[attr-defined]
    return render(request, template, context)


@require_safe
@vary_on_headers("HX-Request")
@with_tombstone
def find(request: HttpRequest, pk: int) -> HttpResponse:
    """Search results for ``?q=`` in a trajectory."""
    shown = get_object_or_404(_attempts(request).defer(*LARGE_FIELDS), pk=pk)
    text = request.GET.get("q", "")[:FIND_MAX_LENGTH]
    context = {
        "task_sets": all_task_sets(),
        "attempt": shown,
        "task_set": shown.entry.task_set,
        "text": text,
        "matches": selectors.find_text(shown, text),
    }
    template = "attempts/find.html" + ("#matches" if request.htmx else "")  # type: ignore[attr-defined]
    return render(request, template, context)


@require_safe
@with_tombstone
def download(request: HttpRequest, pk: int, kind: str, step: int = 0) -> FileResponse:
    """The original file byte for byte, the notebook or HTML page made from it, or a step's whole output."""
    shown = get_object_or_404(_attempts(request).defer(*LARGE_FIELDS), pk=pk)
    return file_response(get_object_or_404(readable_files(request.user, shown), kind=kind, step=step))


def _attempts(request: HttpRequest) -> QuerySet[Attempt]:
    related = ("entry__agent", "entry__task_set__benchmark", "task")
    return visible_attempts(request.user).select_related(*related)
