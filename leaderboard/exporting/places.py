"""Which addresses of the site a copy has: those that readers reach by links, and none that needs a server.

Forms make any number of addresses, by combining filters; so could links. Of a page's queries a copy has those
that are named here. An order is dropped where the copy has the same rows in another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import parse_qsl, unquote, urlencode, urljoin, urlsplit

from django.conf import settings
from django.urls import Resolver404, ResolverMatch, resolve

Keys = frozenset[str]
ORDER: Final = frozenset({"sort"})


class Kind(StrEnum):
    """What is at an address."""

    PAGE = "page"
    DATA = "data"
    """A file whose name the address says."""
    DOWNLOAD = "download"
    """A file whose name comes with it."""


@dataclass(frozen=True, slots=True)
class Place:
    """An address of the site, from its root, with its query in a fixed order."""

    address: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Bounds:
    """One benchmark: of what belongs to a benchmark, a copy has what belongs to this one."""

    benchmark: str
    entries: frozenset[str]
    attempts: frozenset[int]

    def has(self, match: ResolverMatch) -> bool:
        """Whether an address belongs to the benchmark, or to none."""
        inside = {
            "benchmark": self.benchmark == match.kwargs.get("benchmark"),
            "slug": match.kwargs.get("slug") in self.entries,
            "pk": match.kwargs.get("pk") in self.attempts,
        }
        return all(inside.get(name, True) for name in match.kwargs)


def _each(*keys: str) -> frozenset[Keys]:
    """Queries of one of these keys, each on its own."""
    return frozenset(frozenset({key}) for key in keys)


def _paged(*keys: str) -> frozenset[Keys]:
    """The same, and every page of a list."""
    return _each("page", *keys) | frozenset(frozenset({key, "page"}) for key in keys)


PAGES: Final[dict[str, frozenset[Keys]]] = {
    "home": _each("page", "sort", "scorer", "coverage", "at"),
    "board": _each("page", "sort", "scorer", "coverage", "at"),
    "board-history": _each("scorer", "coverage"),
    "benchmark": _each("page", "scorer"),
    "grid": frozenset(),
    "tasks": _each("sort", "category", "solved"),
    "failures": _paged("finding", "landmark", "category", "entry"),
    "task": _paged("finding", "landmark"),
    "entry": _paged("category", "outcome", "finding", "landmarks") | _each("sort"),
    "versions": frozenset(),
    "attempt": frozenset(),
    "output": frozenset(),
    "about": frozenset(),
    "guide": frozenset(),
}
"""The pages of a copy by the names of their addresses, and the keys that a query may have together."""
DATA: Final[dict[str, frozenset[Keys]]] = {
    "benchmark-data": _each("scorer"),
    "board-data": _each("scorer", "coverage", "at"),
    "badge": frozenset(),
}
DOWNLOADS: Final = ("media", "download", "download-output")
CHARTS: Final = ("board-charts", "benchmark-charts")
"""What a page's script asks for: it becomes a part of the page."""


def address_of(link: str, page: str) -> str | None:
    """The address on the site that a link of a page leads to; None if it leads elsewhere."""
    try:
        if urlsplit(link).scheme or link.startswith("//"):
            return None
        return urljoin(page, link).partition("#")[0]
    except ValueError:
        # Such as http://[x, which is no address: agents write whatever they like.
        return None


def place_of(address: str, bounds: Bounds | None = None) -> Place | None:
    """What a copy has of an address: the same, or the same rows in another order; None for neither."""
    path, _, query = address.partition("?")
    if path.startswith(settings.STATIC_URL):
        return Place(path, Kind.DATA)
    match = _match(path)
    if match is None or (bounds and not bounds.has(match)):
        return None
    # Not `url_name`: the API's addresses have the same ones, in a namespace.
    name = match.view_name
    if name in DOWNLOADS:
        return Place(path, Kind.DOWNLOAD)
    allowed = PAGES.get(name, DATA.get(name))
    if allowed is None:
        return None
    # The first page of a list is the list.
    pairs = [
        (key, value)
        for key, value in parse_qsl(query, keep_blank_values=True)
        if (key, value) != ("page", "1")
    ]
    kind = Kind.PAGE if name in PAGES else Kind.DATA
    for kept in (pairs, [pair for pair in pairs if pair[0] not in ORDER]):
        keys = frozenset(key for key, _ in kept)
        if not keys or keys in allowed:
            return Place(f"{path}?{urlencode(sorted(kept))}" if kept else path, kind)
    return None


def is_chart(address: str) -> bool:
    """Whether a page's script asks for it to draw charts."""
    match = _match(address.partition("?")[0])
    return match is not None and match.view_name in CHARTS


def _match(path: str) -> ResolverMatch | None:
    try:
        return resolve(unquote(path))
    except Resolver404:
        return None
