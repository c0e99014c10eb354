"""The site to call and the token for it, from options, the environment, or the user's token file."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from leaderboard.client.ending import UsageProblem

LOCAL_SITE = "http://127.0.0.1:8000"
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})

Url = Annotated[
    str, typer.Option("--url", help="The site. Default: SUPERBOARD_URL, else that of the last login.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print data for programs.")]


@dataclass(frozen=True, slots=True)
class Site:
    """A site's address and the user's token, empty for an anonymous user; repr() hides the token.

    ``assumed``: no site was configured, so this is the default.
    """

    url: str
    token: str = field(default="", repr=False)
    assumed: bool = False


def find_site(url: str = "", *, needs_token: bool = False) -> Site:
    """The site from ``url``, the environment, or the last login, with its token.

    A token from the file is only sent to the site that it was stored for.

    Raises:
        UsageProblem: the address is invalid, there is no token where one is needed, or other users can read
            the token file.
    """
    stored = _stored()
    last = next(reversed(stored), "")
    configured = url or os.environ.get("SUPERBOARD_URL", "") or last
    url = checked_url(configured or LOCAL_SITE)
    token = os.environ.get("SUPERBOARD_TOKEN", "").strip() or stored.get(url, "")
    if needs_token and not token:
        raise UsageProblem(f"there is no token for {url}: superboard login, or SUPERBOARD_TOKEN")
    return Site(url, token, assumed=not configured)


def checked_url(url: str) -> str:
    """A site's address reduced to scheme, host and port; https, except on this machine.

    Raises:
        UsageProblem: it is not a web address, or would send a token unencrypted.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in ("http", "https") or parts.username or parts.password:
        raise UsageProblem(f"{url} is not a site's address; write https://board.example.org")
    if parts.scheme == "http" and host not in LOCAL_HOSTS:
        raise UsageProblem(f"{url} would send the token unencrypted: write https://")
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}" + (f":{port}" if port else "")


def store_token(url: str, token: str) -> Path:
    """Store a site's token, readable only by this user; it becomes the last login."""
    return _write({name: kept for name, kept in _stored().items() if name != url} | {url: token})


def forget_token(url: str) -> bool:
    """Remove a site's token; return whether there was one."""
    stored = _stored()
    known = stored.pop(url, None) is not None
    if known:
        _write(stored)
    return known


def own_folder() -> Path:
    """The folder for the client's private files."""
    folder = Path.home() / ".config" / "superboard"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _stored() -> dict[str, str]:
    path = _file()
    if not path.exists():
        return {}
    mode = path.stat().st_mode
    if stat.S_IMODE(mode) & 0o077:
        raise UsageProblem(f"other users can read {path}: chmod 600 it, and revoke the token")
    try:
        stored = json.loads(path.read_text())
    except ValueError:
        raise UsageProblem(f"{path} is not a valid token file: log in again") from None
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
