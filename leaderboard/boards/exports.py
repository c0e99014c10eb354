"""A board as JSON and CSV: the same figures in the same order for pages and commands."""

from __future__ import annotations

import csv
import io
from typing import Any

from leaderboard.boards.selectors import Board, BoardRow
from leaderboard.core.figures import Cell, figure_json, metric_json
from leaderboard.entries.selectors import DATES, entry_dates
from leaderboard.models import Figure
from leaderboard.scoring.contract import Metric, Unit
from leaderboard.scoring.values import percent

FORMULA_SIGNS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The first characters of formulas in spreadsheets; Japanese ones also use the full-width forms."""


def board_json(board: Board) -> dict[str, Any]:
    """A board as JSON data. Shares are in [0, 1], other figures in their unit; a missing one is null."""
    return {
        "benchmark": board.task_set.benchmark.slug,
        "task_set": board.task_set.slug,
        "scorer": board.query.scorer,
        "sort": board.query.sort,
        "page": board.page,
        "pages": board.pages,
        "total": board.total,
        "columns": [metric_json(metric) for metric in _metrics(board)],
        "entries": [_entry_json(row, board) for row in board.rows],
    }


def _metrics(board: Board) -> list[Metric]:
    return [column.metric for column in board.overall_columns]


def board_csv(board: Board) -> str:
    """A board as CSV, a line for each entry: figures with their numbers of tasks and attempts, and source.

    Shares are in percent; other figures are in the unit that the column after them says, with every digit.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    header = ["rank", "agent", "model", "attempted", "evidence", "source", *DATES]
    for column in board.columns:
        header += [column.key, *(f"{column.key} {what}" for what in _beside(column.metric))]
    writer.writerow(header)
    for row in board.rows:
        line: list[Any] = [row.rank, *map(_cell_text, (row.entry.agent.name, row.entry.agent.model))]
        line += [row.entry.attempted, row.evidence, _cell_text(row.entry.source)]
        line += [day or "" for day in entry_dates(row.entry).values()]
        for cell in row.cells:
            line += _figure_cells(cell)
        writer.writerow(line)
    return out.getvalue()


def _beside(metric: Metric) -> list[str]:
    """What stands in the columns after a figure's."""
    unit = [] if metric.unit == Unit.SHARE else ["unit"]
    return [*unit, "tasks", "attempts", "source"]


def _figure_cells(cell: Cell) -> list[Any]:
    figure = cell.row
    unit = [] if cell.metric.unit == Unit.SHARE else [cell.metric.unit]
    if not isinstance(figure, Figure):
        return ["", *unit, 0, 0, ""]
    source = f"{figure.source} {figure.version}".strip() if figure.value is not None else ""
    return [_plain_number(cell), *unit, figure.tasks, figure.attempts, source]


def _plain_number(cell: Cell) -> str:
    if cell.metric.unit == Unit.SHARE:
        return percent(cell.value)
    return "" if cell.value is None else f"{cell.value:.12g}"


def _cell_text(text: str) -> str:
    """Text on one line that a spreadsheet does not treat as a formula."""
    line = " ".join(text.split())
    return f"'{line}" if line.startswith(FORMULA_SIGNS) else line


def _entry_json(row: BoardRow, board: Board) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "entry": row.entry.slug,
        "agent": row.entry.agent.name,
        "model": row.entry.agent.model,
        "attempted": row.entry.attempted,
        "evidence": row.evidence,
        "provenance": row.entry.provenance,
        "source": row.entry.source,
        **entry_dates(row.entry),
        "figures": {
            column.key: figure_json(cell.row, row.entry, cell.metric)
            for column, cell in zip(board.columns, row.cells, strict=True)
            if isinstance(cell.row, Figure)
        },
    }
