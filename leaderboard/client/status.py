"""`superboard status`: the state of uploads."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

import typer

from leaderboard.client.ending import Exit, exit_on_errors, write_json
from leaderboard.client.following import exit_for, read_report, show_whole_report
from leaderboard.client.server import Server
from leaderboard.client.show import say, show_table
from leaderboard.client.site import AsJson, Url, find_site

LISTED = 20
"""How many uploads a list shows, newest first."""


def status(
    upload: Annotated[str, typer.Argument(help="The upload's id. Default: list the newest uploads.")] = "",
    url: Url = "",
    as_json: AsJson = False,
) -> None:
    """Show an upload's state and report; or list the newest uploads, your teams, and the checks left today.

    Exit codes: 0 nothing is wrong with it, or it is not checked yet; 1 there are problems in the files, 2 the
    command was called wrongly, 3 the site refused, 4 the site could not be reached.
    """
    with exit_on_errors(as_json=as_json):
        site = find_site(url, needs_token=True)
        with Server(site) as server:
            if not upload:
                _show_newest(server, as_json=as_json)
                return
            found = server.get(f"/api/v1/uploads/{upload.strip('/').rpartition('/')[2]}")
            report = read_report(server, found)
        states = [found["state"], *(part["state"] for part in found["parts"])]
        waiting = any(state in ("receiving", "queued", "checking", "waiting") for state in states)
        done = Exit.DONE if waiting else exit_for(report)
        if as_json:
            write_json({"exit": done.value, **report})
        else:
            show_whole_report(report, site=site.url)
        raise typer.Exit(done)


def _show_newest(server: Server, *, as_json: bool) -> None:
    uploads = list(islice(server.items("/api/v1/uploads"), LISTED))
    gold_checks = server.get("/api/v1/gold-checks")
    teams = server.get("/api/v1/me")["teams"]
    if as_json:
        write_json({"exit": Exit.DONE.value, "uploads": uploads, "teams": teams, "gold_checks": gold_checks})
        return
    heads = ("upload", "file or folder in it", "state", "received", "of bytes", "entry")
    rows = [
        (
            each["id"],
            each["name"],
            each["state"],
            "" if each["part"] else str(each["received"]),
            "" if each["part"] else str(each["size"]),
            each["entry"] or "",
        )
        for each in uploads
    ]
    show_table(heads, rows, figures=(3, 4))
    say("Your teams, for --team: " + ", ".join(f"{team['name']} ({team['slug']})" for team in teams))
    if gold_checks:
        say("Checks left against gold answers within 24 hours:")
        for each in gold_checks:
            say("  {team}, {task_set}: {left} of {of}; one more at {again}".format(**each))
