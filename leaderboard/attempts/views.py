"""The trajectory viewer: the notebook, pages of long outputs, search, downloads."""

from __future__ import annotations

import re
from typing import Any

from django.db.models import Q, QuerySet, prefetch_related_objects
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard.attempts import selectors, texts
from leaderboard.attempts.comparison import compare_attempts, why_not_comparable
from leaderboard.attempts.downloads import download_facts, download_response, media_response
from leaderboard.attempts.fragments import attempt_html
from leaderboard.attempts.tombstones import with_tombstone
from leaderboard.attempts.withheld import LARGE_FIELDS, shown_scores
from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.core.endpoints.caching import not_modified
from leaderboard.core.figures import Cell
from leaderboard.core.kept_pages import kept_ready, unless_draft
from leaderboard.core.numbers import page_number, row_number
from leaderboard.core.permissions import can_operate, readable_files, sees_as_draft, visible_attempts
from leaderboard.domain.scores import REPORTED
from leaderboard.models import Attempt, AttemptFile
from leaderboard.rendering.answers import shown_answer, shown_patch
from leaderboard.rendering.matches import PARTS
from leaderboard.rendering.repeats import stretches
from leaderboard.rendering.strip import time_strip
from leaderboard.scoring.usage import amounts_used

LINE_NUMBER = re.compile(r"[0-9]{1,9}")
FIND_MAX_LENGTH = 200
PROMPT_MAX_LENGTH = 50_000
"""Characters of a prompt that the page shows; the original file has all of them."""


@require_safe
@kept_ready
@with_tombstone
def attempt(request: HttpRequest, pk: int) -> HttpResponse:
    """A trajectory with its landmarks; with ``?vs=``, two side by side. At most eight queries."""
    if "vs" in request.GET:
        return _side_by_side(request, pk)
    operator = can_operate(request.user)
    attempts = _attempts(request).select_related("suspicions__decided_by") if operator else _attempts(request)
    shown = get_object_or_404(attempts.prefetch_related("scores", "landmark_outcomes"), pk=pk)
    draft = sees_as_draft(request.user, shown.entry)
    rows = selectors.score_rows(shown, draft=draft)
    counting = selectors.counting_scores(shown, draft=draft)
    steps = list(shown.steps.defer("thought", "action", "observation"))
    context: dict[str, Any] = {
        "attempt": shown,
        "task_sets": all_task_sets(),
        "task_set": shown.entry.task_set,
        "as_draft": draft,
        "score_rows": rows,
        "reported": any(row.scorer == REPORTED for row in rows),
        "score_table": list(zip(*(row.scores for row in rows), strict=True)),
        "used": amounts_used(shown, shown.task.scoring.usage),
        "counting": [
            Cell(metric, counting[metric.key])
            for metric in shown.task.scoring.scored
            if metric.key in counting
        ],
        "diagnosis": selectors.shown_diagnosis(shown, shown_scores(shown, draft=draft)),
        "strip": time_strip(steps),
        "answer": shown_answer(shown.answer) if shown.answer else None,
        "patch": shown_patch(shown.patch) if shown.patch else None,
        "prompt": shown.prompt[:PROMPT_MAX_LENGTH],
        "others": selectors.other_attempts(shown),
        "suspicions": getattr(shown, "suspicions", None) if operator else None,
        "files": {file.kind: file for file in readable_files(request.user, shown).filter(step=0)},
        "landmarks": selectors.landmark_results(shown, draft=draft),
        "parts": PARTS,
        "steps": steps,
        "outline": list(stretches(steps)),
        "html": attempt_html(shown.html, shown.pk),
    }
    return unless_draft(render(request, "attempts/attempt.html", context), shown.entry)


def _side_by_side(request: HttpRequest, pk: int) -> HttpResponse:
    """Two attempts at one task, aligned; others to choose from where ``?vs=`` names none that can be."""
    wanted = row_number(request.GET, "vs") if request.GET["vs"] else pk
    # Not `in_bulk`: a number in an address may be too large for a query with a list.
    two = _attempts(request).defer(*LARGE_FIELDS).filter(Q(pk=pk) | Q(pk=wanted))
    found = {each.pk: each for each in two}
    if len(found) < len({pk, wanted}):
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
        "metrics": shown.task.scoring.scored,
        "landmark_numbers": range(1, len(shown.task.landmarks) + 1),
    }
    if other is None or why_not:
        others = selectors.attempts_at(shown.task).exclude(pk=pk)
        context["choices"] = selectors.list_attempts(others, shown.entry.task_set, page)
        response = render(request, "attempts/choose.html", context, status=400 if why_not else 200)
        return unless_draft(response, shown.entry)
    context["other"] = other
    prefetch_related_objects((shown, other), "scores", "landmark_outcomes")
    context["sides"] = [
        selectors.scored_attempt(each, draft=sees_as_draft(request.user, each.entry))
        for each in (shown, other)
    ]
    context["comparison"] = compare_attempts(shown, other, page)
    return unless_draft(render(request, "attempts/side_by_side.html", context), shown.entry, other.entry)


@require_safe
@kept_ready
@vary_on_headers("HX-Request")
@with_tombstone
def output(request: HttpRequest, pk: int, step: int, part: str, number: int) -> HttpResponse:
    """One page of a text, with an address for each line."""
    shown = get_object_or_404(_attempts(request).defer(*LARGE_FIELDS), pk=pk)
    page = texts.read_page(shown, step, part, number)
    if page is None:
        raise Http404("There is no such page.")
    context = {
        "task_sets": all_task_sets(),
        "attempt": shown,
        "task_set": shown.entry.task_set,
        "page": page,
        "previous": page.number - 1,
        "next": page.number + 1,
        "html": attempt_html(page.html, shown.pk),
    }
    template = "attempts/output.html" + ("#page" if request.htmx else "")  # type: ignore[attr-defined]
    return unless_draft(render(request, template, context), shown.entry)


@require_safe
@with_tombstone
def line(request: HttpRequest, pk: int, step: int, part: str) -> HttpResponse:
    """Lead to the page that has the line ``?line=`` of a text, and to the line on it."""
    shown = get_object_or_404(_attempts(request).defer(*LARGE_FIELDS), pk=pk)
    number = request.GET.get("line", "")
    found = texts.page_of_line(shown, step, part, int(number)) if LINE_NUMBER.fullmatch(number) else None
    if found is None:
        raise Http404("There is no such line.")
    page, anchor = found
    return redirect(f"{reverse('output', args=(pk, step, part, page))}#{anchor}")


@require_safe
@with_tombstone
def text(request: HttpRequest, pk: int, step: int, part: str) -> HttpResponse:
    """The whole text of a part of a step as shown, to be copied."""
    shown = get_object_or_404(_attempts(request).defer(*LARGE_FIELDS), pk=pk)
    return _plain_text(texts.read_text(shown, step, part))


@require_safe
@with_tombstone
def step_markdown(request: HttpRequest, pk: int, step: int) -> HttpResponse:
    """A step as Markdown, to be copied."""
    shown = get_object_or_404(_attempts(request).defer(*LARGE_FIELDS), pk=pk)
    return _plain_text(texts.read_markdown(shown, step))


@require_safe
@vary_on_headers("HX-Request")
@with_tombstone
def find(request: HttpRequest, pk: int) -> HttpResponse:
    """Search results for ``?q=`` in a trajectory."""
    shown = get_object_or_404(_attempts(request).defer(*LARGE_FIELDS), pk=pk)
    wanted = request.GET.get("q", "")[:FIND_MAX_LENGTH]
    part = request.GET.get("in", "")
    context = {
        "task_sets": all_task_sets(),
        "attempt": shown,
        "task_set": shown.entry.task_set,
        "text": wanted,
        "part": part,
        "parts": PARTS,
        "matches": selectors.find_text(shown, wanted, part),
    }
    template = "attempts/find.html" + ("#matches" if request.htmx else "")  # type: ignore[attr-defined]
    return render(request, template, context)


@require_safe
@with_tombstone
def download(request: HttpRequest, pk: int, kind: str, step: int = 0) -> FileResponse:
    """The original file byte for byte, the notebook or HTML page made from it, or a step's whole output."""
    shown = get_object_or_404(_attempts(request).defer(*LARGE_FIELDS), pk=pk)
    file = get_object_or_404(readable_files(request.user, shown), kind=kind, step=step)
    file.attempt = shown
    facts = download_facts(file, draft=sees_as_draft(request.user, shown.entry))
    return download_response(file, facts)


@require_safe
@with_tombstone
def media(request: HttpRequest, pk: int, step: int, number: int) -> HttpResponseBase:
    """An output of a step that is no text: an image, or a file to download."""
    shown = get_object_or_404(_attempts(request).defer(*LARGE_FIELDS), pk=pk)
    files = readable_files(request.user, shown).filter(kind=AttemptFile.Kind.MEDIA)
    file = get_object_or_404(files, step=step, number=number)
    file.attempt = shown
    # A page with many images is opened again and again.
    tag = f'"{file.blob}"'
    if answer := not_modified(request, tag):
        return answer
    response = media_response(file)
    response["ETag"] = tag
    return response


def _plain_text(content: str) -> HttpResponse:
    if not content:
        raise Http404("There is no such text.")
    return HttpResponse(content, content_type="text/plain; charset=utf-8")


def _attempts(request: HttpRequest) -> QuerySet[Attempt]:
    related = ("entry__agent", "entry__task_set__benchmark", "task__task_set__benchmark")
    return visible_attempts(request.user).select_related(*related)
