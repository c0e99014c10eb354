"""An HTTP client for the API, with retries and clear errors."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, Self

import httpx

from leaderboard.client.ending import RefusedByServer, Unreachable
from leaderboard.client.show import say
from leaderboard.client.site import LOCAL_HOSTS, Site

TRIES: Final = 6
"""How often a request is sent at most."""
LONGEST_WAIT: Final = 90.0
"""The most seconds between two tries, even if the site asks for more."""
RETRY_STATUSES: Final = frozenset({429, 502, 503, 504})
"""Temporary statuses, after which the request may be sent again."""
TIMEOUT: Final = httpx.Timeout(60.0, connect=10.0)


class Server:
    """A site's API. Use it as a context manager."""

    def __init__(self, site: Site) -> None:
        headers = {"Accept": "application/json", "User-Agent": "superboard"}
        if site.token:
            headers["Authorization"] = f"Bearer {site.token}"
        self.site = site
        self._waiting_reported = False
        # Redirects are not followed, so that the token is sent to its own site only.
        local = httpx.URL(site.url).host in LOCAL_HOSTS
        self._http = httpx.Client(base_url=site.url, headers=headers, timeout=TIMEOUT, trust_env=not local)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._http.close()

    def get(self, path: str, **query: Any) -> Any:
        """The JSON data at an address."""
        response = self.request("GET", path, params={k: v for k, v in query.items() if v} or None)
        try:
            return response.json()
        except ValueError as error:
            # For example the sign-in page of a hotel's network.
            raise Unreachable(f"{self.site.url} does not answer as a Superboard does") from error

    def post(self, path: str, body: Any, *, repeatable: bool = True) -> httpx.Response:
        """Send data; ``repeatable=False`` if the request must not arrive twice."""
        return self.request("POST", path, json=body, repeatable=repeatable)

    def items(self, path: str, **query: Any) -> Iterator[Any]:
        """Every item of a list, page after page."""
        page = self.get(path, **query)
        while True:
            yield from page["items"]
            if not page["next"]:
                return
            page = self.get(page["next"])

    def request(self, method: str, path: str, *, repeatable: bool = True, **options: Any) -> httpx.Response:
        """Send a request, with retries, and return the successful response.

        Raises:
            RefusedByServer: the site refused.
            Unreachable: there was no response after `TRIES` tries.
        """
        retry_statuses = RETRY_STATUSES if repeatable else {429, 503}
        for tried in range(TRIES):
            try:
                response = self._http.request(method, path, **options)
            except httpx.TransportError as error:
                # Without a connection, the request can't have arrived.
                again = repeatable or isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
                if not again or tried == TRIES - 1:
                    raise self._unreachable(error) from error
                self.wait(tried)
                continue
            if response.status_code not in retry_statuses or tried == TRIES - 1:
                return raise_if_refused(response)
            self.wait(tried, response)
        raise AssertionError("the last try returns or raises")

    def send_once(self, path: str, content: Any, *, headers: dict[str, str]) -> httpx.Response:
        """Send a PATCH without retries: the caller must ask for the offset before it sends a chunk again.

        Raises:
            RefusedByServer: the site refused.
            Unreachable: there was no response.
        """
        try:
            return raise_if_refused(self._http.patch(path, content=content, headers=headers))
        except httpx.TransportError as error:
            raise self._unreachable(error) from error

    @contextmanager
    def stream(self, path: str) -> Iterator[httpx.Response]:
        """Stream the bytes at an address; asked to wait before the first byte, it waits and tries again.

        Raises:
            RefusedByServer: the site refused.
            Unreachable: the connection broke.
        """
        try:
            for tried in range(TRIES):
                with self._http.stream("GET", path, headers={"Accept-Encoding": "identity"}) as response:
                    if response.status_code in RETRY_STATUSES and tried < TRIES - 1:
                        self.wait(tried, response)
                        continue
                    if response.status_code != httpx.codes.OK:
                        response.read()
                        raise_if_refused(response)
                    yield response
                    return
        except httpx.TransportError as error:
            raise self._unreachable(error) from error

    def sleep(self, seconds: float) -> None:
        """Wait; tests replace it."""
        time.sleep(seconds)

    def wait(self, tried: int, response: httpx.Response | None = None) -> None:
        """Wait before the next try: as long as the site asks for, else longer each time."""
        asked = response.headers.get("Retry-After", "") if response is not None else ""
        seconds = float(asked) if asked.isdecimal() else 0.5 * 2**tried
        if not self._waiting_reported:
            self._waiting_reported = True
            say(f"{self.site.url} does not answer, or asks to wait: trying again")
        self.sleep(min(seconds, LONGEST_WAIT))

    def _unreachable(self, error: httpx.TransportError) -> Unreachable:
        why = str(error) or type(error).__name__
        remedy = "; set SUPERBOARD_URL, or give --url" if self.site.assumed else ""
        return Unreachable(f"{self.site.url} does not answer: {why}{remedy}")


def raise_if_refused(response: httpx.Response) -> httpx.Response:
    """Return a successful response.

    Raises:
        RefusedByServer: it is an error, or a redirect (the token is not sent to another address).
    """
    if response.is_success:
        return response
    if response.is_redirect:
        location = response.headers.get("Location", "")
        detail = f"the site is at {location}: use that address with --url or SUPERBOARD_URL"
        raise RefusedByServer(response.status_code, {"detail": detail})
    try:
        body = response.json()
    except ValueError:
        body = None
    raise RefusedByServer(response.status_code, body if isinstance(body, dict) else {})
