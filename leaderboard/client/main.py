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
    "view": "leaderboard.viewing.command",
    "validate": "leaderboard.client.validate",
    "diagnose": "leaderboard.client.diagnose",
    "submit": "leaderboard.client.submit",
    "status": "leaderboard.client.status",
    "download": "leaderboard.client.download",
    "board": "leaderboard.client.board",
    "search": "leaderboard.client.search",
    "login": "leaderboard.client.login",
    "logout": "leaderboard.client.login",
}
"""Each command's module, which has a function with the command's name."""


class Commands(Mapping[str, Any]):
    """Imports a command's module only when it is needed: importing all takes half a second."""

    def __getitem__(self, name: str) -> Any:
        single = typer.Typer(**OPTIONS)
        single.command(name)(getattr(import_module(COMMANDS[name]), name))
        return typer.main.get_command(single)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Group(TyperGroup):
    """A command group that takes its commands from `Commands`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "commands": Commands()})


OPTIONS: dict[str, Any] = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
}
app = typer.Typer(cls=Group, no_args_is_help=True, **OPTIONS)


def _show_version(requested: bool) -> None:
    if requested:
        sys.stdout.write(f"superboard {metadata.version('superboard')}\n")
        raise typer.Exit


@app.callback()
def about(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Read trajectories, and check and submit results to a Superboard."""


def main() -> None:
    """Run the command; exit silently if the reader of its output closed it (`| head`)."""
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # As typer does. Without the redirect, Python's own flush at exit would report the error again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
