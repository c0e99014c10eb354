"""A board as JSON and CSV: the same figures in the same order for pages and commands."""

from __future__ import annotations

import csv
import io
from typing import Any

from leaderboard.boards.selectors import Board, BoardRow
from leaderboard.core.figures import figure_json, percent
from leaderboard.entries.selectors import DATES, entry_dates
from leaderboard.models import Figure

FORMULA_SIGNS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The first characters of formulas in spreadsheets; Japanese ones also use the full-width forms."""


def board_json(board: Board) -> dict[str, Any]:
    """A board as JSON data. Shares are in [0, 1]; a missing one is null."""
    return {
        "benchmark": board.task_set.benchmark.slug,
        "task_set": board.task_set.slug,
        "scorer": board.query.scorer,
        "sort": board.query.sort,
        "page": board.page,
        "pages": board.pages,
        "total": board.total,
        "entries": [_entry_json(row, board) for row in board.rows],
    }


def board_csv(board: Board) -> str:
    """A board as CSV, one line for each entry: percentages, each with its number of tasks and source."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    header = ["rank", "agent", "model", "attempted", "evidence", "source", *DATES]
    for column in board.columns:
        header += [column.key, f"{column.key} tasks", f"{column.key} source"]
    writer.writerow(header)
    for row in board.rows:
        line: list[Any] = [row.rank, *map(_cell_text, (row.entry.agent.name, row.entry.agent.model))]
        line += [row.entry.attempted, row.evidence, _cell_text(row.entry.source)]
        line += [day or "" for day in entry_dates(row.entry).values()]
        for cell in row.cells:
            line += [percent(cell.value), cell.tasks, _figure_source(cell)] if cell else ["", 0, ""]
        writer.writerow(line)
    return out.getvalue()


def _figure_source(cell: Figure) -> str:
    return f"{cell.source} {cell.version}".strip() if cell.value is not None else ""


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
            column.key: figure_json(cell, row.entry)
            for column, cell in zip(board.columns, row.cells, strict=True)
            if cell
        },
    }
