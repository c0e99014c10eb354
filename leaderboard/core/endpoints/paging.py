"""Lists in pages, by cursors: opaque to callers, signed by us, and good for the very list they came with."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from django.core import signing
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from ninja import Field, Schema

from leaderboard.core.endpoints.problems import Refusal

SIGNER = signing.Signer(salt="leaderboard.core.endpoints.paging")
LARGEST_PAGE = 100
DEFAULT_PAGE = 25

Item = TypeVar("Item")
Row = TypeVar("Row", bound=Model)


class Paging(Schema):
    """Which part of a list is asked for."""

    limit: int = Field(DEFAULT_PAGE, ge=1, le=LARGEST_PAGE, description="How many items at most.")
    cursor: str = Field(
        "", max_length=1000, description="From `next` of the page before; empty for the first."
    )


class Page(Schema, Generic[Item]):
    """A part of a list. `next` is the address of the following part, null on the last."""

    items: list[Item]
    next: str | None


def read_cursor(request: HttpRequest, paging: Paging) -> Any:
    """Where the page that is asked for begins, as `link_after` was told; None for the first page.

    Raises:
        Refusal: the cursor is none of ours, or belongs to another list or another query.
    """
    if not paging.cursor:
        return None
    try:
        of, place = SIGNER.unsign_object(paging.cursor)
    except (signing.BadSignature, ValueError, zlib.error):
        of, place = None, None
    if of != _list_of(request):
        raise Refusal("bad-cursor")
    return place


def link_after(request: HttpRequest, place: Any) -> str:
    """The address of the page of the same list that begins after ``place``, which is plain data."""
    query = request.GET.copy()
    query["cursor"] = SIGNER.sign_object([_list_of(request), place], compress=True)
    return f"{request.path}?{query.urlencode()}"


def take_page(
    request: HttpRequest, paging: Paging, rows: QuerySet[Row], *, order: Sequence[str]
) -> tuple[list[Row], str | None]:
    """A page of ``rows``, and the address of the next one.

    Args:
        request: whose query the next address repeats.
        paging: what part is asked for.
        rows: the list, in any order.
        order: fields that no two rows share together, largest first where they begin with ``-``.
    """
    after = read_cursor(request, paging)
    if after is not None:
        rows = rows.filter(_beyond(order, after))
    # One more than is shown tells whether more follow, and saves the counting.
    found = list(rows.order_by(*order)[: paging.limit + 1])
    shown = found[: paging.limit]
    more = len(found) > paging.limit
    return shown, link_after(request, _place(shown[-1], order)) if more else None


def _beyond(order: Sequence[str], after: Sequence[Any]) -> Q:
    """Rows that come later than the one whose fields are ``after``."""
    beyond, equal = Q(), Q()
    for field, value in zip(order, after, strict=True):
        name = field.removeprefix("-")
        beyond |= equal & Q(**{f"{name}__{'lt' if field.startswith('-') else 'gt'}": value})
        equal &= Q(**{name: value})
    return beyond


def _place(row: Model, order: Sequence[str]) -> list[Any]:
    values = []
    for field in order:
        value: Any = row
        for name in field.removeprefix("-").split("__"):
            value = getattr(value, name)
        values.append(value if isinstance(value, int) else str(value))
    return values


def _list_of(request: HttpRequest) -> str:
    """A short name for a list and its query, whatever the cursor."""
    query = sorted((name, values) for name, values in request.GET.lists() if name != "cursor")
    return hashlib.sha256(f"{request.path}?{query}".encode()).hexdigest()[:16]
