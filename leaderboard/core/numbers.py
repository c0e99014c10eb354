"""Parsing numbers in URLs and forms."""

from __future__ import annotations

from django.http import QueryDict

MAX_PAGE = 1_000_000
DIGITS = 18
"""Most digits of an accepted number: enough for every size and primary key, and fast to parse."""


def whole_number(text: str) -> int | None:
    """The text as a number of 0 or more; None if it is not one or has too many digits."""
    return int(text) if text.isdecimal() and len(text) <= DIGITS else None


def page_number(data: QueryDict) -> int:
    """The page number in a URL's query; 1 if it is missing or malformed."""
    return min(max(whole_number(data.get("page", "")) or 1, 1), MAX_PAGE)


def row_number(data: QueryDict, name: str) -> int:
    """A primary key in a form or query; 0, which no row has, if it is missing or malformed."""
    return whole_number(data.get(name, "")) or 0
