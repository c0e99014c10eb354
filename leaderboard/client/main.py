"""The `superboard` command."""

from __future__ import annotations

import typer

from leaderboard.client.board import board
from leaderboard.client.download import download
from leaderboard.client.login import login, logout
from leaderboard.client.status import status
from leaderboard.client.submit import submit
from leaderboard.client.validate import validate

app = typer.Typer(
    help="Check and submit results to a Superboard.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (validate, submit, status, download, board, login, logout):
    app.command()(command)


def main() -> None:
    app()
