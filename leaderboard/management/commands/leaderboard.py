"""Print a board."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.table import Table

from leaderboard.domain.errors import InputError
from leaderboard.exports import board_csv, board_json, percent
from leaderboard.labels import METRICS, SCORERS
from leaderboard.selectors.board import Board, BoardQuery, board_columns, read_board
from leaderboard.selectors.catalogue import get_task_set
from leaderboard.services.figures import BOARD


class Command(BaseCommand):
    """Print a board as a table, JSON or CSV; every entry, ranked by accuracy."""

    help = "Print the leaderboard of a task set: figures in percent, the number of tasks behind each in brackets."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--set", required=True, help="task set, e.g. masked or super/masked")
        parser.add_argument("--scorer", default=BOARD, choices=list(SCORERS), help="whose figures (default: %(default)s)")
        shape = parser.add_mutually_exclusive_group()
        shape.add_argument("--json", action="store_true", help="as JSON, shares in [0, 1]")
        shape.add_argument("--csv", action="store_true", help="as CSV, in percent")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            task_set = get_task_set(options["set"])
        except InputError as error:
            raise CommandError(str(error)) from error
        categories = list(task_set.benchmark.categories.all())
        board = read_board(task_set, BoardQuery(scorer=options["scorer"]), categories=categories, page_size=None)
        if options["json"]:
            self.stdout.write(json.dumps(board_json(board), indent=2))
        elif options["csv"]:
            self.stdout.write(board_csv(board), ending="")
        else:
            self._print_table(board)

    def _print_table(self, board: Board) -> None:
        wide = {} if sys.stdout.isatty() else {"width": 10_000}
        console = Console(file=self.stdout, **wide)
        overall = Table("#", "Agent", "Model", title=str(board.task_set))
        by_category = Table("Agent", "Metric", title="By category")
        columns = [column for column in board_columns(board.categories) if column.category is None]
        for column in columns:
            overall.add_column(str(METRICS[column.metric]), justify="right")
        for category in board.categories:
            by_category.add_column(category.name, justify="right")
        for row in board.rows:
            name = row.entry.agent.name
            cells = [_cell(row.figures.get(column.key)) for column in columns]
            overall.add_row(str(row.rank or "–"), name, row.entry.agent.model, *cells)
            for metric in dict.fromkeys(column.metric for column in board.columns if column.category):
                keys = [f"{metric}:{category.slug}" for category in board.categories]
                by_category.add_row(name, str(METRICS[metric]), *(_cell(row.figures.get(key)) for key in keys))
        console.print(overall)
        console.print(by_category)


def _cell(figure: Any) -> str:
    return f"{percent(figure.value)} ({figure.tasks})" if figure and figure.value is not None else "–"
