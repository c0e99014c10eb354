"""`superboard board`: a board in the terminal."""

from __future__ import annotations

from itertools import chain
from typing import Annotated, Any

import typer

from leaderboard.client.ending import Exit, UsageProblem, exit_on_errors, write_json
from leaderboard.client.server import Server
from leaderboard.client.show import say, show_table
from leaderboard.client.site import AsJson, Url, find_site
from leaderboard.scoring.values import value_text


def board(
    task_set: Annotated[
        str, typer.Argument(help="BENCHMARK/SET, or SET. Default: the site's first board.")
    ] = "",
    sort: Annotated[
        str, typer.Option(help="A column; put - in front for largest first. Default: by rank.")
    ] = "",
    columns: Annotated[
        list[str], typer.Option("--column", help="One more metric to show, such as cost; can be repeated.")
    ] = [],  # noqa: B006 - typer makes a new one each time
    scorer: Annotated[str, typer.Option(help="The scorer to show.")] = "",
    coverage: Annotated[
        str,
        typer.Option(help="Mean over all tasks ('all', the default) or those with a score ('attempted')."),
    ] = "",
    at: Annotated[
        str, typer.Option(help="The board as it stood at the end of this day (UTC), such as 2026-11-01.")
    ] = "",
    limit: Annotated[int, typer.Option(min=1, max=100, help="Maximum number of rows.")] = 25,
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Show a board: ranks, agents, figures, tasks tried, evidence, source, and the entry for `download`.

    Shares are in percent. Beside each figure is half the width of its 95 % interval (±), beside each agent
    which ranks its own can't be told apart from. What it is sorted by is shown.

    Self-reported entries have no rank and come last.

    Exit codes: 0 done, 2 the command was called wrongly, 3 the site refused, 4 the site could not be reached.
    """
    with exit_on_errors(as_json=as_json), Server(find_site(url)) as server:
        found = _find(server, task_set)
        counted = {"scorer": scorer, "coverage": coverage, "at": at}
        shown = server.get(found["board"], sort=sort, columns=columns, limit=limit, **counted)
    if as_json:
        write_json({"exit": Exit.DONE.value, **shown})
        return
    metrics = shown["columns"]
    keys = [head for metric in metrics for head in (metric["key"], "±")]
    heads = ("rank", "agent", "model", "ranks", *keys, "tasks", "evidence", "source", "entry")
    rows = [_row(row, metrics, found["tasks"]) for row in shown["items"]]
    show_table(heads, rows, figures=(0, *range(3, 5 + len(keys))))
    if shown["conclusion"]:
        say(shown["conclusion"])
    on = f" at the end of {shown['at']}, UTC" if shown["at"] else ""
    say(f"{len(shown['items']):,} of {shown['total']:,} entries on {found['key']}{on}")


def _find(server: Server, name: str) -> dict[str, Any]:
    sets = [
        {**each, "key": f"{benchmark['slug']}/{each['slug']}"}
        for benchmark in server.get("/api/v1/benchmarks")
        for each in benchmark["task_sets"]
    ]
    matching = [
        each for each in sets if (name in (each["key"], each["slug"]) if name else each["is_default"])
    ]
    if len(matching) == 1:
        return matching[0]
    known = ", ".join(each["key"] for each in sets) or "none yet"
    raise UsageProblem(f"{name or '…'} is not one task set; there are: {known}")


def _row(row: dict[str, Any], metrics: list[dict[str, Any]], tasks: int) -> tuple[str, ...]:
    figures = [_figure(row["figures"].get(metric["key"]), metric["unit"]) for metric in metrics]
    return (
        "" if row["rank"] is None else str(row["rank"]),
        row["agent"],
        row["model"],
        _ranks(row),
        *chain.from_iterable(figures),
        f"{row['attempted']}/{tasks}",
        row["evidence"],
        row["source"],
        row["entry"],
    )


def _ranks(row: dict[str, Any]) -> str:
    """The ranks that a row's own can't be told apart from."""
    tier = row["tier"]
    if tier is None:
        return ""
    return f"{tier['first']}-{tier['last']}" if tier["last"] else f"{tier['first']}+"


def _figure(figure: dict[str, Any] | None, unit: str) -> tuple[str, str]:
    """A figure, and half the width of its interval."""
    if figure is None:
        return "", ""
    half = None if figure["low"] is None else (figure["high"] - figure["low"]) / 2
    return value_text(figure["value"], unit), value_text(half, unit)
