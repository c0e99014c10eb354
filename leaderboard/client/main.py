"""The `superboard` command."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module, metadata
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

COMMANDS = {
    "validate": "leaderboard.client.validate",
    "submit": "leaderboard.client.submit",
    "status": "leaderboard.client.status",
    "download": "leaderboard.client.download",
    "board": "leaderboard.client.board",
    "login": "leaderboard.client.login",
    "logout": "leaderboard.client.login",
}
"""Each command with the module that has a function of its name."""


class Commands(Mapping[str, Any]):
    """Imports a command's module when the command is asked for: together they take half a second."""

    def __getitem__(self, name: str) -> Any:
        alone = typer.Typer(**OPTIONS)
        alone.command(name)(getattr(import_module(COMMANDS[name]), name))
        return typer.main.get_command(alone)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Group(TyperGroup):
    """A group whose commands are ours, and not those that typer found."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "commands": Commands()})


OPTIONS: dict[str, Any] = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
}
app = typer.Typer(
    cls=Group, help="Check and submit results to a Superboard.", no_args_is_help=True, **OPTIONS
)


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
