"""Lists in pages, by cursors: opaque to callers, signed, and valid only for the list that they came from."""

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
    """Which part of a list to return."""

    limit: int = Field(DEFAULT_PAGE, ge=1, le=LARGEST_PAGE, description="Most items on the page.")
    cursor: str = Field(
        "", max_length=1000, description="From `next` of the previous page; empty for the first page."
    )


class Page(Schema, Generic[Item]):
    """A page of a list. `next` is the address of the next page, null on the last."""

    items: list[Item]
    next: str | None


def read_cursor(request: HttpRequest, paging: Paging) -> Any:
    """The position after which the page begins, as given to `link_after`; None for the first page.

    Raises:
        Refusal: the cursor is malformed, or belongs to another list or query.
    """
    if not paging.cursor:
        return None
    try:
        list_key, position = SIGNER.unsign_object(paging.cursor)
    except (signing.BadSignature, ValueError, zlib.error):
        list_key, position = None, None
    if list_key != _list_key(request):
        raise Refusal("bad-cursor")
    return position


def link_after(request: HttpRequest, position: Any) -> str:
    """The address of the page of the same list that begins after ``position``, a JSON value."""
    query = request.GET.copy()
    query["cursor"] = SIGNER.sign_object([_list_key(request), position], compress=True)
    return f"{request.path}?{query.urlencode()}"


def read_cursor_page(
    request: HttpRequest, paging: Paging, rows: QuerySet[Row], *, order: Sequence[str]
) -> tuple[list[Row], str | None]:
    """A page of ``rows``, and the address of the next one.

    ``order`` names fields that together are unique, with ``-`` in front for descending order.
    """
    after = read_cursor(request, paging)
    if after is not None:
        rows = rows.filter(_rows_after(order, after))
    # One extra row shows whether more follow, without a query that counts.
    found = list(rows.order_by(*order)[: paging.limit + 1])
    shown = found[: paging.limit]
    more = len(found) > paging.limit
    return shown, link_after(request, _position(shown[-1], order)) if more else None


def _rows_after(order: Sequence[str], after: Sequence[Any]) -> Q:
    """Rows that come after the row with the field values ``after``."""
    condition, equal = Q(), Q()
    for field, value in zip(order, after, strict=True):
        name = field.removeprefix("-")
        condition |= equal & Q(**{f"{name}__{'lt' if field.startswith('-') else 'gt'}": value})
        equal &= Q(**{name: value})
    return condition


def _position(row: Model, order: Sequence[str]) -> list[Any]:
    values = []
    for field in order:
        value: Any = row
        for name in field.removeprefix("-").split("__"):
            value = getattr(value, name)
        values.append(value if isinstance(value, int) else str(value))
    return values


def _list_key(request: HttpRequest) -> str:
    """A short key of a list and its query, without the cursor."""
    query = sorted((name, values) for name, values in request.GET.lists() if name != "cursor")
    return hashlib.sha256(f"{request.path}?{query}".encode()).hexdigest()[:16]
