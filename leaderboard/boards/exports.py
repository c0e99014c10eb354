"""Boards and benchmarks as JSON and CSV: the same figures in the same order for pages and commands."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from leaderboard.boards.levels import AgentRow, Levels, SetFigure
from leaderboard.boards.selectors import Board, BoardRow
from leaderboard.boards.texts import conclusion
from leaderboard.core.figures import Cell, figure_json, metric_json, tier_json
from leaderboard.core.labels import COMPUTED, SOURCES
from leaderboard.core.spreadsheets import cell_text
from leaderboard.entries.selectors import DATES, entry_dates, shown_code
from leaderboard.models import Figure, TaskSet
from leaderboard.scoring.contract import Metric, Unit
from leaderboard.scoring.values import percent

NOT_TRIED = "not tried"
"""What a figure's scores are of tasks without an attempt, which count as failed."""


def board_json(board: Board) -> dict[str, Any]:
    """A board as JSON data. Shares are in [0, 1], other figures in their unit; a missing one is null."""
    return {
        "benchmark": board.task_set.benchmark.slug,
        "task_set": board.task_set.slug,
        "scorer": board.query.scorer,
        "coverage": board.query.coverage,
        "at": board.query.at.isoformat() if board.query.at else None,
        "sort": board.query.sort,
        "page": board.page,
        "pages": board.pages,
        "total": board.total,
        "conclusion": conclusion(board),
        "columns": [metric_json(metric) for metric in _metrics(board)],
        "entries": [_entry_json(row, board) for row in board.rows],
    }


def _metrics(board: Board) -> list[Metric]:
    return [column.metric for column in board.overall_columns]


def board_csv(board: Board) -> str:
    """A board as CSV, a line for each entry: figures with interval, tasks, attempts, source and kind.

    The source is who scored, the kind whether that is reported or computed.

    Shares are in percent; other figures are in the unit that the column after them says, with every digit.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    header = ["rank", "first_rank", "last_rank", "agent", "model", "attempted", "evidence", "source"]
    header += ["model_openness", "scaffold_openness", "code", *DATES]
    for column in board.columns:
        header += [column.key, *(f"{column.key} {what}" for what in _beside(column.metric))]
    writer.writerow(header)
    for row in board.rows:
        ranks = [row.tier.first, row.tier.last] if row.tier else ["", ""]
        line: list[Any] = [row.rank, *ranks, *map(cell_text, (row.entry.agent.name, row.entry.agent.model))]
        line += [row.entry.attempted, row.evidence, cell_text(row.entry.source)]
        line += [row.entry.model_openness, row.entry.scaffold_openness, cell_text(shown_code(row.entry))]
        line += [day or "" for day in entry_dates(row.entry).values()]
        for cell in row.cells:
            line += _figure_cells(cell)
        writer.writerow(line)
    return out.getvalue()


def _beside(metric: Metric) -> list[str]:
    """What stands in the columns after a figure's."""
    unit = [] if metric.unit == Unit.SHARE else ["unit"]
    return [*unit, "low", "high", "tasks", "attempts", "source", "kind"]


def _figure_cells(cell: Cell) -> list[Any]:
    figure = cell.row
    unit = [] if cell.metric.unit == Unit.SHARE else [cell.metric.unit]
    if not isinstance(figure, Figure):
        return ["", *unit, "", "", 0, 0, "", ""]
    ends = [_plain_number(each, cell.metric) for each in (figure.low, figure.high)]
    value = _plain_number(figure.value, cell.metric)
    return [value, *unit, *ends, figure.tasks, figure.attempts, _source(figure), _kind(figure)]


def _source(figure: Figure) -> str:
    return f"{figure.source} {figure.version}".strip() if figure.scored else ""


def _kind(figure: Figure) -> str:
    """Whether its scores were reported or computed; empty without a value."""
    if figure.value is None:
        return ""
    return SOURCES.get(figure.source, COMPUTED) if figure.scored else NOT_TRIED


def _plain_number(value: float | None, metric: Metric) -> str:
    if metric.unit == Unit.SHARE:
        return percent(value)
    return "" if value is None else f"{value:.12g}"


LEVEL_COLUMNS = (
    *("agent", "model", "ranked", "task_set", "level", "metric", "k", "value", "unit", "low", "high"),
    *("tasks", "attempts", "source", "kind", "entry"),
)


def levels_json(levels: Levels) -> dict[str, Any]:
    """A benchmark's agents by task set as JSON data; values as in `board_json`."""
    return {
        "benchmark": levels.benchmark.slug,
        "levels": levels.levels,
        "scorer": levels.query.scorer,
        "page": levels.page,
        "pages": levels.pages,
        "total": levels.total,
        "metrics": [metric_json(metric) for metric in levels.metrics],
        "task_sets": [
            {"slug": each.slug, "name": each.name, "level": each.level} for each in levels.task_sets
        ],
        "agents": [
            {
                "agent": row.agent.name,
                "model": row.agent.model,
                "ranked": row.ranked,
                "figures": [
                    _set_figure_json(task_set, found) for task_set, found in _set_figures(levels, row)
                ],
            }
            for row in levels.rows
        ],
    }


def _set_figures(levels: Levels, row: AgentRow) -> Iterator[tuple[TaskSet, SetFigure]]:
    for figures in row.figures:
        for task_set, found in zip(levels.task_sets, figures, strict=True):
            if found:
                yield task_set, found


def _set_figure_json(task_set: TaskSet, found: SetFigure) -> dict[str, Any]:
    return {
        "task_set": task_set.slug,
        "metric": found.metric.key,
        "entry": found.entry.slug,
        **figure_json(found.figure, found.entry, found.metric),
        "interval": found.interval,
    }


def levels_csv(levels: Levels) -> str:
    """A benchmark's agents as CSV, a line for each figure; shares and their intervals are in percent."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(LEVEL_COLUMNS)
    for row in levels.rows:
        agent = [cell_text(row.agent.name), cell_text(row.agent.model), "yes" if row.ranked else "no"]
        for task_set, found in _set_figures(levels, row):
            metric, figure = found.metric, found.figure
            unit = "percent" if metric.unit == Unit.SHARE else metric.unit
            level = "" if task_set.level is None else task_set.level
            low, high = map(percent, found.interval or (None, None))
            value = _plain_number(figure.value, metric)
            line = [*agent, task_set.slug, level, metric.key, metric.pass_at or "", value]
            line += [unit, low, high, figure.tasks, figure.attempts, _source(figure), _kind(figure)]
            line.append(found.entry.slug)
            writer.writerow(line)
    return out.getvalue()


def _entry_json(row: BoardRow, board: Board) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "default_rank": row.default_rank,
        "tier": tier_json(row.tier),
        "entry": row.entry.slug,
        "agent": row.entry.agent.name,
        "model": row.entry.agent.model,
        "attempted": row.entry.attempted,
        "evidence": row.evidence,
        "provenance": row.entry.provenance,
        "source": row.entry.source,
        "model_openness": row.entry.model_openness or None,
        "scaffold_openness": row.entry.scaffold_openness or None,
        "code": shown_code(row.entry),
        **entry_dates(row.entry),
        "figures": {
            column.key: figure_json(cell.row, row.entry, cell.metric)
            for column, cell in zip(board.columns, row.cells, strict=True)
            if isinstance(cell.row, Figure)
        },
    }
