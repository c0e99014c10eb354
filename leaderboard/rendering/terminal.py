"""Converts raw output to the lines that a terminal would show, with colours and landmark hits.

``domain.terminal`` emulates the terminal. Every character keeps its offset in the raw text, so a hit (raw
offsets) moves with its characters.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import chain, zip_longest
from operator import itemgetter

from leaderboard.domain.terminal import (
    MOVES_IN_LINE,
    SEQUENCE,
    STYLE,
    Row,
    Screen,
    Write,
    filled,
    last_frame,
    moves_between_lines,
)
from leaderboard.rendering import sgr
from leaderboard.rendering.hits import Hit, HitPlacer, written_out
from leaderboard.rendering.lines import INVISIBLE, VISIBLE_RUN, HitMark, Line, Lines, is_plain_ascii, visible


def terminal_lines(text: str, hits: Sequence[Hit] = ()) -> Lines:
    """The lines of ``text`` as a terminal shows them; each hit is marked, its first mark with ``first``.

    An overwritten hit is shown on extra lines before (kind ``overwritten``), for its start and its end only.
    A hit without a visible character is a mark of width 0.
    """
    return _screen_lines(text, hits) if moves_between_lines(text) else _single_lines(text, hits)


def _single_lines(text: str, hits: Sequence[Hit]) -> Lines:
    """As `terminal_lines`, each line by itself: faster for lines without controls."""
    lines = Lines()
    queue = sorted(hits)
    pending = set(queue)
    active: list[Hit] = []
    style = sgr.PLAIN
    all_plain = is_plain_ascii(text)
    begin = taken = 0
    last = len(text) - text.endswith("\n")
    if queue:
        last = max(last, min(queue[-1].start, len(text)))
    while begin <= last:
        if not active and style is sgr.PLAIN:
            stop = queue[taken].start if taken < len(queue) else len(text)
            after = _plain_until(text, begin, stop, all_plain=all_plain)
            if after > begin:
                lines.texts += text[begin : after - 1].split("\n")
                begin = after
                continue
        end = text.find("\n", begin)
        end = end if end >= 0 else len(text)
        while taken < len(queue) and queue[taken].start <= end:
            active.append(queue[taken])
            taken += 1
        if not active:
            line, style = _line_without_hits(text, begin, end, style)
            lines.append(line)
        else:
            screen = Screen(sgr.apply, style)
            screen.write(text, begin, end)
            ending = {hit for hit in active if hit.end <= end + 1}
            row = _RowLines(text, screen.rows[0], written_out(text, begin, end))
            for line in row.lines(active, pending, ending):
                lines.append(line)
            style = screen.style
        active = [hit for hit in active if hit.end > end + 1]
        begin = end + 1
    return lines


def _screen_lines(text: str, hits: Sequence[Hit]) -> Lines:
    """As `terminal_lines`, all lines on one screen."""
    screen = Screen(sgr.apply, sgr.PLAIN)
    screen.write(text, 0, len(text))
    pending = set(hits)
    rows = screen.rows
    active: list[list[Hit]] = [[] for _ in rows]
    ending: list[set[Hit]] = [set() for _ in rows]
    for hit in sorted(hits):
        on = _rows_of(hit, screen)
        for row in dict.fromkeys(on):
            active[row].append(hit)
        ending[on[-1]].add(hit)
    controls = written_out(text, 0, len(text))
    lines = [
        _RowLines(text, row, controls).lines(active[index], pending, ending[index])
        for index, row in enumerate(rows)
    ]
    # Blank lines at the end are not shown: those that were erased, and the one that a final newline began.
    count = len(rows)
    while count > 1 and not any(line.text or line.marks for line in lines[count - 1]):
        if count < len(rows) and not rows[count - 1].writes:
            break
        count -= 1
    return Lines(chain.from_iterable(lines[:count]))


def _rows_of(hit: Hit, screen: Screen) -> list[int]:
    """The rows that a hit's characters were written to, in order of time."""
    first = bisect_right(screen.places, hit.start, key=itemgetter(0))
    after = bisect_right(screen.places, max(hit.start, hit.end - 1), key=itemgetter(0))
    return [row for _, row in screen.places[first - 1 : after]]


def _plain_until(text: str, begin: int, stop: int, *, all_plain: bool) -> int:
    """The start of the first line from ``begin`` on that isn't plain or contains ``stop``."""
    seen = None if all_plain else VISIBLE_RUN.match(text, begin, stop)
    return text.rfind("\n", begin, seen.end() if seen else stop) + 1 or begin


def _line_without_hits(text: str, begin: int, end: int, style: sgr.Style) -> tuple[Line, sgr.Style]:
    """The line [begin, end) as shown, and the style after it."""
    start = last_frame(text, begin, end)
    if start > begin:
        for code in STYLE.finditer(text, begin, start):
            style = sgr.apply(style, code[1])
    if simple := _coloured(text[start:end], style):
        return simple
    screen = Screen(sgr.apply, style)
    screen.write(text, start, end)
    (line,) = _RowLines(text, screen.rows[0], ()).lines((), set(), set())
    return line, screen.style


def _coloured(raw: str, style: sgr.Style) -> tuple[Line, sgr.Style] | None:
    """A line without hits and overwriting, and the style after it; None if it may have overwriting.

    ``_RowLines`` gives the same result; this is faster, for most coloured lines.
    """
    parts = SEQUENCE.split(raw.removesuffix("\r"))
    texts, finals = parts[::3], parts[2::3]
    text = "".join(texts)
    if "\r" in raw[:-1] or "\x08" in raw or not MOVES_IN_LINE.isdisjoint(finals) or INVISIBLE.search(text):
        return None
    styles: list[tuple[int, int, str]] = []
    base = 0
    name = sgr.class_names(style)
    for piece, parameters, final in zip_longest(texts, parts[1::3], finals):
        after = base + len(piece)
        if name and after > base:
            _add_style(styles, base, after, name)
        base = after
        if final == "m" and len(parameters) <= sgr.MAX_PARAMETERS:
            style, name = sgr.apply_named(style, parameters)
    return Line(text, styles), style


def _add_style(styles: list[tuple[int, int, str]], start: int, end: int, name: str) -> None:
    """Add a styled range after the others, joined with the last one if they touch and are alike."""
    if styles and styles[-1][1:] == (start, name):
        start = styles.pop()[0]
    styles.append((start, end, name))


class _RowLines:
    """The lines to show for one row of a screen; ``controls`` are as `written_out` finds them in its text."""

    def __init__(self, raw: str, row: Row, controls: Sequence[int]) -> None:
        self.raw = raw
        self.row = row
        self.controls = controls

    def lines(self, active: Sequence[Hit], pending: set[Hit], ending: set[Hit]) -> list[Line]:
        """The lines; removes marked hits from ``pending``. Hits of ``ending`` are marked here at last."""
        pieces = self.row.visible()
        if not active:
            return [self._compose(pieces, (), set(), set())]
        lines = []
        if self.row.overwrites:
            frames = self._overwritten_hits(pieces, active)
            writes: dict[int, list[Write]] = {}
            for write in self.row.writes:
                if write.is_text:
                    writes.setdefault(write.frame, []).append(write)
            for frame, hits in frames.items():
                lines.append(self._compose(writes[frame], hits, pending, set(), kind="overwritten"))
        return [*lines, self._compose(pieces, active, pending, ending)]

    def _overwritten_hits(self, pieces: Sequence[Write], active: Sequence[Hit]) -> dict[int, list[Hit]]:
        """By frame: the hits whose first or last overwritten character is in it."""
        seen = sorted((p.start, p.end) for p in pieces)
        starts = [start for start, _ in seen]
        real = [w for w in self.row.writes if w.is_text]
        ends = [w.end for w in real]
        frames: dict[int, list[Hit]] = {}
        for hit in active:
            hidden = []
            for index in range(bisect_right(ends, hit.start), len(real)):
                write = real[index]
                if write.start >= hit.end:
                    break
                if _covered(seen, starts, max(hit.start, write.start), min(hit.end, write.end)):
                    continue
                hidden.append(write.frame)
            for frame in dict.fromkeys([*hidden[:1], *hidden[-1:]]):
                frames.setdefault(frame, []).append(hit)
        return dict(sorted(frames.items()))

    def _compose(
        self,
        pieces: Sequence[Write],
        hits: Sequence[Hit],
        pending: set[Hit],
        ending: set[Hit],
        *,
        kind: str = "",
    ) -> Line:
        pieces = list(filled(pieces, pieces[0].low if pieces and kind else 0))
        texts = [piece.text_of(self.raw) for piece in pieces]
        if INVISIBLE.search("".join(texts)):
            texts = [visible(text) for text in texts]
        styles: list[tuple[int, int, str]] = []
        placed: list[tuple[int, int, int]] = []
        base = 0
        for piece, text in zip(pieces, texts, strict=True):
            after = base + len(text)
            if piece.is_text:
                placed.append((piece.start, piece.end, base))
                if piece.style is not sgr.PLAIN and (name := sgr.class_names(piece.style)):
                    _add_style(styles, base, after, name)
            base = after
        marks: Sequence[HitMark] = ()
        if hits:
            marks = HitPlacer(self.controls, placed, base).marks(hits, pending, ending)
        return Line("".join(texts), styles, marks, kind)


def _covered(seen: Sequence[tuple[int, int]], starts: Sequence[int], low: int, high: int) -> bool:
    """Whether all of [low, high) is in the ranges ``seen``, which are sorted and disjoint."""
    index = max(bisect_right(starts, low) - 1, 0)
    while low < high and index < len(seen) and seen[index][0] <= low:
        low = max(low, seen[index][1])
        index += 1
    return low >= high
