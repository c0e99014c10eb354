"""Lines as shown: text, CSS classes of its ranges, landmark hits in it; and their HTML."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

_BIDI_NAMES = {
    **{0x061C: "ALM", 0x200E: "LRM", 0x200F: "RLM", 0x202A: "LRE", 0x202B: "RLE", 0x202C: "PDF"},
    **{0x202D: "LRO", 0x202E: "RLO", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI"},
}
LEFT_OUT_KIND = "left-out"
"""The kind of the line in place of the left-out part of an output that is stored separately."""
LINK_PLACEHOLDER = "<!--output-link-->"
"""The place of the link to that output; other text can't contain it, because its ``<`` is escaped."""
BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
BIDI_WIDTH = 5
"""The length of one of these when it is shown as its name in brackets."""
_INVISIBLE = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff"
INVISIBLE = re.compile(f"[{_INVISIBLE}]")
"""Characters that would be invisible, or would change how the text around them is shown."""
VISIBLE_RUN = re.compile(f"[^{_INVISIBLE}]*+")
"""A run of all other characters: three times as fast as a search for the first invisible one."""

_VISIBLE: dict[int, int | str] = {
    **{code: 0x2400 + code for code in range(32) if code not in (9, 10)},
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
    **dict.fromkeys(range(0xD800, 0xE000), 0xFFFD),
    **{code: f"⟨{name}⟩" for code, name in _BIDI_NAMES.items()},
}


class HitMark(NamedTuple):
    """A range of a line that belongs to a landmark's hit; ``first``: it is the hit's first range."""

    start: int
    end: int
    landmark: int
    ordinal: int
    first: bool


class Line(NamedTuple):
    """One line as shown.

    ``styles`` are (start, end, class), sorted, disjoint; ``marks`` are sorted and may overlap; ``kind`` is
    empty, ``overwritten``, ``left-out``, ``ins`` or ``del``.
    """

    text: str
    styles: Sequence[tuple[int, int, str]] = ()
    marks: Sequence[HitMark] = ()
    kind: str = ""


def visible(text: str) -> str:
    """``text`` with controls, lone surrogates and bidi overrides made visible; tab and newline stay."""
    return text.translate(_VISIBLE) if INVISIBLE.search(text) else text


def escape(text: str) -> str:
    """``text`` escaped for an HTML element's content."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def plain_lines(text: str) -> list[Line]:
    """Lines without styles; lines end with LF or CRLF, and a final newline starts no further line."""
    rows = text.replace("\r\n", "\n").split("\n")
    if rows[-1] == "":
        rows.pop()
    return [Line(visible(row)) for row in rows]


def cut(line: Line, start: int, end: int) -> Line:
    """The part [start, end) of a line; a mark of width 0 at ``end`` is included only at the line's end."""
    styles = [
        (max(a, start) - start, min(b, end) - start, name) for a, b, name in _styles_in(line, start, end)
    ]
    after = end + 1 if end >= len(line.text) else end
    marks = [
        m._replace(
            start=max(m.start, start) - start, end=min(m.end, end) - start, first=m.first and m.start >= start
        )
        for m in line.marks
        if (m.start < end and m.end > start) or (m.start == m.end and start <= m.start < after)
    ]
    return Line(line.text[start:end], styles, marks, line.kind)


def _styles_in(line: Line, start: int, end: int) -> Sequence[tuple[int, int, str]]:
    if start == 0 and end >= len(line.text):
        return line.styles
    first = bisect_right(line.styles, start, key=lambda style: style[1])
    return line.styles[first : bisect_left(line.styles, end, key=lambda style: style[0])]


def lines_html(lines: Iterable[Line], *, ids: bool, render: Callable[[Line], str] | None = None) -> str:
    """The content of a ``pre``; ``ids``: the first range of each hit gets an HTML id.

    ``render`` replaces ``line_html``. Neighbouring lines of one kind share one element.
    """
    parts = []
    for (kind, is_plain), group in groupby(lines, key=_grouping):
        if render:
            html = "\n".join([render(line) for line in group])
        elif is_plain:
            html = escape("\n".join([line.text for line in group]))
        else:
            html = "\n".join([line_html(line, ids=ids) for line in group])
        if kind == "overwritten":
            parts.append(f'<span class="overwritten"><span class="vh">overwritten: </span>{html}\n</span>')
        elif kind == LEFT_OUT_KIND:
            parts.append(f'<span class="left-out">{html}{LINK_PLACEHOLDER}\n</span>')
        elif kind:
            parts.append(f"<{kind}>{html}\n</{kind}>")
        else:
            parts.append(html + "\n")
    return "".join(parts)


def _grouping(line: Line) -> tuple[str, bool]:
    return line[3], not line[1] and not line[2]


def line_html(line: Line, *, ids: bool) -> str:
    """The HTML of one line, without a line end."""
    if not line.marks:
        return _styled(line, 0, len(line.text))
    edges = sorted({0, len(line.text), *(m.start for m in line.marks), *(m.end for m in line.marks)})
    parts = []
    for left, right in zip(edges, [*edges[1:], None], strict=True):
        points = [m for m in line.marks if m.start == m.end == left]
        parts += [_hit_html([m], "", left, ids=ids) for m in points]
        if right is not None:
            html = _styled(line, left, right)
            over = [m for m in line.marks if m.start <= left and m.end >= right]
            parts.append(_hit_html(over, html, left, ids=ids) if over else html)
    return "".join(parts)


def _styled(line: Line, start: int, end: int) -> str:
    text = line.text
    to_html = escape if "<" in text or "&" in text or ">" in text else str
    parts = []
    at = start
    for left, right, name in _styles_in(line, start, end):
        left, right = max(left, start), min(right, end)
        parts.append(f'{to_html(text[at:left])}<span class="{name}">{to_html(text[left:right])}</span>')
        at = right
    parts.append(to_html(text[at:end]))
    return "".join(parts)


def _hit_html(marks: Sequence[HitMark], html: str, at: int, *, ids: bool) -> str:
    """One ``mark`` element for all hits that share a range; a flag is shown where a hit begins."""
    begun = [m for m in marks if m.first and m.start == at]
    numbers = sorted({m.landmark for m in marks})
    names = [f"hit-{m.landmark}-{m.ordinal}" for m in begun] if ids else []
    own = f' id="{names[0]}"' if names else ""
    anchors = "".join(f'<span id="{name}"></span>' for name in names[1:])
    flag = ""
    if begun:
        label = ", ".join(map(str, numbers))
        flag = f'<sup class="flag"><span class="vh">landmark </span>{label}</sup>'
    data = " ".join(map(str, numbers))
    return f'<mark class="hit" data-landmark="{data}"{own}>{anchors}{flag}{html}</mark>'
