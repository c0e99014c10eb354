"""The pages of boards, and their data as JSON, CSV and charts."""

from __future__ import annotations

from typing import Any

from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard import rendering
from leaderboard.boards.columns import board_choices, board_head, group_tables
from leaderboard.boards.exports import board_csv, board_json
from leaderboard.boards.forms import BoardForm
from leaderboard.boards.selectors import Board, read_board
from leaderboard.catalogue.selectors import all_task_sets, pick_task_set, set_categories
from leaderboard.core.figures import Cell
from leaderboard.core.kept_pages import kept_ready
from leaderboard.models import TaskSet
from leaderboard.scoring.contract import Metric

# plotly.js adds two style elements: an empty one, and one whose text depends on its version.
# tests/browser/test_charts.py computes both from the installed plotly and compares.
PLOTLY_STYLES = (
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
    "'sha256-ji27qzEtxXZW+7dun6UwjHXJ18e6WAin1VvNtkzIE/o='",
)


@require_safe
@kept_ready
@vary_on_headers("HX-Request")
@csp_update({"style-src": list(PLOTLY_STYLES)})
def board(request: HttpRequest, benchmark: str = "", task_set: str = "") -> HttpResponse:
    """A task set's board; the default task set's at /."""
    task_sets = all_task_sets()
    if not task_sets:
        return render(request, "boards/empty_site.html", {"task_sets": []})
    shown = pick_task_set(task_sets, benchmark, task_set)
    form, read = _read_board(request, shown)
    head = board_head(read, request.GET)
    context = {
        "task_sets": task_sets,
        "task_set": shown,
        "form": form,
        "board": read,
        "head": head,
        "group_tables": group_tables(read, head),
        "choices": board_choices(read),
        "points": [
            (row.entry.agent, [Cell(metric, row.figures.get(metric.key)) for metric in read.scatter or ()])
            for row in read.ranked_rows
        ],
        "query_string": request.GET.urlencode(),
        "rest_of_query": [
            (name, value)
            for name, values in request.GET.lists()
            if name not in {"x", "y", "page"}
            for value in values
        ],
    }
    template = "boards/board.html" + ("#table" if request.htmx else "")  # type: ignore[attr-defined]
    return render(request, template, context)


@require_safe
@kept_ready
def board_data(request: HttpRequest, benchmark: str, task_set: str, shape: str) -> HttpResponse:
    """The board as JSON or CSV, with the same query as its page."""
    shown = pick_task_set(all_task_sets(), benchmark, task_set)
    form, read = _read_board(request, shown)
    if form.errors:
        problems = {name: [str(e) for e in errors] for name, errors in form.errors.items()}
        return JsonResponse({"error": "The query is not valid.", "problems": problems}, status=400)
    if shape == "json":
        return JsonResponse(board_json(read), json_dumps_params={"indent": 2})
    response = HttpResponse(board_csv(read), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{benchmark}-{task_set}.csv"'
    return response


@require_safe
@kept_ready
def board_charts(request: HttpRequest, benchmark: str, task_set: str) -> JsonResponse:
    """The charts of a board's ranked entries as plotly figures; colours are the page's CSS properties."""
    _form, read = _read_board(request, pick_task_set(all_task_sets(), benchmark, task_set))
    charts = {}
    if scatter := read.scatter:
        across, up = scatter
        charts["scatter"] = rendering.scatter(_points(read, across, up), across=across, up=up)
    if read.categories and read.grouped:
        charts["categories"] = rendering.bars_by_group(_bars(read, read.grouped[0]), read.grouped[0])
    return JsonResponse(charts)


def _read_board(request: HttpRequest, task_set: TaskSet) -> tuple[BoardForm, Board]:
    categories = set_categories(task_set)
    form = BoardForm(request.GET, scoring=task_set.scoring, categories=categories)
    page_size = settings.SUPERBOARD_PAGE_SIZE
    return form, read_board(task_set, form.board_query(), categories=categories, page_size=page_size)


def _points(board: Board, across: Metric, up: Metric) -> list[dict[str, Any]]:
    return [
        {"name": str(row.entry.agent), "x": row.value(across.key), "y": row.value(up.key)}
        for row in board.ranked_rows
    ]


def _bars(board: Board, metric: Metric) -> list[dict[str, Any]]:
    return [
        {
            "name": category.name,
            "position": category.position,
            "values": [
                {"entry": str(row.entry.agent), "value": row.value(f"{metric.key}:{category.slug}")}
                for row in board.ranked_rows
            ],
        }
        for category in board.categories
    ]
