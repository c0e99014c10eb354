"""Copy the site page by page, from its first one along its links, as readers without an account get it."""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from html import escape
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import Final
from urllib.parse import unquote_to_bytes

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import FileResponse, HttpResponseBase, StreamingHttpResponse
from django.http.response import HttpResponse
from django.utils.http import parse_header_parameters

from leaderboard.exporting.names import download_name, page_name, relative_link
from leaderboard.exporting.places import Bounds, Kind, Place, address_of, is_chart, place_of
from leaderboard.exporting.rewriting import Changes, rewrite

START: Final = "/"
EVERY: Final = 100
"""Pages between two lines of progress."""
SHOWN: Final = 20
"""Broken links that an error lists."""
READABLE: Final = (HTTPStatus.OK, HTTPStatus.GONE)
"""Of a withdrawn entry a reader gets its reason, as gone."""


class BrokenLinksError(Exception):
    """Links of the site lead nowhere; its text lists them."""


@dataclass(slots=True)
class Copied:
    """What was copied so far."""

    pages: int = 0
    files: int = 0
    size: int = 0
    """Bytes."""


@dataclass(slots=True)
class SiteCopy:
    """A copy of the site in an empty folder; links to what it lacks lead to ``live``, if there is one."""

    folder: Path
    live: str
    bounds: Bounds | None
    say: Callable[[str], object]
    note: str = ""
    """What the foot of each page says of the copy; by default that it is one, and of what site."""
    copied: Copied = field(default_factory=Copied)
    _handler: WSGIHandler = field(default_factory=WSGIHandler)
    _files: dict[str, str] = field(default_factory=dict)
    """The file of each address that is linked to; it is written by the end."""
    _taken: set[str] = field(default_factory=set)
    _waiting: deque[tuple[str, str]] = field(default_factory=deque)
    """Addresses of pages, each with that of the page that named it first."""
    _broken: list[str] = field(default_factory=list)

    def make(self) -> Copied:
        """Copy the site. The same site gives the same bytes.

        Raises:
            BrokenLinksError: a page links to what is not there.
            OSError: a file can't be written.
        """
        self._add_page(START, "")
        while self._waiting:
            self._copy_page(*self._waiting.popleft())
            if self.copied.pages % EVERY == 0:
                self.say(
                    f"{self.copied.pages:,} pages copied, {len(self._waiting):,} more are linked to so far"
                )
        if self._broken:
            more = len(self._broken) - SHOWN
            raise BrokenLinksError("\n".join(self._broken[:SHOWN] + [f"and {more:,} more"] * (more > 0)))
        return self.copied

    def _copy_page(self, address: str, named_by: str) -> None:
        response = self._get(address, named_by)
        if not isinstance(response, HttpResponse):
            return
        file, charts = self._files[address], []

        def chart(link: str) -> str:
            charts.append(link)
            return self._chart(link, address)

        head = f'<meta http-equiv="Content-Security-Policy" content="{escape(file_policy(response))}">'
        if self.live:
            head += f'<link rel="canonical" href="{escape(self.live + address)}">'
        changes = Changes(
            link=lambda link: self._link(link, address, file),
            chart=chart,
            head=head,
            foot=self._note(address),
        )
        self._write(file, [rewrite(response.content.decode(), changes).encode()])
        self.copied.pages += 1

    def _link(self, link: str, page: str, file: str) -> str | None:
        """What a page's link becomes; None if the copy has nothing for it."""
        address = address_of(link, page)
        # A place of the same page, or not of this site.
        if address is None or link.startswith("#"):
            return link
        place = place_of(address, self.bounds)
        # The same page in another order is a promise that it would not keep.
        is_same = (
            place is not None
            and place.address == page
            and address.partition("?")[2] != page.partition("?")[2]
        )
        to_file = None if place is None or is_same else self._file_of(place, page)
        if to_file is None:
            return f"{self.live}{address}" if self.live else None
        fragment = link.partition("#")[2]
        return relative_link(file, to_file) + (f"#{fragment}" if fragment else "")

    def _file_of(self, place: Place, page: str) -> str | None:
        """The file of a place; one that is no page is copied at once. None if it is not there."""
        if place.address not in self._files:
            if place.kind is Kind.PAGE:
                self._add_page(place.address, page)
            else:
                self._copy_file(place, page)
        return self._files.get(place.address)

    def _add_page(self, address: str, named_by: str) -> None:
        self._files[address] = self._take(page_name(address))
        self._waiting.append((address, named_by))

    def _copy_file(self, place: Place, page: str) -> None:
        response = self._get(place.address, page)
        if response is None:
            return
        name = page_name(place.address)
        if place.kind is Kind.DOWNLOAD:
            said = parse_header_parameters(response.get("Content-Disposition", ""))[1]
            name = download_name(place.address, said.get("filename", "file"))
        self._files[place.address] = self._take(name)
        self._write(name, content_of(response))
        self.copied.files += 1

    def _chart(self, link: str, page: str) -> str:
        """A chart's data as an address that a script may fetch in a page opened from disk."""
        address = address_of(link, page) or ""
        response = self._get(address, page) if is_chart(address) else None
        data = b"".join(content_of(response)) if response else b"{}"
        return f"data:application/json;base64,{base64.b64encode(data).decode()}"

    def _get(self, address: str, named_by: str) -> HttpResponseBase | None:
        """What the site answers; None, and a line among the broken links, if that is not the thing itself."""
        response = self._handler.get_response(request_for(address))
        if response.status_code in READABLE:
            return response
        self._broken.append(f"{address} (linked from {named_by or 'nowhere'}): status {response.status_code}")
        return None

    def _take(self, name: str) -> str:
        if name.lower() in self._taken:
            raise ValueError(f"Two addresses have the file {name}.")
        self._taken.add(name.lower())
        return name

    def _write(self, name: str, content: Iterable[bytes]) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            for part in content:
                self.copied.size += file.write(part)

    def _note(self, address: str) -> str:
        if self.note:
            return f"<p>{escape(self.note)}</p>"
        site = (
            f'<a href="{escape(self.live + address)}" rel="noopener">the site</a>'
            if self.live
            else "the site"
        )
        return (
            f"<p>This is a page of a copy: what needs {site} itself, such as search, filters and accounts, "
            "is not part of it.</p>"
        )


def request_for(address: str) -> WSGIRequest:
    """The request of a reader without an account."""
    path, _, query = address.partition("?")
    return WSGIRequest(
        {
            "REQUEST_METHOD": "GET",
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
            "QUERY_STRING": query,
            "SERVER_NAME": settings.ALLOWED_HOSTS[0].lstrip("*.") or "localhost",
            "SERVER_PORT": "443" if settings.HTTPS else "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "wsgi.url_scheme": "https" if settings.HTTPS else "http",
            "wsgi.input": BytesIO(),
            # As pages are asked for without htmx. With the header no page is taken from those that are kept
            # ready, or kept: a whole site would take the place of what readers ask for.
            "HTTP_HX_REQUEST": "false",
        }
    )


def content_of(response: HttpResponseBase) -> Iterable[bytes]:
    """The bytes of a response, part by part."""
    if isinstance(response, StreamingHttpResponse):
        yield from response
    elif isinstance(response, HttpResponse):
        yield response.content
    # Not `response.close`, which ends a request: it closes the connection to the database.
    if isinstance(response, FileResponse) and response.file_to_stream:
        response.file_to_stream.close()


def file_policy(response: HttpResponseBase) -> str:
    """A page's Content-Security-Policy for a file: what was of the site is beside it, and nothing is sent."""
    given = (part.split() for part in response.get("Content-Security-Policy", "").split(";"))
    policy = {words[0]: words[1:] for words in given if words}
    # Only a header can have it.
    policy.pop("frame-ancestors", None)
    # Some browsers take no file for the same origin as another one.
    policy = {name: [*words, "file:"] if "'self'" in words else words for name, words in policy.items()}
    policy |= {"connect-src": ["data:"], "form-action": ["'none'"]}
    # The site writes them in another order in each process.
    return "; ".join(" ".join((name, *sorted(words))) for name, words in sorted(policy.items()))
