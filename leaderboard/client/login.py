"""`superboard login` and `logout`: store or remove the token for a site."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from leaderboard.client.ending import Exit, UsageProblem, exit_on_errors, write_json
from leaderboard.client.server import Server
from leaderboard.client.show import say
from leaderboard.client.site import AsJson, Site, Url, find_site, forget_token, store_token


def login(
    url: Url = "",
    from_stdin: Annotated[
        bool, typer.Option("--stdin", help="Read the token from standard input, without a prompt.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Store a token for a site, in a file that only you can read. Create one in your account on the site.

    The command prompts for the token: other users can see arguments. Exit codes: 0 done, 2 the command was
    called wrongly, 3 the site refused the token, 4 the site could not be reached.
    """
    with exit_on_errors(as_json=as_json):
        address = find_site(url).url
        # Without a terminal there is no prompt: read the token from standard input.
        piped = from_stdin or not sys.stdin.isatty()
        token = sys.stdin.readline() if piped else typer.prompt("Token", hide_input=True, err=True)
        if not token.strip():
            raise UsageProblem("no token was given: send it to standard input, or set SUPERBOARD_TOKEN")
        with Server(Site(address, token.strip())) as server:
            me = server.get("/api/v1/me")
        path = store_token(address, token.strip())
        if as_json:
            write_json({"exit": Exit.DONE.value, **me})
        else:
            say(f"Logged in to {address} as {me['username']}; the token is in {path}")
            say(f"Its scopes: {', '.join(me['scopes'])}")


def logout(url: Url = "") -> None:
    """Remove the stored token for a site. To make it invalid, revoke it in your account on the site."""
    with exit_on_errors(as_json=False):
        address = find_site(url).url
        known = forget_token(address)
        say("Removed the token." if known else f"There was no token for {address}.")
