"""Send webhooks to public addresses only.

Submitters choose the address, so it is untrusted: https only (on a local site also http), no address of this
machine or of a private network, no redirects, a bounded answer. The connection goes to the IP address that
was checked, so a name that resolves to another address later (DNS rebinding) gains nothing.
"""

from __future__ import annotations

import hashlib
import hmac
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
from leaderboard.domain.internet import is_address, is_public
from leaderboard.models import Team

if TYPE_CHECKING:
    import httpx


SIGNATURE_HEADER: Final = "X-Superboard-Signature"
URL_LENGTH: Final = 500
TIMEOUT_SECONDS: Final = 10.0
"""Limit of each read and write."""
DEADLINE_SECONDS: Final = 30.0
"""Limit of the whole request: a receiver that answers byte by byte must not block a worker."""


class WebhookFailed(Exception):
    """The webhook could not be delivered; another try may succeed."""


class WebhookRefused(WebhookFailed):
    """Webhooks to this address are not allowed, now or later."""


def webhook_key(team: Team) -> str:
    """The key that signs a team's webhooks. It is derived from SECRET_KEY, so it changes with it."""
    return salted_hmac("superboard.webhook", str(team.pk), algorithm="sha256").hexdigest()


def sign(key: str, body: bytes) -> str:
    """The value of the signature header for a body."""
    return "sha256=" + hmac.new(key.encode(), body, hashlib.sha256).hexdigest()


def webhook_problem(url: Any) -> Problem | None:
    """What is wrong with the text of an address; its name is not resolved."""
    if url == "":
        return None
    if not isinstance(url, str) or len(url) > URL_LENGTH:
        return Problem("form", "webhook", f"it is not an address of at most {URL_LENGTH:,} characters")
    reason = _fault(url)
    return Problem("form", "webhook", reason, "give an https:// address") if reason else None


def post(url: str, payload: Mapping[str, Any], *, key: str) -> None:
    """Send ``payload`` as JSON, signed with ``key``.

    Raises:
        WebhookRefused: webhooks to this address are not allowed.
        WebhookFailed: it could not be delivered; says why.
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
            # The certificate is checked against the name, although the URL has the IP address.
            client.stream(
                "POST",
                urlunsplit((parts.scheme, netloc, parts.path or "/", parts.query, "")),
                content=body,
                headers=headers,
                extensions={"sni_hostname": host},
            ) as answer,
        ):
            # The body is not needed, and could be endless, so it is not read.
            status = answer.status_code
    except (httpx.HTTPError, httpx.InvalidURL, OSError, RuntimeError) as error:
        # The last two are raised if `_closed_in_time` closed the connection.
        raise WebhookFailed(f"{host}: {type(error).__name__}: {error}") from error
    if not 200 <= status < 300:
        raise WebhookFailed(f"{host} answered {status}")


@contextmanager
def _closed_in_time(client: httpx.Client) -> Iterator[None]:
    """Close the connections of ``client`` after `DEADLINE_SECONDS`, also in the middle of a request."""
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
        parts.port  # noqa: B018 - raises if it is invalid
    except ValueError:
        return "it is not a web address"
    allowed = ("https", "http") if settings.LOCAL else ("https",)
    if parts.scheme not in allowed or not parts.hostname or any(sign <= " " or sign == "\\" for sign in url):
        return "it is not a web address that begins with https://"
    if not url.isascii():
        # Two libraries could read different hosts from it.
        return "it has characters other than ASCII: write its host as xn--… and the rest as %…"
    if parts.username or parts.password:
        return "it contains a user name or a password"
    if "%" in parts.hostname:
        return "its host has a % in it"
    if not settings.LOCAL and is_address(parts.hostname) and not is_public(parts.hostname):
        return "its host is an address that is not public"
    return None


def _public_address(host: str, port: int) -> str:
    """The first IP address of a host, if all of them are public or the site is local."""
    try:
        found = [str(row[4][0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError) as error:
        raise WebhookFailed(f"{host} can't be resolved: {error}") from error
    for address in found:
        if not settings.LOCAL and not is_public(address):
            raise WebhookRefused(f"{host} is {address}, which is not public")
    return found[0]
