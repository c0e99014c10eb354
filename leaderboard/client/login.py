"""`superboard login` and `logout`: a token kept for a site, or forgotten."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from leaderboard.client.ending import Exit, Misused, ending, write_json
from leaderboard.client.server import Server
from leaderboard.client.show import say
from leaderboard.client.site import AsJson, Site, Url, find_site, forget_token, store_token


def login(
    url: Url = "",
    from_stdin: Annotated[
        bool, typer.Option("--stdin", help="Read the token from standard input, without asking.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Keep a token for a site, in a file that only you can read. Make one in your account on the site.

    It is asked for, never given as an argument: others can see those. Exit codes: 0 done, 2 the command was
    called wrongly, 3 the site does not take the token, 4 the site could not be reached.
    """
    with ending(as_json=as_json):
        address = find_site(url).url
        # Nobody can be asked where standard input is no terminal: the token is taken from there.
        piped = from_stdin or not sys.stdin.isatty()
        token = sys.stdin.readline() if piped else typer.prompt("Token", hide_input=True, err=True)
        if not token.strip():
            raise Misused("no token was given: put it on standard input, or set SUPERBOARD_TOKEN")
        with Server(Site(address, token.strip())) as server:
            me = server.get("/api/v1/me")
        path = store_token(address, token.strip())
        if as_json:
            write_json({"exit": Exit.DONE.value, **me})
        else:
            say(f"{address} knows you as {me['username']}; the token is in {path}")
            say(f"It allows: {', '.join(me['scopes'])}")


def logout(url: Url = "") -> None:
    """Forget the token for a site. To make it useless, revoke it in your account on the site."""
    with ending(as_json=False):
        address = find_site(url).url
        known = forget_token(address)
        say("Forgotten." if known else f"There was no token for {address}.")
