"""The pages of boards and benchmarks, and their data as JSON, CSV and charts."""

from __future__ import annotations

from typing import Any

from csp.decorators import csp_update
from django.conf import settings
from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard import rendering
from leaderboard.boards import pictures
from leaderboard.boards.columns import board_choices, board_head, group_tables
from leaderboard.boards.comparisons import model_comparisons
from leaderboard.boards.exports import board_csv, board_json, levels_csv, levels_json
from leaderboard.boards.forms import BoardForm, LevelsForm
from leaderboard.boards.history import nearest_changes, read_history
from leaderboard.boards.home import read_home
from leaderboard.boards.levels import Levels, SetFigure, benchmark_sets, read_levels
from leaderboard.boards.selectors import Board, BoardRow, board_entries, read_board
from leaderboard.boards.switches import board_switches, link_with
from leaderboard.boards.texts import conclusion
from leaderboard.boards.timeline import draw_timeline
from leaderboard.catalogue.selectors import all_task_sets, pick_benchmark, pick_task_set, set_categories
from leaderboard.core.figures import Cell
from leaderboard.core.kept_pages import kept_ready, not_kept
from leaderboard.entries.archives import archive_context, archive_page
from leaderboard.entries.declared import DECLARED
from leaderboard.models import TaskSet
from leaderboard.rendering.svg_charts import bars_svg, scatter_svg
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
        "has_siblings": len(benchmark_sets(each for each in task_sets if each.benchmark == shown.benchmark))
        > 1,
        "form": form,
        "board": read,
        "head": head,
        "group_tables": group_tables(read, head),
        "choices": board_choices(read),
        "model_comparisons": model_comparisons(read),
        "board_entries": [row.entry for row in read.rows],
        "conclusion": conclusion(read),
        "points": [
            (row.entry.agent, [Cell(metric, row.figures.get(metric.key)) for metric in read.scatter or ()])
            for row in read.ranked_rows
        ],
        "scatter_svg": _scatter_svg(read),
        "bars_svg": _bars_svg(read),
        # What introduces the site stands above the board as it is by default, not above one of its variants.
        "home": None if benchmark or read.query.switched or read.query.at else read_home(task_sets, read),
        "query_string": request.GET.urlencode(),
        "rest_of_query": _rest_of_query(request, "x", "y"),
        "switches": board_switches(read, request.GET),
        "rest_without_day": _rest_of_query(request, "at"),
        "any_declared": link_with(request.GET, **dict.fromkeys(DECLARED, "")),
        # The attempts of a past day are those of now.
        **archive_context([] if read.query.at else [row.entry for row in read.rows]),
    }
    if read.query.at:
        context["nearest"] = nearest_changes(shown, read.query.at)
    template = "boards/board.html" + ("#table" if request.htmx else "")  # type: ignore[attr-defined]
    response = render(request, template, context)
    return not_kept(response) if form.says_today else response


@require_safe
@kept_ready
def board_history(request: HttpRequest, benchmark: str, task_set: str) -> HttpResponse:
    """The days at which a board changed, and its leading figure over time."""
    task_sets = all_task_sets()
    shown = pick_task_set(task_sets, benchmark, task_set)
    form = BoardForm(request.GET, scoring=shown.scoring, categories=set_categories(shown))
    query = form.board_query()
    history = read_history(shown, scorer=query.scorer, counted=query.counted)
    context = {
        "task_sets": task_sets,
        "task_set": shown,
        "form": form,
        "history": history,
        "days": [(each, link_with(request.GET, at=each.day.isoformat())) for each in reversed(history.days)],
        "timeline": draw_timeline(history.points, shown.scoring.leading),
        "query_string": request.GET.urlencode(),
    }
    return render(request, "boards/history.html", context)


@require_safe
@kept_ready
def board_data(request: HttpRequest, benchmark: str, task_set: str, shape: str) -> HttpResponse:
    """The board as JSON or CSV, with the same query as its page."""
    shown = pick_task_set(all_task_sets(), benchmark, task_set)
    form, read = _read_board(request, shown)
    if form.errors:
        return _bad_query(form)
    response: HttpResponse
    if shape == "json":
        response = JsonResponse(board_json(read), json_dumps_params={"indent": 2})
    else:
        counted = [read.query.scorer, read.query.coverage] if read.query.switched else []
        day = [read.query.at.isoformat()] if read.query.at else []
        response = _csv(board_csv(read), "-".join([benchmark, task_set, *counted, *day]))
    return not_kept(response) if form.says_today else response


@require_safe
def board_archive(request: HttpRequest, benchmark: str, task_set: str) -> HttpResponseBase:
    """The attempts of the entries that the board shows with the same query, as one archive."""
    shown = pick_task_set(all_task_sets(), benchmark, task_set)
    form, read = _read_board(request, shown)
    if form.errors:
        return _bad_query(form)
    entries = board_entries(read, request.user)
    return archive_page(request, entries, name=f"{benchmark}-{task_set}-attempts")


@require_safe
@kept_ready
def board_picture(request: HttpRequest, benchmark: str, task_set: str) -> HttpResponse:
    """The board as it is by default as a picture, for links to it."""
    shown = pick_task_set(all_task_sets(), benchmark, task_set)
    return HttpResponse(pictures.board_picture(shown), content_type="image/png")


@require_safe
@kept_ready
def board_charts(request: HttpRequest, benchmark: str, task_set: str) -> HttpResponse:
    """The charts of a board's ranked entries as plotly figures; colours are the page's CSS properties."""
    form, read = _read_board(request, pick_task_set(all_task_sets(), benchmark, task_set))
    charts = {}
    if read.scatter and read.has_scatter:
        across, up = read.scatter
        charts["scatter"] = rendering.scatter(_points(read, across, up), across=across, up=up)
    if read.categories and read.grouped:
        charts["categories"] = rendering.bars_by_group(_bars(read, read.grouped[0]), read.grouped[0])
    response = JsonResponse(charts)
    return not_kept(response) if form.says_today else response


@require_safe
@kept_ready
@csp_update({"style-src": list(PLOTLY_STYLES)})  # type: ignore[arg-type]  # it knows views without arguments only
def benchmark(request: HttpRequest, benchmark: str) -> HttpResponse:
    """A benchmark's task sets side by side, in the order of their levels."""
    task_sets = all_task_sets()
    form, levels = _read_levels(request, task_sets, benchmark)
    context = {
        "task_sets": task_sets,
        "benchmark": levels.benchmark,
        "form": form,
        "levels": levels,
        "curves": [
            (metric, [(row.agent, row.figures[index]) for row in levels.ranked_rows])
            for index, metric in enumerate(levels.metrics)
        ],
        "query_string": request.GET.urlencode(),
    }
    return render(request, "boards/benchmark.html", context)


@require_safe
@kept_ready
def benchmark_data(request: HttpRequest, benchmark: str, shape: str) -> HttpResponse:
    """A benchmark's page as JSON or CSV."""
    form, levels = _read_levels(request, all_task_sets(), benchmark)
    if form.errors:
        return _bad_query(form)
    if shape == "json":
        return JsonResponse(levels_json(levels), json_dumps_params={"indent": 2})
    return _csv(levels_csv(levels), benchmark)


@require_safe
@kept_ready
def benchmark_charts(request: HttpRequest, benchmark: str) -> JsonResponse:
    """A curve over a benchmark's task sets for each metric, with a line for each ranked agent."""
    _form, levels = _read_levels(request, all_task_sets(), benchmark)
    drawn = [levels.task_sets.index(each) for each in levels.drawn_sets]
    ticks = [
        (each.level if levels.levels and each.level is not None else at, each.name)
        for at, each in enumerate(levels.drawn_sets)
    ]
    return JsonResponse(
        {
            metric.key: rendering.curve(
                [
                    {
                        "name": str(row.agent),
                        "points": [_point(row.figures[index][at]) for at in drawn],
                    }
                    for row in levels.ranked_rows
                ],
                metric,
                ticks=ticks,
                across=levels.levels,
            )
            for index, metric in enumerate(levels.metrics)
        }
    )


def _point(found: SetFigure | None) -> dict[str, Any] | None:
    """What a curve draws of a figure; None if it has no value."""
    if found is None or found.figure.value is None:
        return None
    low, high = found.interval or (found.figure.value, found.figure.value)
    return {"value": found.figure.value, "low": low, "high": high, "tasks": found.figure.tasks}


def _read_levels(request: HttpRequest, task_sets: list[TaskSet], benchmark: str) -> tuple[LevelsForm, Levels]:
    shown = benchmark_sets(pick_benchmark(task_sets, benchmark))
    form = LevelsForm(request.GET, scoring=shown[0].scoring)
    return form, read_levels(shown, form.levels_query(), page_size=settings.SUPERBOARD_PAGE_SIZE)


def _rest_of_query(request: HttpRequest, *left_out: str) -> list[tuple[str, str]]:
    """The query, but for the page and the names in ``left_out``: for the hidden fields of a form."""
    return [
        (name, value)
        for name, values in request.GET.lists()
        if name not in {"page", *left_out}
        for value in values
    ]


def _bad_query(form: Form) -> JsonResponse:
    problems = {name: [str(e) for e in errors] for name, errors in form.errors.items()}
    return JsonResponse({"error": "The query is not valid.", "problems": problems}, status=400)


def _csv(text: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def _read_board(request: HttpRequest, task_set: TaskSet) -> tuple[BoardForm, Board]:
    categories = set_categories(task_set)
    form = BoardForm(request.GET, scoring=task_set.scoring, categories=categories)
    page_size = settings.SUPERBOARD_PAGE_SIZE
    return form, read_board(task_set, form.board_query(), categories=categories, page_size=page_size)


def _scatter_svg(board: Board) -> str:
    """The first chart as the page shows it at once; empty with too few entries."""
    if not board.scatter or not board.has_scatter or not board.has_points:
        return ""
    across, up = board.scatter
    return mark_safe(scatter_svg(_points(board, across, up), across=across, up=up))  # noqa: S308 - made by an XML writer


def _bars_svg(board: Board) -> str:
    """The chart by group of tasks as the page shows it at once."""
    if not (board.categories and board.grouped and board.ranked_rows):
        return ""
    metric = board.grouped[0]
    return mark_safe(bars_svg(_bars(board, metric), metric))  # noqa: S308 - made by an XML writer


def _points(board: Board, across: Metric, up: Metric) -> list[dict[str, Any]]:
    return [
        {
            "name": str(row.entry.agent),
            "x": row.value(across.key),
            "y": row.value(up.key),
            "x_interval": _interval(row, across.key),
            "y_interval": _interval(row, up.key),
        }
        for row in board.ranked_rows
    ]


def _interval(row: BoardRow, key: str) -> tuple[float, float] | None:
    figure = row.figures.get(key)
    return figure.interval if figure else None


def _bars(board: Board, metric: Metric) -> list[dict[str, Any]]:
    return [
        {
            "name": category.name,
            "position": category.position,
            "values": [
                {
                    "entry": str(row.entry.agent),
                    "value": row.value(f"{metric.key}:{category.slug}"),
                    "interval": _interval(row, f"{metric.key}:{category.slug}"),
                }
                for row in board.ranked_rows
            ],
        }
        for category in board.categories
    ]
