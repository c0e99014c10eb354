"""Measurements as an aligned table: ours, what they are held against, and the ratio of the two."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import NamedTuple


class Row(NamedTuple):
    """One measurement: ``ours`` held ``against`` another way or a limit, in ``unit``; ``bound`` in words."""

    name: str
    ours: float
    against: float
    unit: str
    bound: str

    @property
    def ratio(self) -> float:
        """How many times ``ours`` goes into ``against``."""
        return self.against / self.ours if self.ours else float("inf")


def format_table(title: str, rows: Iterable[Row]) -> str:
    """The table as text: names left, figures right."""
    head = (title, "ours", "against", "unit", "ratio", "bound")
    cells = [(r.name, f"{r.ours:,.2f}", f"{r.against:,.2f}", r.unit, f"{r.ratio:.1f}", r.bound) for r in rows]
    widths = [max(len(line[column]) for line in (head, *cells)) for column in range(len(head))]
    return "\n".join(_format_line(line, widths) for line in (head, *cells)) + "\n"


def print_table(title: str, rows: Iterable[Row]) -> None:
    """Writes the table and a blank line to standard output."""
    sys.stdout.write(format_table(title, rows) + "\n")


def _format_line(line: tuple[str, ...], widths: list[int]) -> str:
    name, ours, against, unit, ratio, bound = (
        text.ljust(width) if column in (0, 3, 5) else text.rjust(width)
        for column, (text, width) in enumerate(zip(line, widths, strict=True))
    )
    return "  ".join((name, ours, against, unit, ratio, bound)).rstrip()
