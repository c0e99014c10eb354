"""Folds long texts: the first view shows some rows, and pages show the whole text.

The first view keeps the head, the tail, and the rows around each hit; a hit is never folded away (if it spans
very many rows, its first and last three stay). A long row of a folded text is cut too, around the hits in it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from leaderboard.domain.text import plural
from leaderboard.rendering.addresses import PAGE_URL, marker
from leaderboard.rendering.lines import LEFT_OUT_KIND, Line, cut, line_html, lines_html
from leaderboard.rendering.model import Page

MAX_LINES = 40
MAX_CHARACTERS = 6_000
ENDS = 12
ROW = 2_000
"""The most characters of one row: a longer line takes several rows."""
AROUND = 1
EDGE = 3
MIN_GAP = 4
PAGE_LINES = 500
PAGE_CHARACTERS = 64_000
CUT_ROW = 400
CUT_ENDS = 160
CUT_AROUND = 80


class Folded(NamedTuple):
    """The first view's ``html``, the plain text, and the pages (none if nothing is hidden)."""

    html: str
    text: str
    pages: list[Page]


def fold(lines: Iterable[Line], step: int, part: str, *, whole: bool = False) -> Folded:
    """Fold one text. ``whole``: hidden rows are put into ``details`` elements instead of pages."""
    shown = list(lines)
    text = "\n".join([line.text for line in shown])
    if len(shown) <= MAX_LINES and len(text) <= MAX_CHARACTERS:
        is_empty = not text and not any(line.marks for line in shown)
        return Folded("" if is_empty else _pre(shown, ids=True), text, [])
    long_text = _LongText(shown, step, part)
    pages = [] if whole else list(long_text.pages())
    size = plural(len(shown), "{n} line", "{n} lines") + f", {len(text):,} characters"
    return Folded(f'{long_text.first_view(pages)}<p class="size">{size}</p>', text, pages)


def _pre(lines: Iterable[Line], *, ids: bool, shorten: Callable[[Line], str] | None = None) -> str:
    # HTML parsers drop a newline directly after <pre>, so an extra one is needed.
    return f"<pre>\n{lines_html(lines, ids=ids, render=shorten)}</pre>"


def _short_html(row: Line) -> str:
    """A row of the first view; of a long one, both ends and the text around each hit."""
    length = len(row.text)
    if length <= CUT_ROW:
        return line_html(row, ids=True)
    windows = [(0, CUT_ENDS), (length - CUT_ENDS, length)]
    windows += [(max(0, m.start - CUT_AROUND), min(length, m.end + CUT_AROUND)) for m in row.marks]
    parts: list[str] = []
    at = 0
    for start, end in _merged(sorted(windows)):
        if start > at:
            label = plural(start - at, "{n} character cut", "{n} characters cut")
            parts.append(f'<span class="cut">{label}</span>')
        parts.append(line_html(cut(row, start, end), ids=True))
        at = end
    return "".join(parts)


class _LongText:
    """A long text as rows of at most ROW characters; ``numbers`` are the lines they belong to, from 1."""

    def __init__(self, lines: list[Line], step: int, part: str) -> None:
        self.step = step
        self.part = part
        self.rows = lines
        self.numbers: Sequence[int] = range(1, len(lines) + 1)
        sizes = [len(line.text) + 1 for line in lines]
        if max(sizes) > ROW + 1:
            sizes = self._split(lines)
        self.ends = list(accumulate(sizes))
        self.ends[-1] -= 1

    def _split(self, lines: list[Line]) -> list[int]:
        """Split long lines into rows; return the rows' sizes, with a newline counted at each line's end."""
        rows: list[Line] = []
        numbers: list[int] = []
        sizes: list[int] = []
        for number, line in enumerate(lines, start=1):
            length = len(line.text)
            pieces = [line] if length <= ROW else [cut(line, at, at + ROW) for at in range(0, length, ROW)]
            rows += pieces
            numbers += [number] * len(pieces)
            sizes += [len(piece.text) for piece in pieces]
            sizes[-1] += 1
        self.rows, self.numbers = rows, numbers
        return sizes

    def pages(self) -> Iterable[Page]:
        """The whole text, page by page."""
        first = count = 0
        while first < len(self.rows):
            fitting = bisect_right(self.ends, self._start(first) + PAGE_CHARACTERS)
            after = min(max(fitting, first + 1), first + PAGE_LINES, len(self.rows))
            html = _pre(self.rows[first:after], ids=False)
            lines = self.numbers[first], self.numbers[after - 1]
            count += 1
            yield Page(self.step, self.part, count, html, *lines, self._start(first), self.ends[after - 1])
            first = after

    def _start(self, row: int) -> int:
        return self.ends[row - 1] if row else 0

    def first_view(self, pages: Sequence[Page]) -> str:
        """The HTML that is shown at first; without pages, it contains the hidden rows too."""
        parts: list[str] = []
        previous = 0
        for first, after in _merged([(index, index + 1) for index in sorted(self._kept())]):
            if first > previous:
                parts.append(self._gap(previous, first, pages))
            parts.append(_pre(self.rows[first:after], ids=True, shorten=_short_html if pages else None))
            previous = after
        return "".join(parts)

    def _kept(self) -> set[int]:
        """The indexes of the rows in the first view: both ends, and those around hits and a left-out line."""
        count = len(self.rows)
        kept = {*range(min(ENDS, count)), *range(max(0, count - ENDS), count)}
        centres = [index for index, row in enumerate(self.rows) if row.kind == LEFT_OUT_KIND]
        where: dict[tuple[int, int], list[int]] = {}
        for index, row in enumerate(self.rows):
            for mark in row.marks:
                where.setdefault((mark.landmark, mark.ordinal), []).append(index)
        for indexes in where.values():
            centres += [*indexes[:EDGE], *indexes[-EDGE:]]
        for index in centres:
            kept.update(range(max(0, index - AROUND), min(count, index + AROUND + 1)))
        # A very small gap is shown instead of hidden.
        edges = sorted(kept)
        small = [range(a + 1, b) for a, b in pairwise(edges) if 1 < b - a <= MIN_GAP]
        return kept.union(*small)

    def _gap(self, first: int, after: int, pages: Sequence[Page]) -> str:
        hidden = self.rows[first:after]
        characters = self.ends[after - 1] - self._start(first)
        label = plural(len(hidden), "{n} line hidden", "{n} lines hidden") + f", {characters:,} characters"
        if not pages:
            return f'<details class="fold"><summary>{label}</summary>{_pre(hidden, ids=False)}</details>'
        page = pages[bisect_left(pages, self.numbers[first], key=lambda page: page.last_line)]
        return f'<a class="fold" href="{marker(PAGE_URL, self.step, self.part, page.number)}">{label}</a>'


def _merged(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted ranges [first, after), those that touch as one."""
    merged: list[tuple[int, int]] = []
    for start, end in ranges:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
