"""Print a board as a table, JSON or CSV, with every entry, in the order of its ranks."""

from __future__ import annotations

import io
import json
import shutil
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.table import Table

from leaderboard.boards.exports import board_csv, board_json
from leaderboard.boards.selectors import Board, BoardQuery, read_board
from leaderboard.catalogue.selectors import get_task_set, set_categories
from leaderboard.core.figures import Cell
from leaderboard.core.labels import scorer_labels
from leaderboard.domain.errors import InputError
from leaderboard.domain.scores import BOARD
from leaderboard.models import Figure
from leaderboard.scoring.values import value_text

MISSING = "-"


class Command(BaseCommand):
    help = "Print a task set's leaderboard: figures in percent, with the numbers of tasks in brackets."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--set", required=True, help="task set: SET, or BENCHMARK/SET")
        scorer = "scorer of the figures (default: %(default)s)"
        parser.add_argument("--scorer", default=BOARD, help=scorer)
        shape = parser.add_mutually_exclusive_group()
        shape.add_argument("--json", action="store_true", help="as JSON, shares in [0, 1]")
        shape.add_argument("--csv", action="store_true", help="as CSV, in percent")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            task_set = get_task_set(options["set"])
        except InputError as error:
            raise CommandError(str(error)) from error
        scoring, scorer = task_set.scoring, options["scorer"]
        if scorer not in scorer_labels(scoring):
            known = ", ".join(scorer_labels(scoring))
            raise CommandError(f"there is no scorer {scorer}: choose from {known}")
        query = BoardQuery(scorer=scorer)
        board = read_board(task_set, query, categories=set_categories(task_set), page_size=None)
        if options["json"]:
            self.stdout.write(json.dumps(board_json(board), indent=2))
        elif options["csv"]:
            self.stdout.write(board_csv(board), ending="")
        else:
            self.stdout.write(_tables(board), ending="")


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
