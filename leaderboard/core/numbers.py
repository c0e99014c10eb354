"""Numbers in addresses and forms, checked."""

from __future__ import annotations

from django.http import QueryDict

MAX_PAGE = 1_000_000
DIGITS = 18
"""Of a number that somebody may send: more bytes, or rows, than there ever are, and none too long to read."""


def whole_number(text: str) -> int | None:
    """What somebody sent as a number from 0 on; None where it is none that can be meant."""
    return int(text) if text.isdecimal() and len(text) <= DIGITS else None


def page_number(data: QueryDict) -> int:
    """The page of a list that an address asks for; the first where it asks for none, or for nonsense."""
    return min(max(whole_number(data.get("page", "")) or 1, 1), MAX_PAGE)


def row_number(data: QueryDict, name: str) -> int:
    """The key of a row that somebody sent; 0, which no row has, where it is none."""
    return whole_number(data.get(name, "")) or 0
