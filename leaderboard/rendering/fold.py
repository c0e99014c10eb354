"""Folds long texts: the first view shows some lines, and pages show the whole text.

The first view keeps the head, the tail, and the lines around each hit; a hit is never folded away (if it
spans very many lines, its first and last three stay). A long line of a folded text is cut too, around the
hits in it.

Whatever is hidden is a link to the page that has it. Its ``data-hides`` has two places in the text, so that a
script can show there what is hidden, and no more; ``data-from`` and ``data-to`` of a ``pre`` have where its
text begins and ends. A place is ``LINE:COLUMN``: the line from 1, the column in code points from 0.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, count, pairwise
from typing import NamedTuple

from leaderboard.domain.text import plural
from leaderboard.rendering.addresses import PAGE_URL, marker
from leaderboard.rendering.lines import LEFT_OUT_KIND, Line, Lines, cut, line_html, lines_html, plain_lines
from leaderboard.rendering.model import Page

MAX_LINES = 40
MAX_CHARACTERS = 6_000
ENDS = 12
AROUND = 1
EDGE = 3
MIN_GAP = 4
PAGE_LINES = 500
PAGE_CHARACTERS = 64_000
CUT_LINE = 400
CUT_ENDS = 160
CUT_AROUND = 80
LONG_HIT = 4_000
"""Of a longer hit in one line, in characters, both ends are shown."""


class Folded(NamedTuple):
    """The first view's ``html``, the plain text, and the pages (none if nothing is hidden)."""

    html: str
    text: str
    pages: list[Page]


def fold(lines: Iterable[Line], step: int, part: str, *, whole: bool = False) -> Folded:
    """Fold one text. ``whole``: hidden lines are put into ``details`` elements instead of pages."""
    shown = lines if isinstance(lines, Lines) else Lines(lines)
    text = "\n".join(shown.texts)
    if len(shown) <= MAX_LINES and len(text) <= MAX_CHARACTERS:
        is_empty = not text and not any(line.marks for line in shown.rich)
        return Folded("" if is_empty else _pre(shown, ids=True), text, [])
    long_text = _LongText(shown, step, part)
    pages = [] if whole else list(long_text.pages())
    size = plural(len(shown), "{n} line", "{n} lines") + f", {len(text):,} characters"
    return Folded(f'{long_text.first_view(pages)}<p class="size">{size}</p>', text, pages)


def unfolded(text: str) -> str:
    """The whole of a short text as shown, as its one page; it has no styles and no marks of hits."""
    return _pre(plain_lines(text), ids=False)


def _pre(
    lines: Iterable[Line], *, ids: bool, about: str = "", shorten: Callable[[Line], str] | None = None
) -> str:
    # HTML parsers drop a newline directly after <pre>, so an extra one is needed.
    return f"<pre{about}>\n{lines_html(lines, ids=ids, render=shorten)}</pre>"


class _LongText:
    """A long text; ``ends`` are the offsets after each line and its newline. Lines count from 0 here."""

    def __init__(self, lines: Lines, step: int, part: str) -> None:
        self.step = step
        self.part = part
        self.lines = lines
        self.ends = array("q", accumulate([len(text) + 1 for text in lines.texts]))
        self.ends[-1] -= 1

    def pages(self) -> Iterable[Page]:
        """The whole text, page by page; only a line that is longer than a page is on several."""
        line = column = number = 0
        while line < len(self.lines):
            start = self._start(line) + column
            fitting = bisect_right(self.ends, start + PAGE_CHARACTERS)
            after = min(fitting, line + PAGE_LINES)
            if after > line:
                shown = self.lines[line:after]
                if column:
                    shown = Lines([cut(shown[0], column, len(shown.texts[0])), *shown[1:]])
                following, end, last = (after, 0), self.ends[after - 1], after
            else:
                following, end = (line, column + PAGE_CHARACTERS), start + PAGE_CHARACTERS
                shown, last = Lines([cut(self.lines[line], column, column + PAGE_CHARACTERS)]), line + 1
            about = f' data-from="{_place(line, column)}" data-to="{_place(*following)}"'
            number += 1
            html = _pre(shown, ids=False, about=about)
            yield Page(self.step, self.part, number, html, line + 1, last, start, end)
            line, column = following

    def _start(self, line: int) -> int:
        return self.ends[line - 1] if line else 0

    def first_view(self, pages: Sequence[Page]) -> str:
        """The HTML that is shown at first; without pages, it contains the hidden lines too."""
        parts: list[str] = []
        previous = 0
        for first, after in _merged([(index, index + 1) for index in sorted(self._kept())]):
            if first > previous:
                parts.append(self._gap(previous, first, pages))
            about = f' data-from="{_place(first, 0)}"' if first else ""
            shorten = partial(self._short_html, count(first), pages) if pages else None
            parts.append(_pre(self.lines[first:after], ids=True, about=about, shorten=shorten))
            previous = after
        return "".join(parts)

    def _kept(self) -> set[int]:
        """The indexes of the lines in the first view: both ends, those around hits and a left-out line."""
        total = len(self.lines)
        kept = {*range(min(ENDS, total)), *range(max(0, total - ENDS), total)}
        centres: list[int] = []
        where: dict[tuple[int, int], list[int]] = {}
        for index, line in zip(self.lines.numbers, self.lines.rich, strict=True):
            if line.kind == LEFT_OUT_KIND:
                centres.append(index)
            for mark in line.marks:
                where.setdefault((mark.landmark, mark.ordinal), []).append(index)
        for indexes in where.values():
            centres += [*indexes[:EDGE], *indexes[-EDGE:]]
        for index in centres:
            kept.update(range(max(0, index - AROUND), min(total, index + AROUND + 1)))
        # A very small gap is shown instead of hidden.
        edges = sorted(kept)
        small = [range(a + 1, b) for a, b in pairwise(edges) if 1 < b - a <= MIN_GAP]
        return kept.union(*small)

    def _gap(self, first: int, after: int, pages: Sequence[Page]) -> str:
        characters = self.ends[after - 1] - self._start(first)
        label = plural(after - first, "{n} line hidden", "{n} lines hidden") + f", {characters:,} characters"
        if not pages:
            hidden = _pre(self.lines[first:after], ids=False)
            return f'<details class="fold"><summary>{label}</summary>{hidden}</details>'
        return self._link("fold", label, (first, 0), (after, 0), pages)

    def _short_html(self, numbers: Iterator[int], pages: Sequence[Page], line: Line) -> str:
        """A line of the first view, the next of ``numbers``; of a long one, ends and text around hits."""
        index = next(numbers)
        length = len(line.text)
        if length <= CUT_LINE:
            return line_html(line, ids=True)
        windows = [(0, CUT_ENDS), (length - CUT_ENDS, length)]
        for mark in line.marks:
            if mark.end - mark.start > LONG_HIT:
                middle = mark.start + LONG_HIT // 2, mark.end - LONG_HIT // 2
                windows += [(max(0, mark.start - CUT_AROUND), middle[0])]
                windows += [(middle[1], min(length, mark.end + CUT_AROUND))]
            else:
                windows += [(max(0, mark.start - CUT_AROUND), min(length, mark.end + CUT_AROUND))]
        parts: list[str] = []
        at = 0
        for start, end in _merged(sorted(windows)):
            if start > at:
                label = plural(start - at, "{n} character cut", "{n} characters cut")
                parts.append(self._link("fold cut", label, (index, at), (index, start), pages))
            parts.append(line_html(cut(line, start, end), ids=True))
            at = end
        return "".join(parts)

    def _link(
        self, name: str, label: str, begin: tuple[int, int], end: tuple[int, int], pages: Sequence[Page]
    ) -> str:
        """What is hidden from ``begin`` to ``end``, as a link to its first line."""
        line, column = begin
        page = pages[bisect_right(pages, self._start(line) + column, key=lambda page: page.start) - 1]
        href = marker(PAGE_URL, self.step, self.part, page.number, line + 1)
        return f'<a class="{name}" href="{href}" data-hides="{_place(*begin)} {_place(*end)}">{label}</a>'


def _place(line: int, column: int) -> str:
    return f"{line + 1}:{column}"


def _merged(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted ranges [first, after), those that touch as one."""
    merged: list[tuple[int, int]] = []
    for start, end in ranges:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
