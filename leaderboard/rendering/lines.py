"""Lines as shown: text, CSS classes of its ranges, landmark hits in it; and their HTML."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple, overload

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
_ASCII_CONTROLS = "\x1b\r" + "".join(
    character for character in map(chr, range(128)) if INVISIBLE.match(character)
)

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


class Lines(Sequence[Line]):
    """Lines in order. Of a plain one, as most are, only the text is kept: a log may have a million of them.

    ``texts`` has the text of every line. ``rich`` are the lines that are more than plain text, and
    ``numbers`` the index of each.
    """

    __slots__ = ("numbers", "rich", "texts")

    def __init__(self, lines: Iterable[Line] = ()) -> None:
        self.texts: list[str] = []
        self.rich: list[Line] = []
        self.numbers = array("q")
        for line in lines:
            self.append(line)

    def append(self, line: Line) -> None:
        """Add a line."""
        text, styles, marks, kind = line
        if styles or marks or kind:
            self.numbers.append(len(self.texts))
            self.rich.append(line)
        self.texts.append(text)

    def runs(self) -> Iterator[str | Line]:
        """The lines; plain ones that follow each other are one text."""
        begin = 0
        for number, line in zip(self.numbers, self.rich, strict=True):
            if number > begin:
                yield "\n".join(self.texts[begin:number])
            yield line
            begin = number + 1
        if begin < len(self.texts):
            yield "\n".join(self.texts[begin:])

    def __iter__(self) -> Iterator[Line]:
        for run in self.runs():
            if isinstance(run, str):
                yield from map(Line, run.split("\n"))
            else:
                yield run

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, index: int) -> Line: ...
    @overload
    def __getitem__(self, index: slice) -> Lines: ...
    def __getitem__(self, index: int | slice) -> Line | Lines:
        if isinstance(index, int):
            number = range(len(self.texts))[index]
            at = bisect_left(self.numbers, number)
            is_rich = at < len(self.numbers) and self.numbers[at] == number
            return self.rich[at] if is_rich else Line(self.texts[number])
        first, after, _step = index.indices(len(self.texts))
        low, high = bisect_left(self.numbers, first), bisect_left(self.numbers, after)
        part = Lines()
        part.texts = self.texts[first:after]
        part.rich = self.rich[low:high]
        part.numbers.extend(number - first for number in self.numbers[low:high])
        return part


def visible(text: str) -> str:
    """``text`` with controls, lone surrogates and bidi overrides made visible; tab and newline stay."""
    return text.translate(_VISIBLE) if INVISIBLE.search(text) else text


def is_plain_ascii(text: str) -> bool:
    """Whether there are only visible characters, all ASCII: known many times faster than with `INVISIBLE`."""
    return text.isascii() and not any(control in text for control in _ASCII_CONTROLS)


def escape(text: str) -> str:
    """``text`` escaped for an HTML element's content."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def plain_lines(text: str) -> Lines:
    """Lines without styles; lines end with LF or CRLF, and a final newline starts no further line."""
    lines = Lines()
    lines.texts = visible(text.replace("\r\n", "\n")).split("\n")
    if lines.texts[-1] == "":
        lines.texts.pop()
    return lines


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
    shown = lines if isinstance(lines, Lines) else Lines(lines)
    runs: Iterable[Any] = shown if render else shown.runs()
    to_html: Callable[[Any], str] = render or partial(_run_html, ids=ids)
    parts = []
    for (kind, _is_plain), group in groupby(runs, key=_grouping):
        html = "\n".join(map(to_html, group))
        if kind == "overwritten":
            parts.append(f'<span class="overwritten"><span class="vh">overwritten: </span>{html}\n</span>')
        elif kind == LEFT_OUT_KIND:
            parts.append(f'<span class="left-out">{html}{LINK_PLACEHOLDER}\n</span>')
        elif kind:
            parts.append(f"<{kind}>{html}\n</{kind}>")
        else:
            parts.append(html + "\n")
    return "".join(parts)


def _grouping(run: str | Line) -> tuple[str, bool]:
    return ("", True) if isinstance(run, str) else (run.kind, not run.styles and not run.marks)


def _run_html(run: str | Line, *, ids: bool) -> str:
    return escape(run) if isinstance(run, str) else line_html(run, ids=ids)


def line_html(line: Line, *, ids: bool) -> str:
    """The HTML of one line, without a line end."""
    if not line.marks:
        return _styled(line, 0, len(line.text))
    if len(line.marks) == 1 and line.marks[0].end > line.marks[0].start:
        start, end = line.marks[0][:2]
        hit = _hit_html(line.marks, _styled(line, start, end), start, ids=ids)
        return f"{_styled(line, 0, start)}{hit}{_styled(line, end, len(line.text))}"
    edges = sorted({0, len(line.text), *(m.start for m in line.marks), *(m.end for m in line.marks)})
    parts = []
    waiting = deque(line.marks)
    over: list[HitMark] = []
    for left, right in zip(edges, [*edges[1:], None], strict=True):
        over = [m for m in over if m.end > left]
        while waiting and waiting[0].start == left:
            mark = waiting.popleft()
            if mark.end > left:
                over.append(mark)
            else:
                parts.append(_hit_html([mark], "", left, ids=ids))
        if right is not None:
            html = _styled(line, left, right)
            parts.append(_hit_html(over, html, left, ids=ids) if over else html)
    return "".join(parts)


def _styled(line: Line, start: int, end: int) -> str:
    text = line.text
    if not line.styles:
        return escape(text[start:end])
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
