"""Long texts: what the first view keeps, and the pages of the whole.

Kept are the head, the tail, and the rows around each hit; a hit never folds away (of one that spans very many
rows, its first and last three stay). In a folded text a long row is cut as well, around the hits in it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from leaderboard.rendering.lines import ROW, Line, line_html, rows_html
from leaderboard.rendering.model import Page
from leaderboard.rendering.words import PAGE_URL, word

MAX_LINES = 40
MAX_CHARACTERS = 6_000
ENDS = 12
AROUND = 1
EDGE = 3
PAGE_LINES = 500
PAGE_CHARACTERS = 64_000
CUT_ROW = 400
CUT_ENDS = 160
CUT_AROUND = 80


class Folded(NamedTuple):
    """The first view's ``html``, the plain text, and the pages of the whole (none where all is shown)."""

    html: str
    text: str
    pages: list[Page]


class _Row(NamedTuple):
    """A row of at most ROW characters: ``line.text[start:end]``, the ``number``-th line (from 1)."""

    number: int
    line: Line
    start: int
    end: int


def fold(lines: Iterable[Line], step: int, part: str, *, whole: bool = False) -> Folded:
    """Folds one text. ``whole`` puts what is hidden into ``details`` in its place instead of on pages."""
    shown = list(lines)
    text = "\n".join([line.text for line in shown])
    if len(shown) <= MAX_LINES and len(text) <= MAX_CHARACTERS:
        rows = [_Row(number, line, 0, len(line.text)) for number, line in enumerate(shown, start=1)]
        return Folded(_pre(_html(row, ids=True) for row in rows) if text else "", text, [])
    rows = _rows(shown)
    pages = [] if whole else _pages(rows, step, part)
    return Folded(_first_view(rows, pages, step, part, whole=whole), text, pages)


def _rows(lines: Iterable[Line]) -> list[_Row]:
    rows: list[_Row] = []
    for number, line in enumerate(lines, start=1):
        length = len(line.text)
        if length <= ROW:
            rows.append(_Row(number, line, 0, length))
        else:
            rows += [_Row(number, line, at, min(at + ROW, length)) for at in range(0, length, ROW)]
    return rows


def _html(row: _Row, *, ids: bool) -> tuple[str, str]:
    return row.line.kind, line_html(row.line, row.start, row.end, ids=ids)


def _pre(rows: Iterable[tuple[str, str]]) -> str:
    # The parser drops a newline right after <pre>, so one is given away.
    return f"<pre>\n{rows_html(rows)}</pre>"


def _first_view(rows: list[_Row], pages: list[Page], step: int, part: str, *, whole: bool) -> str:
    shown = sorted(_kept(rows))
    parts: list[str] = []
    chunk: list[tuple[str, str]] = []
    previous = -1
    for index in [*shown, len(rows)]:
        if index > previous + 1:
            parts += [_pre(chunk)] if chunk else []
            parts.append(_gap(rows, previous + 1, index, pages, step, part, whole=whole))
            chunk = []
        if index < len(rows):
            row = rows[index]
            chunk.append(_html(row, ids=True) if whole else (row.line.kind, _cut_html(row)))
        previous = index
    parts += [_pre(chunk)] if chunk else []
    characters = sum(row.end - row.start for row in rows)
    parts.append(f'<p class="size">{word("size", rows[-1].number, characters)}</p>')
    return "".join(parts)


def _kept(rows: list[_Row]) -> set[int]:
    """The indexes of the rows that the first view shows."""
    kept = {*range(min(ENDS, len(rows))), *range(max(0, len(rows) - ENDS), len(rows))}
    runs: dict[tuple[int, int], tuple[int, deque[int]]] = {}
    for index, row in enumerate(rows):
        for mark in row.line.marks:
            if not _touches(row, mark.start, mark.end):
                continue
            key = (mark.landmark, mark.ordinal)
            seen, tail = runs.setdefault(key, (0, deque(maxlen=EDGE)))
            tail.append(index)
            if seen < EDGE:
                kept.update(range(max(0, index - AROUND), min(len(rows), index + AROUND + 1)))
            runs[key] = (seen + 1, tail)
    for _, tail in runs.values():
        kept.update(tail)
        kept.add(min(tail[-1] + AROUND, len(rows) - 1))
    return kept


def _touches(row: _Row, start: int, end: int) -> bool:
    if start == end:
        at_end = start == row.end == len(row.line.text)
        return row.start <= start < row.end or at_end
    return start < row.end and end > row.start


def _gap(
    rows: list[_Row], first: int, after: int, pages: list[Page], step: int, part: str, *, whole: bool
) -> str:
    hidden = rows[first:after]
    characters = sum(row.end - row.start for row in hidden)
    label = word("hidden", len(hidden), characters)
    if whole:
        content = _pre(_html(row, ids=False) for row in hidden)
        return f'<details class="fold"><summary>{label}</summary>{content}</details>'
    number = next(page.number for page in pages if page.last_line >= hidden[0].number)
    return f'<a class="fold" href="{word(PAGE_URL, step, part, number)}">{label}</a>'


def _cut_html(row: _Row) -> str:
    """A row of the first view: of a long one both ends and what is around each hit."""
    if row.end - row.start <= CUT_ROW:
        return line_html(row.line, row.start, row.end, ids=True)
    windows = [(row.start, row.start + CUT_ENDS), (row.end - CUT_ENDS, row.end)]
    for mark in row.line.marks:
        if _touches(row, mark.start, mark.end):
            windows.append((max(row.start, mark.start - CUT_AROUND), min(row.end, mark.end + CUT_AROUND)))
    parts: list[str] = []
    at = row.start
    for start, end in _merged(sorted(windows)):
        if start > at:
            parts.append(f'<span class="cut">{word("cut", start - at)}</span>')
        parts.append(line_html(row.line, start, end, ids=True))
        at = end
    return "".join(parts)


def _merged(windows: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged = [windows[0]]
    for start, end in windows[1:]:
        if start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _pages(rows: list[_Row], step: int, part: str) -> list[Page]:
    pages: list[Page] = []
    chunk: list[_Row] = []
    size = start = 0
    for row in rows:
        length = row.end - row.start + (row.end == len(row.line.text))
        if chunk and (len(chunk) >= PAGE_LINES or size + length > PAGE_CHARACTERS):
            pages.append(_page(chunk, step, part, len(pages) + 1, start, start + size))
            start += size
            chunk, size = [], 0
        chunk.append(row)
        size += length
    pages.append(_page(chunk, step, part, len(pages) + 1, start, start + size - 1))
    return pages


def _page(chunk: list[_Row], step: int, part: str, number: int, start: int, end: int) -> Page:
    html = _pre(_html(row, ids=False) for row in chunk)
    return Page(step, part, number, html, chunk[0].number, chunk[-1].number, start, end)
