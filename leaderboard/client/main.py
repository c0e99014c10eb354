"""The `superboard` command."""

from __future__ import annotations

import os
import sys
from importlib import metadata
from typing import Annotated

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


def _say_version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"superboard {metadata.version('superboard')}\n")
        raise typer.Exit


@app.callback()
def about(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_say_version, is_eager=True, help="Say which version this is."),
    ] = False,
) -> None:
    """Check and submit results to a Superboard."""


def main() -> None:
    """Run the command; where its output is read no further (`| head`) it ends without a word."""
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # As typer does with what can't be written. Python's own flush at the end would be reported, too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
