"""`superboard search`: steps of trajectories in the terminal."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from leaderboard.client.ending import Exit, exit_on_errors, write_json
from leaderboard.client.server import Server
from leaderboard.client.show import say, show_table
from leaderboard.client.site import AsJson, Url, find_site
from leaderboard.domain.text import plural, storable


def search(
    text: Annotated[
        list[str],
        typer.Argument(
            help="Words that a step has to have; '\"a phrase\"', 'begin*'. Put -- before --options."
        ),
    ],
    finding: Annotated[str, typer.Option(help="Why an attempt failed, such as missing-module.")] = "",
    agent: Annotated[str, typer.Option(help="The agent's exact name.")] = "",
    model: Annotated[str, typer.Option(help="The model's exact name.")] = "",
    category: Annotated[str, typer.Option(help="A category of the task.")] = "",
    kind: Annotated[str, typer.Option(help="The kind of step, such as execute or edit.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=100, help="Maximum number of steps.")] = 25,
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Search the steps of all trajectories: task, agent, model, step, kind, text, page.

    With a token, the drafts of your teams too.

    Exit codes: 0 done, 2 the command was called wrongly, 3 the site refused, 4 the site could not be reached.
    """
    asked = {"finding": finding, "agent": agent, "model": model, "category": category, "kind": kind}
    query = {name: storable(value) for name, value in {"q": " ".join(text), **asked}.items()}
    with exit_on_errors(as_json=as_json), Server(find_site(url)) as server:
        found = server.get("/api/v1/search", **query, limit=limit)
        address = server.site.url
    if as_json:
        write_json({"exit": Exit.DONE.value, **found})
        return
    heads = ("task", "agent", "model", "step", "kind", "text", "page")
    show_table(heads, [_row(item, address) for item in found["items"]], figures=(3,))
    steps = plural(found["total"], "{n} step", "{n} steps")
    attempts = plural(found["attempts"], "{n} attempt", "{n} attempts")
    say(f"{len(found['items']):,} of {steps} in {attempts}")


def _row(item: dict[str, Any], site: str) -> tuple[str, ...]:
    text = " ".join(excerpt["text"].strip() for excerpt in item["excerpts"])
    where = (item["task_id"], item["agent"], item["model"], str(item["number"]), item["kind"])
    return (*where, text, site + item["page"])
