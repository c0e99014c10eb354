"""Boards, what is shown on them as data, and the tasks of a set."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard import rendering
from leaderboard.domain.scores import Metric
from leaderboard.domain.text import storable
from leaderboard.exports import board_csv, board_json
from leaderboard.forms import BoardForm, page_number
from leaderboard.labels import METRICS
from leaderboard.models import TaskSet
from leaderboard.selectors.attempts import attempts_at, list_attempts
from leaderboard.selectors.board import Board, read_board, sort_keys
from leaderboard.selectors.catalogue import all_task_sets, set_categories, shown_landmarks, tasks_with_results
from leaderboard.views.charts import allow_chart_styles
from leaderboard.views.columns import board_head


@require_safe
@vary_on_headers("HX-Request")
@allow_chart_styles
def board(request: HttpRequest, benchmark: str = "", task_set: str = "") -> HttpResponse:
    """A task set's board; the default one at /."""
    task_sets = all_task_sets()
    if not task_sets:
        return render(request, "leaderboard/empty_site.html", {"task_sets": []})
    shown = _find(task_sets, benchmark, task_set)
    form, read = _read(request, shown)
    context = {
        "task_sets": task_sets,
        "task_set": shown,
        "form": form,
        "board": read,
        "head": board_head(read, request.GET),
        "query_string": request.GET.urlencode(),
    }
    template = "leaderboard/board.html" + ("#table" if request.htmx else "")  # type: ignore[attr-defined]
    return render(request, template, context)


@require_safe
def board_data(request: HttpRequest, benchmark: str, task_set: str, shape: str) -> HttpResponse:
    """What a board shows, as JSON or CSV: the same address with the same query."""
    shown = _find(all_task_sets(), benchmark, task_set)
    form, read = _read(request, shown)
    if form.errors:
        problems = {name: [str(e) for e in errors] for name, errors in form.errors.items()}
        return JsonResponse({"error": "The query can't be understood.", "problems": problems}, status=400)
    if shape == "json":
        return JsonResponse(board_json(read), json_dumps_params={"indent": 2})
    response = HttpResponse(board_csv(read), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{benchmark}-{task_set}.csv"'
    return response


@require_safe
def board_charts(request: HttpRequest, benchmark: str, task_set: str) -> JsonResponse:
    """The charts of what a board shows, as plotly figures; colours are names of the page's own properties."""
    _form, read = _read(request, _find(all_task_sets(), benchmark, task_set))
    accuracy, landmarks = str(METRICS["accuracy"]), str(METRICS["landmarks"])
    return JsonResponse(
        {
            "scatter": rendering.accuracy_against_landmarks(
                _points(read), accuracy=accuracy, landmarks=landmarks
            ),
            "categories": rendering.accuracy_by_category(_bars(read), accuracy=accuracy),
        }
    )


@require_safe
def tasks(request: HttpRequest, benchmark: str, task_set: str) -> HttpResponse:
    """Every task of a set."""
    task_sets = all_task_sets()
    shown = _find(task_sets, benchmark, task_set)
    context = {
        "task_sets": task_sets,
        "task_set": shown,
        "categories": set_categories(shown),
        "tasks": tasks_with_results(shown),
    }
    return render(request, "leaderboard/tasks.html", context)


@require_safe
def task(request: HttpRequest, benchmark: str, task_set: str, task_id: str) -> HttpResponse:
    """One task: every attempt at it, landmark by landmark."""
    task_sets = all_task_sets()
    shown = _find(task_sets, benchmark, task_set)
    # As it could be stored: PostgreSQL fails on a NUL in a query.
    found = shown.tasks.prefetch_related("categories").filter(task_id=storable(task_id)).first()
    if found is None:
        raise Http404("This task set has no task of that name.")
    found.task_set = shown
    context = {
        "task_sets": task_sets,
        "task_set": shown,
        "task": found,
        "attempts": list_attempts(attempts_at(found), page_number(request.GET)),
        "metrics": list(Metric),
        "landmarks": shown_landmarks(found),
        "landmark_numbers": range(1, len(found.landmarks) + 1),
    }
    return render(request, "leaderboard/task.html", context)


def _find(task_sets: list[TaskSet], benchmark: str, slug: str) -> TaskSet:
    if not benchmark:
        return next((s for s in task_sets if s.is_default), task_sets[0])
    for task_set in task_sets:
        if (task_set.benchmark.slug, task_set.slug) == (benchmark, slug):
            return task_set
    raise Http404("There is no such task set.")


def _read(request: HttpRequest, task_set: TaskSet) -> tuple[BoardForm, Board]:
    categories = set_categories(task_set)
    form = BoardForm(request.GET, sort_keys=sort_keys(categories))
    page_size = settings.SUPERBOARD_PAGE_SIZE
    return form, read_board(task_set, form.board_query(), categories=categories, page_size=page_size)


def _points(board: Board) -> list[dict[str, Any]]:
    return [
        {
            "name": str(row.entry.agent),
            "x": figure_value(row, "landmarks"),
            "y": figure_value(row, "accuracy"),
        }
        for row in board.rows
    ]


def _bars(board: Board) -> list[dict[str, Any]]:
    return [
        {
            "name": category.name,
            "slug": category.slug,
            "values": [
                {"entry": str(row.entry.agent), "value": figure_value(row, f"accuracy:{category.slug}")}
                for row in board.rows
            ],
        }
        for category in board.categories
    ]


def figure_value(row: Any, key: str) -> float | None:
    """A row's figure in a column, or None."""
    figure = row.figures.get(key)
    return figure.value if figure else None
