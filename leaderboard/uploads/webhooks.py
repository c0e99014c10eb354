"""Telling another server that checking has ended, without letting it be used to reach what is private.

The receiver is whoever an upload names, so its address is not to be trusted: https alone (http too on a local
site), no address of this machine or of a private network, no redirects, a bounded answer. The address that
was looked at is the one that is connected to: a name that resolves to something else the next time gains
nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.utils.crypto import salted_hmac

from leaderboard.domain.errors import Problem
from leaderboard.models import Team

if TYPE_CHECKING:
    import httpx


SIGNATURE_HEADER: Final = "X-Superboard-Signature"
URL_LENGTH: Final = 500
TIMEOUT_SECONDS: Final = 10.0
"""Of each read and write."""
DEADLINE_SECONDS: Final = 30.0
"""Of all of it: a receiver that answers byte by byte must not keep a worker."""


class WebhookFailed(Exception):
    """The receiver could not be told; another try may help."""


class WebhookRefused(WebhookFailed):
    """The address may not be told anything, now or later."""


def webhook_key(team: Team) -> str:
    """What a team's notices are signed with. It is derived, not stored: a new SECRET_KEY is a new one."""
    return salted_hmac("superboard.webhook", str(team.pk), algorithm="sha256").hexdigest()


def sign(key: str, body: bytes) -> str:
    """The signature header of a body."""
    return "sha256=" + hmac.new(key.encode(), body, hashlib.sha256).hexdigest()


def webhook_problem(url: Any) -> Problem | None:
    """What is wrong with an address, as far as its text tells; nothing is looked up."""
    if url == "":
        return None
    if not isinstance(url, str) or len(url) > URL_LENGTH:
        return Problem("form", "webhook", f"it is no address of at most {URL_LENGTH:,} characters")
    reason = _fault(url)
    return Problem("form", "webhook", reason, "give an https:// address") if reason else None


def post(url: str, payload: Mapping[str, Any], *, key: str) -> None:
    """Send ``payload`` as JSON, signed with ``key``.

    Raises:
        WebhookRefused: the address may not be told anything.
        WebhookFailed: it did not take it; says why.
    """
    if reason := _fault(url):
        raise WebhookRefused(reason)
    parts = urlsplit(url)
    host = parts.hostname or ""
    address = _public_address(host, parts.port or (443 if parts.scheme == "https" else 80))
    body = json.dumps(payload, ensure_ascii=False, sort_keys=True).encode()
    bracketed = f"[{address}]" if ":" in address else address
    netloc = f"{bracketed}:{parts.port}" if parts.port else bracketed
    headers = {
        "Host": parts.netloc.rpartition("@")[2],
        "Content-Type": "application/json",
        "User-Agent": "Superboard",
        SIGNATURE_HEADER: sign(key, body),
    }
    import httpx  # noqa: PLC0415 - slow to import, and few processes send

    try:
        with (
            httpx.Client(timeout=TIMEOUT_SECONDS, follow_redirects=False, trust_env=False) as client,
            _closed_in_time(client),
            # The certificate is checked for the name, whatever the address in front of it.
            client.stream(
                "POST",
                urlunsplit((parts.scheme, netloc, parts.path or "/", parts.query, "")),
                content=body,
                headers=headers,
                extensions={"sni_hostname": host},
            ) as answer,
        ):
            # What it says is not read: nobody here needs it, and there could be no end to it.
            status = answer.status_code
    except (httpx.HTTPError, httpx.InvalidURL, OSError, RuntimeError) as error:
        # The last two where the connection was closed under it.
        raise WebhookFailed(f"{host}: {type(error).__name__}: {error}") from error
    if not 200 <= status < 300:
        raise WebhookFailed(f"{host} answered {status}")


@contextmanager
def _closed_in_time(client: httpx.Client) -> Iterator[None]:
    """Close the connections of ``client`` after `DEADLINE_SECONDS`, whatever it is doing then."""
    timer = threading.Timer(DEADLINE_SECONDS, client.close)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _fault(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises where it is none
    except ValueError:
        return "it is no web address"
    allowed = ("https", "http") if settings.LOCAL else ("https",)
    if parts.scheme not in allowed or not parts.hostname or any(sign <= " " or sign == "\\" for sign in url):
        return "it is no web address that begins with https://"
    if not url.isascii():
        # Two libraries could take it for two hosts.
        return "there are other letters than ASCII in it: write its host as xn--… and the rest as %…"
    if parts.username or parts.password:
        return "there is a name or a password in it"
    return None


def _public_address(host: str, port: int) -> str:
    """The first address of a host, if every address of it is public, or the site is local."""
    try:
        found = [str(row[4][0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError) as error:
        raise WebhookFailed(f"{host} can't be found: {error}") from error
    for address in found:
        if not settings.LOCAL and not _is_public(address):
            raise WebhookRefused(f"{host} is {address}, which is not public")
    return found[0]


def _is_public(address: str) -> bool:
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        # Addresses that carry another one inside lead wherever that one does.
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo or (None, None))[1]
        if inner is not None:
            return _is_public(str(inner))
        if parsed in NAT64:
            return False
    return parsed.is_global and not parsed.is_multicast


NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
