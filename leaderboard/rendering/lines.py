"""Lines as they are shown: text, the classes of its stretches, the landmark hits in it; and their HTML."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from leaderboard.rendering.words import word

ROW = 2_000
"""Characters of one row: a longer line takes several."""

BIDI = {
    0x061C: "⟨ALM⟩",
    0x200E: "⟨LRM⟩",
    0x200F: "⟨RLM⟩",
    0x202A: "⟨LRE⟩",
    0x202B: "⟨RLE⟩",
    0x202C: "⟨PDF⟩",
    0x202D: "⟨LRO⟩",
    0x202E: "⟨RLO⟩",
    0x2066: "⟨LRI⟩",
    0x2067: "⟨RLI⟩",
    0x2068: "⟨FSI⟩",
    0x2069: "⟨PDI⟩",
}
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that would not be seen, or would disturb what is around them."""

_VISIBLE: dict[int, int | str] = {
    **{code: 0x2400 + code for code in range(32) if code not in (9, 10)},
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
    **dict.fromkeys(range(0xD800, 0xE000), 0xFFFD),
    **BIDI,
}


class Mark(NamedTuple):
    """A stretch of a line that belongs to a landmark's hit; ``first`` on the first stretch of the hit."""

    start: int
    end: int
    landmark: int
    ordinal: int
    first: bool


class Line(NamedTuple):
    """One line as shown.

    ``styles`` are (start, end, class), sorted, disjoint; ``marks`` are sorted and may overlap; ``kind`` is
    empty, ``overwritten``, ``ins`` or ``del``.
    """

    text: str
    styles: Sequence[tuple[int, int, str]] = ()
    marks: Sequence[Mark] = ()
    kind: str = ""


def visible(text: str) -> str:
    """``text`` with controls, lone surrogates and bidi overrides made visible; tab and newline stay."""
    return text.translate(_VISIBLE) if UNSEEN.search(text) else text


def escape(text: str) -> str:
    """``text`` for an element's content."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def plain_lines(text: str) -> list[Line]:
    """Lines without styles, however they end; a newline at the very end begins no further one."""
    rows = text.replace("\r\n", "\n").split("\n")
    if rows[-1] == "":
        rows.pop()
    return [Line(visible(row)) for row in rows]


def rows_html(rows: Iterable[tuple[str, str]]) -> str:
    """The inside of a ``pre``: (kind, html) a row; neighbours of one kind share one element."""
    parts = []
    for kind, group in groupby(rows, key=lambda row: row[0]):
        html = "\n".join(row for _, row in group)
        if kind == "overwritten":
            parts.append(
                f'<span class="overwritten"><span class="vh">{word("overwritten")} </span>{html}\n</span>'
            )
        elif kind:
            parts.append(f"<{kind}>{html}\n</{kind}>")
        else:
            parts.append(html + "\n")
    return "".join(parts)


def line_html(line: Line, start: int, end: int, *, ids: bool) -> str:
    """The HTML of ``line.text[start:end]``; ``ids`` gives the first stretch of each hit its id.

    A mark of no width belongs to the row that it begins, or to the last row at the line's end.
    """
    if not line.styles and not line.marks:
        return escape(line.text[start:end])
    last = end >= len(line.text)
    marks = [m for m in line.marks if (m.start < end and m.end > start) or _is_point_in(m, start, end, last)]
    if not marks:
        return _styled(line, start, end)
    cuts = {start, end}
    for mark in marks:
        cuts.update((max(start, mark.start), min(end, mark.end)))
    edges = sorted(cuts)
    parts = []
    for index, left in enumerate(edges):
        points = [m for m in marks if m.start == m.end == left]
        parts += [_mark_html([m], "", ids=ids) for m in points]
        if index + 1 < len(edges):
            right = edges[index + 1]
            html = _styled(line, left, right)
            over = [m for m in marks if m.start <= left and m.end >= right and m.start != m.end]
            parts.append(_mark_html(over, html, ids=ids, at=left) if over else html)
    return "".join(parts)


def _is_point_in(mark: Mark, start: int, end: int, last: bool) -> bool:
    return mark.start == mark.end and (start <= mark.start < end or (last and mark.start == end))


def _styled(line: Line, start: int, end: int) -> str:
    styles = line.styles
    if not styles:
        return escape(line.text[start:end])
    index = max(bisect_right(styles, start, key=lambda style: style[0]) - 1, 0)
    parts = []
    at = start
    while index < len(styles) and styles[index][0] < end:
        left, right, name = styles[index]
        left, right = max(left, at), min(right, end)
        if left < right:
            parts.append(escape(line.text[at:left]))
            parts.append(f'<span class="{name}">{escape(line.text[left:right])}</span>')
            at = right
        index += 1
    parts.append(escape(line.text[at:end]))
    return "".join(parts)


def _mark_html(marks: Sequence[Mark], html: str, *, ids: bool, at: int | None = None) -> str:
    """One ``mark`` for all the hits that share a stretch; the flag stands where a hit begins."""
    begun = [m for m in marks if m.first and (at is None or m.start == at)]
    numbers = sorted({m.landmark for m in marks})
    names = [f"hit-{m.landmark}-{m.ordinal}" for m in begun] if ids else []
    own = f' id="{names[0]}"' if names else ""
    anchors = "".join(f'<span id="{name}"></span>' for name in names[1:])
    flag = ""
    if begun:
        label = ", ".join(map(str, numbers))
        flag = f'<sup class="flag"><span class="vh">{word("landmark")} </span>{label}</sup>'
    data = " ".join(map(str, numbers))
    return f'<mark class="hit" data-landmark="{data}"{own}>{anchors}{flag}{html}</mark>'
