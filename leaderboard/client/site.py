"""Which site is meant, and the token for it: from the environment, or from a file of its owner's."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from leaderboard.client.ending import Misused

LOCAL_SITE = "http://127.0.0.1:8000"
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})

Url = Annotated[
    str, typer.Option("--url", help="The site. SUPERBOARD_URL if left out, else the last login's.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print data for programs.")]


@dataclass(frozen=True, slots=True)
class Site:
    """A site and the secret that it knows us by; empty for nobody's. The secret is in no text of this.

    It is ``assumed`` where nobody said which one is meant.
    """

    url: str
    token: str = field(default="", repr=False)
    assumed: bool = False


def find_site(url: str = "") -> Site:
    """The site that is meant by ``url``, the environment, or the last login, with the token for it.

    A token from the file goes to the site that it was stored for, and to no other.

    Raises:
        Misused: the address can't be, or others can read the file of tokens.
    """
    stored = _stored()
    last = next(reversed(stored), "")
    said = url or os.environ.get("SUPERBOARD_URL", "") or last
    url = checked_url(said or LOCAL_SITE)
    token = os.environ.get("SUPERBOARD_TOKEN", "").strip() or stored.get(url, "")
    return Site(url, token, assumed=not said)


def checked_url(url: str) -> str:
    """An address without what follows the host and port; encrypted, unless it is this machine's.

    Raises:
        Misused: it is none, or would carry a token in the clear.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in ("http", "https") or parts.username or parts.password:
        raise Misused(f"{url} is no address of a site; write https://board.example.org")
    if parts.scheme == "http" and host not in LOCAL_HOSTS:
        raise Misused(f"{url} is not encrypted, and a token would be too: write https://")
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}" + (f":{port}" if port else "")


def store_token(url: str, token: str) -> Path:
    """Keep a site's token, readable by nobody else; it becomes the last login."""
    return _write({name: kept for name, kept in _stored().items() if name != url} | {url: token})


def forget_token(url: str) -> bool:
    """Remove a site's token; false where there is none."""
    stored = _stored()
    if url not in stored:
        return False
    del stored[url]
    _write(stored)
    return True


def own_folder() -> Path:
    """Where the client keeps what is its user's alone."""
    folder = Path.home() / ".config" / "superboard"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _stored() -> dict[str, str]:
    path = _file()
    if not path.exists():
        return {}
    mode = path.stat().st_mode
    if stat.S_IMODE(mode) & 0o077:
        raise Misused(f"others can read {path}: chmod 600 it, and revoke the token")
    try:
        stored = json.loads(path.read_text())
    except ValueError:
        raise Misused(f"{path} is no file of tokens: log in again") from None
    return {str(url): str(token) for url, token in stored.items()}


def _write(tokens: dict[str, str]) -> Path:
    path = own_folder() / "token"
    draft = path.with_name("token.new")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(tokens))
    return draft.replace(path)


def _file() -> Path:
    return Path.home() / ".config" / "superboard" / "token"
