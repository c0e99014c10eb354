"""The API as the client calls it: again where that helps, with words where it does not."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Final, Self

import httpx

from leaderboard.client.ending import RefusedByServer, Unreachable
from leaderboard.client.show import say
from leaderboard.client.site import LOCAL_HOSTS, Site

TRIES: Final = 6
"""How often a request is sent before we give up."""
LONGEST_WAIT: Final = 90.0
"""Seconds between two tries, at most, whatever the site asks for."""
COME_BACK: Final = frozenset({429, 502, 503, 504})
"""Statuses that say nothing about the request: it may be sent again."""
TIMEOUT: Final = httpx.Timeout(60.0, connect=10.0)


class Server:
    """A site's API. Use it as a context manager."""

    def __init__(self, site: Site) -> None:
        headers = {"Accept": "application/json", "User-Agent": "superboard"}
        if site.token:
            headers["Authorization"] = f"Bearer {site.token}"
        self.site = site
        self._told_of_waiting = False
        # Redirects are not followed: a token goes to the site that it is for.
        local = httpx.URL(site.url).host in LOCAL_HOSTS
        self._http = httpx.Client(base_url=site.url, headers=headers, timeout=TIMEOUT, trust_env=not local)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def get(self, path: str, **query: Any) -> Any:
        """The answer of an address, as data."""
        answer = self.request("GET", path, params={k: v for k, v in query.items() if v} or None)
        try:
            return answer.json()
        except ValueError as error:
            # Such as the page of a network that wants one to sign in first.
            raise Unreachable(f"{self.site.url} does not answer as a Superboard does") from error

    def post(self, path: str, body: Any, *, repeatable: bool = True) -> httpx.Response:
        """Send data; where that must not happen twice it is not ``repeatable``."""
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
        """An answer that is no refusal, after as many tries as it takes.

        Raises:
            RefusedByServer: the site said no.
            Unreachable: there was no answer in the end.
        """
        for tried in range(TRIES):
            try:
                answer = self._http.request(method, path, **options)
            except httpx.TransportError as error:
                # What was not even connected has reached nobody.
                again = repeatable or isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
                if not again or tried == TRIES - 1:
                    raise self._unreachable(error) from error
                self.wait(tried)
                continue
            come_back = answer.status_code in COME_BACK and (repeatable or answer.status_code in (429, 503))
            if not come_back or tried == TRIES - 1:
                return checked(answer)
            self.wait(tried, answer)
        raise AssertionError("the last try returns or raises")

    def send_once(self, path: str, content: Any, *, headers: dict[str, str]) -> httpx.Response:
        """A PATCH, once: whoever sends a chunk has to ask where to go on before it is sent again.

        Raises:
            RefusedByServer: the site said no.
            Unreachable: there was no answer.
        """
        try:
            return checked(self._http.patch(path, content=content, headers=headers))
        except httpx.TransportError as error:
            raise self._unreachable(error) from error

    @contextmanager
    def stream(self, path: str) -> Iterator[httpx.Response]:
        """The bytes at an address, as they come.

        Raises:
            RefusedByServer: the site said no.
            Unreachable: the connection broke.
        """
        try:
            with self._http.stream("GET", path, headers={"Accept-Encoding": "identity"}) as answer:
                if answer.status_code != httpx.codes.OK:
                    answer.read()
                    checked(answer)
                yield answer
        except httpx.TransportError as error:
            raise self._unreachable(error) from error

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        time.sleep(seconds)

    def wait(self, tried: int, answer: httpx.Response | None = None) -> None:
        """Pause before the next try: as long as the site asks for, else longer each time."""
        asked = answer.headers.get("Retry-After", "") if answer is not None else ""
        seconds = float(asked) if asked.isdecimal() else 0.5 * 2**tried
        if not self._told_of_waiting:
            self._told_of_waiting = True
            say(f"{self.site.url} does not answer, or asks to wait: trying again")
        self.sleep(min(seconds, LONGEST_WAIT))

    def _unreachable(self, error: httpx.TransportError) -> Unreachable:
        why = str(error) or type(error).__name__
        if self.site.assumed:
            return Unreachable(
                f"{self.site.url} does not answer: {why}; SUPERBOARD_URL isn't set: say which site with it"
            )
        return Unreachable(f"{self.site.url} does not answer: {why}")


def checked(answer: httpx.Response) -> httpx.Response:
    """An answer, if it is none that refuses.

    Raises:
        RefusedByServer: it does; or it leads elsewhere, where no token is sent.
    """
    if answer.is_success:
        return answer
    if answer.is_redirect:
        there = answer.headers.get("Location", "")
        said = f"the site is at {there}: use that address with --url or SUPERBOARD_URL"
        raise RefusedByServer(answer.status_code, {"detail": said})
    try:
        told = answer.json()
    except ValueError:
        told = None
    raise RefusedByServer(answer.status_code, told if isinstance(told, dict) else {})
