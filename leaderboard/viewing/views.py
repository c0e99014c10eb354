"""The pages of `superboard view`; the templates of an attempt are the site's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from itertools import islice
from typing import Any, Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse

from leaderboard.attempts.fragments import attempt_html
from leaderboard.core.numbers import page_number, whole_number
from leaderboard.domain.errors import Problem
from leaderboard.domain.pages import Page
from leaderboard.rendering.answers import shown_answer, shown_patch
from leaderboard.rendering.matches import PARTS
from leaderboard.rendering.repeats import stretches
from leaderboard.rendering.side_by_side import brief, compare_steps
from leaderboard.rendering.strip import time_strip
from leaderboard.scoring.usage import USAGE, amounts_used
from leaderboard.viewing.attempts import Side, Viewed
from leaderboard.viewing.collection import Collection, Row, State
from leaderboard.viewing.listing import FIGURES, TEXT_LENGTH, make_listing
from leaderboard.viewing.sources import passed_over_text

PROMPT_MAX_LENGTH: Final = 50_000
FIRST_SECONDS: Final = 2.0
ONLY_SECONDS: Final = 20.0
"""How long the first page waits for the first attempt, or for the only one, at most."""
MOST_FOUND: Final = 100
PROBLEMS_SHOWN: Final = 100
LINE_NUMBER: Final = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Download:
    """A file to download, of which templates show the size in bytes."""

    size: int | None


MADE_WHEN_ASKED: Final = Download(None)


def collection() -> Collection:
    found: Collection = settings.COLLECTION  # type: ignore[misc]
    return found


def home(request: HttpRequest) -> HttpResponse:
    """The list, or the attempt if there is only one; a part of the page that asks again gets only news."""
    attempts = collection()
    state = attempts.wait(lambda now: bool(now.rows) or not now.waiting, FIRST_SECONDS)
    if state.sources == 1 and not attempts.is_copied and "q" not in request.GET:
        state = attempts.wait(lambda now: not now.waiting, ONLY_SECONDS)
        if len(state.rows) == 1 and not state.problems:
            return redirect(state.rows[0].attempt.get_absolute_url())
    if request.GET.get("seen") == str(state.revision):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    scored = attempts.scoring.decisive if attempts.scoring.scorers else None
    context = {
        "state": state,
        "listing": make_listing(state.rows, request.GET, scored),
        "scored": scored,
        "figures": FIGURES,
        "problems": [str(problem) for problem in state.problems[:PROBLEMS_SHOWN]],
        "passed_over": passed_over_text(state.passed_over),
        "is_copied": attempts.is_copied,
    }
    return render(request, "list.html", context)


def search(request: HttpRequest) -> HttpResponse:
    """Where a text is in all attempts."""
    text = request.GET.get("q", "")[:TEXT_LENGTH]
    found = list(islice(collection().search(text), MOST_FOUND + 1)) if text.strip() else []
    context = {
        "text": text,
        "state": collection().state(),
        "found": found[:MOST_FOUND],
        "more": len(found) > MOST_FOUND,
        "total": sum(matches.total for _row, matches in found[:MOST_FOUND]),
    }
    return render(request, "search.html", context)


def attempt(request: HttpRequest, pk: int) -> HttpResponse:
    """A trajectory with its landmarks; with ``?vs=``, two side by side."""
    if "vs" in request.GET and not collection().is_copied:
        return _side_by_side(request, pk)
    viewed = viewed_or_404(pk)
    shown, rows, steps = viewed.attempt, viewed.score_rows, viewed.steps
    state = collection().state()
    context: dict[str, Any] = {
        "attempt": shown,
        "version": collection().version(pk),
        "score_rows": rows,
        "score_table": list(zip(*(row.scores for row in rows), strict=True)),
        "counting": [cell for cell in rows[0].scores if cell.row] if rows else [],
        "used": amounts_used(shown, USAGE),
        "diagnosis": viewed.diagnosis,
        "strip": time_strip(steps),
        "answer": shown_answer(shown.answer) if shown.answer else None,
        "patch": shown_patch(shown.patch) if shown.patch else None,
        "prompt": shown.prompt[:PROMPT_MAX_LENGTH],
        "files": _files(viewed),
        "landmarks": viewed.landmarks,
        "parts": PARTS,
        "steps": steps,
        "outline": list(stretches(steps)),
        "html": attempt_html(viewed.rendering.html, pk),
        **_neighbours(state, pk),
    }
    return render(request, "attempts/attempt.html", context)


def state(request: HttpRequest, pk: int) -> HttpResponse:
    """Whether an attempt's files have changed since a page of it was made: nothing if they have not."""
    version = collection().version(pk)
    if version == request.GET.get("seen"):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    return render(request, "news.html", {"pk": pk, "is_gone": version is None})


def find(request: HttpRequest, pk: int) -> HttpResponse:
    """Search results for ``?q=`` in a trajectory."""
    viewed = viewed_or_404(pk)
    text, part = request.GET.get("q", "")[:TEXT_LENGTH], request.GET.get("in", "")
    matches = viewed.find(text, part)
    context = {"attempt": viewed.attempt, "text": text, "part": part, "parts": PARTS, "matches": matches}
    return render(request, _template("attempts/find.html", "matches", request), context)


def output(request: HttpRequest, pk: int, step: int, part: str, number: int) -> HttpResponse:
    """One page of a text, with an address for each line."""
    viewed = viewed_or_404(pk)
    page = viewed.read_page(step, part, number)
    if page is None:
        raise Http404("There is no such page.")
    context = {
        "attempt": viewed.attempt,
        "page": page,
        "previous": page.number - 1,
        "next": page.number + 1,
        "html": attempt_html(page.html, pk),
    }
    return render(request, _template("attempts/output.html", "page", request), context)


def line(request: HttpRequest, pk: int, step: int, part: str) -> HttpResponse:
    """Lead to the page that has the line ``?line=`` of a text, and to the line on it."""
    number = request.GET.get("line", "")
    known = LINE_NUMBER.fullmatch(number)
    found = viewed_or_404(pk).page_of_line(step, part, int(number)) if known else None
    if found is None:
        raise Http404("There is no such line.")
    page, anchor = found
    return redirect(f"{reverse('output', args=(pk, step, part, page))}#{anchor}")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    reason = exception.args[0] if exception.args and isinstance(exception.args[0], str) else ""
    return render(request, "404.html", {"exception": reason}, status=HTTPStatus.NOT_FOUND)


def _side_by_side(request: HttpRequest, pk: int) -> HttpResponse:
    """Two attempts, aligned; others to choose from where ``?vs=`` names none."""
    one = viewed_or_404(pk)
    key = whole_number(request.GET.get("vs", ""))
    context: dict[str, Any] = {"attempt": one.attempt}
    if key is None or key == pk:
        if key == pk:
            context["why_not"] = "An attempt is not compared with itself. Choose another one."
        context["choices"] = _choices(one, request.GET)
        return render(request, "attempts/choose.html", context, status=400 if key == pk else 200)
    other = viewed_or_404(key)
    scored = one.scoring.scored if one.scoring.scorers and one.scoring is other.scoring else ()
    mine, theirs = ([brief(step) for step in each.steps] for each in (one, other))
    context |= {
        "other": other.attempt,
        "metrics": scored,
        "landmark_numbers": range(1, len(one.landmarks) + 1),
        "sides": [each.side(scored, len(one.landmarks)) for each in (one, other)],
        "comparison": compare_steps(mine, theirs, page_number(request.GET)),
    }
    return render(request, "attempts/side_by_side.html", context)


def _choices(one: Viewed, query: QueryDict) -> Page[Side]:
    """The other attempts at the same task; all others where there is none."""
    rows = [row for row in collection().state().rows if row.attempt.pk != one.attempt.pk]
    alike = [row for row in rows if row.attempt.task.task_id == one.attempt.task.task_id] or rows
    listing = make_listing(alike, query, None)
    sides = [Side(row.attempt, amounts_used(row.attempt, USAGE)) for row in listing.page.items]
    return Page(sides, listing.page.page, listing.page.more)


def _neighbours(state: State, pk: int) -> dict[str, Row | int | None]:
    """The attempts before and after this one in the list, and how many there are."""
    at = next((n for n, row in enumerate(state.rows) if row.attempt.pk == pk), None)
    known = at is not None
    return {
        "before": state.rows[at - 1] if at else None,
        "after": state.rows[at + 1] if known and at is not None and at + 1 < len(state.rows) else None,
        "attempts": len(state.rows) + len(state.problems),
    }


def _files(viewed: Viewed) -> dict[str, Download]:
    """What can be downloaded."""
    # A copy is given away: what looks like a secret in the original is not.
    withheld = collection().is_copied and viewed.attempt.secrets
    kinds = ["notebook", "html"] if withheld else ["original", "notebook", "html"]
    return dict.fromkeys(kinds, MADE_WHEN_ASKED)


def viewed_or_404(pk: int) -> Viewed:
    """The attempt, rendered; that there is none, or why it can't be read any more, is a page."""
    found = collection().view(pk)
    if isinstance(found, Problem):
        raise Http404(f"This attempt can't be read any more: {found}")
    if found is None:
        raise Http404("There is no such attempt: its file may be gone, or the command was started again.")
    return found


def _template(name: str, partial: str, request: HttpRequest) -> str:
    return f"{name}#{partial}" if request.htmx else name  # type: ignore[attr-defined]
