"""The trajectory viewer: the notebook, pages of long outputs, search, downloads."""

from __future__ import annotations

import re
from typing import Any

from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.text import Truncator
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard.attempts import selectors, texts
from leaderboard.attempts.files import file_response
from leaderboard.attempts.fragments import attempt_html
from leaderboard.attempts.tombstones import with_tombstone
from leaderboard.attempts.withheld import LARGE_FIELDS
from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.core.permissions import readable_files, sees_as_draft, visible_attempts
from leaderboard.domain.scores import Metric
from leaderboard.models import Attempt
from leaderboard.rendering.repeats import runs

LINE_NUMBER = re.compile(r"[0-9]{1,9}")
FIND_MAX_LENGTH = 200
ANSWER_MAX_LENGTH = 20_000
"""Characters of an answer that the page shows; the original file has the whole answer."""


@require_safe
@with_tombstone
def attempt(request: HttpRequest, pk: int) -> HttpResponse:
    """A trajectory with its landmarks. At most eight queries."""
    shown = get_object_or_404(_attempts(request), pk=pk)
    draft = sees_as_draft(request.user, shown.entry)
    steps = shown.steps.defer("thought", "action", "observation")
    context: dict[str, Any] = {
        "attempt": shown,
        "task_sets": all_task_sets(),
        "task_set": shown.entry.task_set,
        "metrics": list(Metric),
        "as_draft": draft,
        "score_rows": selectors.score_rows(shown, draft=draft),
        "answer": Truncator(shown.answer).chars(ANSWER_MAX_LENGTH),
        "others": selectors.other_attempts(shown),
        "files": {file.kind: file for file in readable_files(request.user, shown).filter(step=0)},
        "landmarks": selectors.landmark_results(shown, draft=draft),
        "parts": selectors.PARTS,
        "steps": steps,
        "outline": list(runs(steps)),
        "html": attempt_html(shown.html, shown.pk),
    }
    return render(request, "attempts/attempt.html", context)


@require_safe
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
    return render(request, template, context)


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
        "parts": selectors.PARTS,
        "matches": selectors.find_text(shown, wanted, part),
    }
    template = "attempts/find.html" + ("#matches" if request.htmx else "")  # type: ignore[attr-defined]
    return render(request, template, context)


@require_safe
@with_tombstone
def download(request: HttpRequest, pk: int, kind: str, step: int = 0) -> FileResponse:
    """The original file byte for byte, the notebook or HTML page made from it, or a step's whole output."""
    shown = get_object_or_404(_attempts(request).defer(*LARGE_FIELDS), pk=pk)
    return file_response(get_object_or_404(readable_files(request.user, shown), kind=kind, step=step))


def _plain_text(content: str) -> HttpResponse:
    if not content:
        raise Http404("There is no such text.")
    return HttpResponse(content, content_type="text/plain; charset=utf-8")


def _attempts(request: HttpRequest) -> QuerySet[Attempt]:
    return visible_attempts(request.user).select_related("entry__agent", "entry__task_set__benchmark", "task")
