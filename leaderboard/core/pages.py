"""Lists in numbered pages, and the beginnings of lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Model, QuerySet

from leaderboard.domain.pages import Page as Page

Row = TypeVar("Row", bound=Model)
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Beginning(Generic[Item]):
    """The first items of a list, and the number of all."""

    listed: list[Item]
    total: int


def read_beginning(rows: QuerySet[Row], size: int) -> Beginning[Row]:
    """At most ``size`` rows. Two queries."""
    return Beginning(list(rows[:size]), rows.count())


def read_page(rows: QuerySet[Row], page: int, *, size: int, show: Callable[[Row], Item]) -> Page[Item]:
    """A page of at most ``size`` rows, each converted by ``show``. Makes no query beside that of ``rows``."""
    # One extra row shows whether more follow, without a query that counts.
    found = list(rows[(page - 1) * size : page * size + 1])
    return Page([show(row) for row in found[:size]], page, len(found) > size)
