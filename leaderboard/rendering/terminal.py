"""Emulates a terminal: raw output -> the lines that it would show, with the landmark hits in them.

Every character keeps its offset in the raw text, so a hit (raw offsets) moves with its characters. Applied:
carriage return, backspace, erase in line (0, 1, 2), SGR. Dropped: every other control sequence (OSC strings,
but their link text stays; cursor movement; charsets). A tab is one cell, like any other character. The time
is linear in the text: an overwritten line is painted from its last write backwards, so overwritten text costs
nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from leaderboard.rendering import sgr
from leaderboard.rendering.hits import Hit, HitPlacer
from leaderboard.rendering.lines import INVISIBLE, VISIBLE_RUN, HitMark, Line, visible

_SEQUENCE = re.compile(
    "\r"
    "|\x08+"
    r"|\x1b\[([0-?]*+)[ -/]*+([@-~])"
    r"|\x1b[\]PX^_][^\x07\x1b\n]*+(?:\x07|\x1b\\)"
    r"|\x1b[ -/]*+[0-~]"
)
_BLANK = -1
_FAR = 1 << 62


class _Write(NamedTuple):
    """Characters [start, end) of the raw text written at a column; ``frame`` counts the cursor's jumps."""

    column: int
    start: int
    end: int
    style: sgr.Style
    frame: int


def terminal_lines(text: str, hits: Sequence[Hit] = ()) -> Iterator[Line]:
    """The lines of ``text`` as a terminal shows them; each hit is marked, its first mark with ``first``.

    An overwritten hit is shown on extra lines before (kind ``overwritten``), for its start and its end only.
    A hit without a visible character is a mark of width 0.
    """
    queue = sorted(hits)
    pending = set(queue)
    active: list[Hit] = []
    style = sgr.PLAIN
    begin = taken = 0
    last = len(text) - text.endswith("\n")
    if queue:
        last = max(last, min(queue[-1].start, len(text)))
    while begin <= last:
        if not active and style is sgr.PLAIN:
            after = _plain_until(text, begin, queue[taken].start if taken < len(queue) else len(text))
            if after > begin:
                yield from map(Line, text[begin : after - 1].split("\n"))
                begin = after
                continue
        end = text.find("\n", begin)
        end = end if end >= 0 else len(text)
        while taken < len(queue) and queue[taken].start <= end:
            active.append(queue[taken])
            taken += 1
        raw = text[begin:end]
        simple = None if active else _coloured(raw, style)
        if simple:
            line, style = simple
            yield line
        else:
            screen = _Screen(raw, begin, style)
            yield from screen.lines(active, pending)
            style = screen.style
        active = [hit for hit in active if hit.end > end + 1]
        begin = end + 1


def _plain_until(text: str, begin: int, stop: int) -> int:
    """The start of the first line from ``begin`` on that isn't plain or contains ``stop``."""
    seen = VISIBLE_RUN.match(text, begin, stop)
    return text.rfind("\n", begin, seen.end() if seen else begin) + 1 or begin


def _coloured(raw: str, style: sgr.Style) -> tuple[Line, sgr.Style] | None:
    """A line without hits and overwriting, and the style after it; None if it may have overwriting.

    ``_Screen`` gives the same result; this is faster, for most coloured lines.
    """
    parts = _SEQUENCE.split(raw.removesuffix("\r"))
    texts, finals = parts[::3], parts[2::3]
    text = "".join(texts)
    if "\r" in raw[:-1] or "\x08" in raw or "K" in finals or INVISIBLE.search(text):
        return None
    styles: list[tuple[int, int, str]] = []
    base = 0
    name = sgr.class_names(style)
    for piece, parameters, final in zip_longest(texts, parts[1::3], finals):
        after = base + len(piece)
        if name and after > base:
            _add_style(styles, base, after, name)
        base = after
        if final == "m":
            style = sgr.apply(style, parameters)
            name = sgr.class_names(style)
    return Line(text, styles), style


def _add_style(styles: list[tuple[int, int, str]], start: int, end: int, name: str) -> None:
    """Add a styled range after the others, joined with the last one if they touch and are alike."""
    if styles and styles[-1][1:] == (start, name):
        start = styles.pop()[0]
    styles.append((start, end, name))


class _Screen:
    """One raw line: what was written at which column, and what of it stays visible."""

    def __init__(self, raw: str, begin: int, style: sgr.Style) -> None:
        self.raw = raw
        self.begin = begin
        self.style = style
        self.overwrites = False
        self.writes: list[_Write] = []
        self._scan(raw.removesuffix("\r"))

    def _scan(self, raw: str) -> None:
        column = frame = at = 0
        for match in _SEQUENCE.finditer(raw):
            start, end = match.span()
            if start > at:
                self.writes.append(_Write(column, at, start, self.style, frame))
                column += start - at
            at = end
            parameters, final = match.groups()
            if final == "m":
                self.style = sgr.apply(self.style, parameters)
            elif final == "K":
                self._erase(parameters, column, frame)
            elif raw[start] in "\r\x08":
                column = 0 if raw[start] == "\r" else max(0, column - (end - start))
                frame += 1
                self.overwrites = True
        if len(raw) > at:
            self.writes.append(_Write(column, at, len(raw), self.style, frame))

    def _erase(self, mode: str, column: int, frame: int) -> None:
        """Add an erasure as a write of blanks: 0 from the cursor on, 1 up to and at it, 2 the whole line."""
        if mode in ("", "0", "2"):
            self.writes.append(_Write(column, _BLANK, _BLANK, self.style, frame))
        if mode == "2" and column:
            self.writes.append(_Write(0, _BLANK, column - 1, self.style, frame))
        if mode == "1":
            self.writes.append(_Write(0, _BLANK, column, self.style, frame))
        self.overwrites = True

    def lines(self, active: Sequence[Hit], pending: set[Hit]) -> Iterator[Line]:
        """The lines to show; removes marked hits from ``pending``."""
        pieces = self._visible_writes() if self.overwrites else self.writes
        if not active:
            yield self._compose(pieces, (), pending, "", last=False)
            return
        if self.overwrites:
            for frame, hits in self._overwritten_hits(pieces, active).items():
                overwritten = [w for w in self.writes if w.frame == frame and w.start != _BLANK]
                yield self._compose(overwritten, hits, pending, "overwritten", last=False)
        yield self._compose(pieces, active, pending, "", last=True)

    def _visible_writes(self) -> list[_Write]:
        """The visible parts of the writes, sorted by column; an earlier write shows only in the gaps."""
        pieces: list[_Write] = []
        lows: list[int] = []
        highs: list[int] = []
        for write in reversed(self.writes):
            low = write.column
            erases_on = write.start == write.end == _BLANK
            high = _FAR if erases_on else low + write.end - write.start
            first = bisect_left(highs, low)
            after = bisect_right(lows, high)
            if not erases_on:
                at = low
                for index in range(first, after):
                    _add_piece(pieces, write, at, min(lows[index], high))
                    at = max(at, highs[index])
                _add_piece(pieces, write, at, high)
            if first < after:
                low, high = min(low, lows[first]), max(high, highs[after - 1])
            lows[first:after], highs[first:after] = [low], [high]
            if low == 0 and high == _FAR:
                break
        pieces.sort()
        return pieces

    def _overwritten_hits(self, pieces: Sequence[_Write], active: Sequence[Hit]) -> dict[int, list[Hit]]:
        """By frame: the hits whose first or last overwritten character is in it."""
        seen = sorted((p.start, p.end) for p in pieces if p.start != _BLANK)
        starts = [start for start, _ in seen]
        real = [w for w in self.writes if w.start != _BLANK]
        ends = [w.end for w in real]
        frames: dict[int, list[Hit]] = {}
        for hit in active:
            low, high = hit.start - self.begin, hit.end - self.begin
            hidden = []
            for write in real[bisect_right(ends, low) :]:
                if write.start >= high:
                    break
                if _covered(seen, starts, max(low, write.start), min(high, write.end)):
                    continue
                hidden.append(write.frame)
            for frame in dict.fromkeys([*hidden[:1], *hidden[-1:]]):
                frames.setdefault(frame, []).append(hit)
        return dict(sorted(frames.items()))

    def _compose(
        self, pieces: Sequence[_Write], hits: Sequence[Hit], pending: set[Hit], kind: str, *, last: bool
    ) -> Line:
        texts = [self.raw[p.start : p.end] if p.start >= 0 else " " * (p.end - p.start) for p in pieces]
        if INVISIBLE.search("".join(texts)):
            texts = [visible(text) for text in texts]
        styles: list[tuple[int, int, str]] = []
        bases: list[int] = []
        base = 0
        for piece, text in zip(pieces, texts, strict=True):
            bases.append(base)
            after = base + len(text)
            name = sgr.class_names(piece.style) if piece.style is not sgr.PLAIN and piece.start >= 0 else ""
            if name:
                _add_style(styles, base, after, name)
            base = after
        marks: Sequence[HitMark] = ()
        if hits:
            placed = [(p.start, p.end, at) for p, at in zip(pieces, bases, strict=True) if p.start >= 0]
            marks = HitPlacer(self.raw, self.begin, placed, base).marks(hits, pending, last=last)
        return Line("".join(texts), styles, marks, kind)


def _add_piece(pieces: list[_Write], write: _Write, low: int, high: int) -> None:
    """Add the part of ``write`` in the columns [low, high), if any."""
    if low < high:
        shift = write.start - write.column if write.start >= 0 else 0
        start, end = (low + shift, high + shift) if write.start >= 0 else (_BLANK, _BLANK + high - low)
        pieces.append(_Write(low, start, end, write.style, write.frame))


def _covered(seen: Sequence[tuple[int, int]], starts: Sequence[int], low: int, high: int) -> bool:
    """Whether all of [low, high) is in the ranges ``seen``, which are sorted and disjoint."""
    index = max(bisect_right(starts, low) - 1, 0)
    while low < high and index < len(seen) and seen[index][0] <= low:
        low = max(low, seen[index][1])
        index += 1
    return low >= high
