"""Print a board as a table, JSON or CSV, with every entry."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Collection
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.table import Table

from leaderboard.boards.exports import board_csv, board_json
from leaderboard.boards.selectors import Board, BoardQuery, read_board, sort_keys
from leaderboard.catalogue.selectors import get_task_set, set_categories
from leaderboard.core.figures import Cell
from leaderboard.core.labels import scorer_labels
from leaderboard.domain.errors import InputError
from leaderboard.domain.scores import BOARD
from leaderboard.models import Category, Figure
from leaderboard.scoring.contract import Scoring
from leaderboard.scoring.values import value_text

MISSING = "-"


class Command(BaseCommand):
    help = "Print a task set's leaderboard: figures with the numbers of tasks in brackets, shares in percent."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--set", required=True, help="task set: SET, or BENCHMARK/SET")
        scorer = "scorer of the figures (default: %(default)s)"
        parser.add_argument("--scorer", default=BOARD, help=scorer)
        column = "one more metric to show, such as cost; can be repeated"
        parser.add_argument("--column", action="append", default=[], dest="columns", help=column)
        sort = "column to sort by, with - in front for descending: --sort=-cost (default: by rank)"
        parser.add_argument("--sort", default="", help=sort)
        shape = parser.add_mutually_exclusive_group()
        shape.add_argument("--json", action="store_true", help="as JSON, shares in [0, 1]")
        shape.add_argument("--csv", action="store_true", help="as CSV, shares in percent")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            task_set = get_task_set(options["set"])
        except InputError as error:
            raise CommandError(str(error)) from error
        categories = set_categories(task_set)
        query = BoardQuery(
            **{name: options[name] for name in ("scorer", "sort")}, columns=tuple(options["columns"])
        )
        _check(query, task_set.scoring, categories)
        board = read_board(task_set, query, categories=categories, page_size=None)
        if options["json"]:
            self.stdout.write(json.dumps(board_json(board), indent=2))
        elif options["csv"]:
            self.stdout.write(board_csv(board), ending="")
        else:
            self.stdout.write(_tables(board), ending="")


def _check(query: BoardQuery, scoring: Scoring, categories: list[Category]) -> None:
    """Raise `CommandError` for a scorer, metric or column that there is not, with those that there are."""
    asked: list[tuple[str, str, Collection[str]]] = [("scorer", query.scorer, scorer_labels(scoring))]
    asked += [("metric", key, scoring.by_key) for key in query.columns]
    if query.sort:
        asked.append(("column to sort by", query.column, sorted(sort_keys(scoring, categories))))
    for what, name, known in asked:
        if name not in known:
            raise CommandError(f"there is no {what} {name}: choose from {', '.join(known)}")


def _tables(board: Board) -> str:
    overall = Table("#", "Agent", "Model", title=str(board.task_set))
    for column in board.overall_columns:
        overall.add_column(column.metric.label, justify="right")
    by_category = Table("Agent", "Metric", title=f"By {board.task_set.scoring.groups.one}")
    for category in board.categories:
        by_category.add_column(category.name, justify="right")
    for row in board.rows:
        agent = row.entry.agent
        overall.add_row(str(row.rank or MISSING), agent.name, agent.model, *map(_cell, row.overall))
        for metric, cells in zip(board.grouped, row.by_category, strict=True):
            by_category.add_row(str(agent), metric.label, *map(_cell, cells))
    # The terminal's width, or enough for the tables in a pipe, so that it does not cut words.
    console = Console(file=io.StringIO(), width=shutil.get_terminal_size(fallback=(160, 24)).columns)
    with console.capture() as captured:
        console.print(overall)
        if board.categories:
            console.print(by_category)
    return captured.get()


def _cell(cell: Cell) -> str:
    if cell.value is None or not isinstance(cell.row, Figure):
        return MISSING
    return f"{value_text(cell.value, cell.metric.unit)} ({cell.row.tasks})"
