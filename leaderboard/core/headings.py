"""The heads of a table's columns, with links that sort by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import QueryDict

if TYPE_CHECKING:  # Not every caller has models.
    from leaderboard.models import Category


@dataclass(frozen=True, slots=True)
class Heading:
    """One column's head; ``about`` explains it. ``aria_sort`` is empty unless the table is sorted by it."""

    key: str
    label: str
    about: str
    link: str
    aria_sort: str
    category: Category | None = None

    @property
    def classes(self) -> str:
        """The look of its link: its category's colour, and the order."""
        colour = f"cat-{self.category.colour} " if self.category else ""
        return (colour + (f"sorted {self.aria_sort}" if self.aria_sort else "")).strip()


def sort_heading(
    query: QueryDict,
    sort: str,
    key: str,
    label: str,
    *,
    about: str = "",
    category: Category | None = None,
    ascending_first: bool = False,
) -> Heading:
    """The head of the column ``key`` of a table in the order ``sort``; its link keeps the rest of ``query``.

    ``sort`` is a column's key, with a leading ``-`` for descending. A link to the column that the table is
    sorted by turns the order round.
    """
    current, is_descending = sort.removeprefix("-") == key, sort.startswith("-")
    descending = not is_descending if current else not ascending_first
    params = query.copy()
    params["sort"] = f"-{key}" if descending else key
    params.pop("page", None)
    direction = "descending" if is_descending else "ascending"
    return Heading(key, label, about, f"?{params.urlencode()}", direction if current else "", category)
