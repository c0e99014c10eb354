"""Emulates a terminal: where each character of a raw text ends up, and what of it stays visible.

Every character keeps its offset in the raw text. Applied: carriage return, backspace, erase in line (0, 1, 2)
and below the cursor, cursor movement (to a column, to a line, saved and restored), SGR by the caller.
Clearing the screen starts a new one below, so that no text is lost. Dropped: every other control sequence
(OSC strings, but their link text stays; charsets). No line is too long, and a tab is one cell like any other
character.

A move up from the middle of a line counts only if a return to a column or an erasure follows. In logs whose
carriage returns were turned into line ends, it would let the next lines hide each other.

The time is linear in the text, but for n writes on a row that overwrite each other: what stays visible of
them takes n log n. The memory is linear too: a move goes at most one line below the last, and to the
right within ``WIDTH``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from typing import Any, NamedTuple

HEIGHT = 50
"""Lines of the screen: no move goes further up."""
WIDTH = 160
"""Columns that a move to the right can reach; in a longer line, up to its end."""

SEQUENCE = re.compile(
    "\r(?!\n)"
    "|\x08+"
    r"|\x1b\[([0-?]*+)[ -/]*+([@-~])"
    r"|\x1b[\]PX^_][^\x07\x1b\n]*+(?:\x07|\x1b\\)"
    r"|\x1b[ -/]*+[0-~]"
    "|\r?\n"
)
"""A control sequence; the groups are the parameters and the final character of a CSI sequence."""
MOVES_IN_LINE = frozenset("CDGK`")
"""The final characters of the CSI sequences that move or erase in the cursor's line."""
_BETWEEN_LINES = re.compile(r"\x1b\[[0-9;]*+[ABEFHJfu]|\x1b8")
_CONTROL = re.compile("[\x08\r\x1b]")
_CONTROLS = re.compile(f"(?:{SEQUENCE.pattern})*+")
_CODE = re.compile(
    r"\x1b\[[0-?]*+[ -/]*+[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\n]*+(?:\x07|\x1b\\)"
    r"|\x1b[ -/]*+[0-~]?"
    "|\x08"
)
STYLE = re.compile(r"\x1b\[([0-?]*+)[ -/]*+m")
"""A sequence that changes only the style; the group is its parameters."""
_STAYS_IN_FRAME = re.compile(r"\x1b\[[0-?]*+[ -/]*+[Khlm]")
"""A sequence that shows nothing and leaves the cursor where it is."""
_ERASES_LINE = re.compile(r"\x1b\[[02]?K")
_BLANK = -1
_FAR = 1 << 62


def without_codes(text: str) -> str:
    """A text without colours and other codes, which are not applied: for what is looked for in its lines."""
    return _CODE.sub("", text) if "\x1b" in text or "\x08" in text else text


class Write(NamedTuple):
    """Raw characters from ``start`` on in the columns [low, high); start is negative for blanks.

    ``frame`` counts the cursor's jumps to the left or to another line; ``style`` is the caller's.
    """

    low: int
    high: int
    start: int
    style: Any
    frame: int

    @property
    def end(self) -> int:
        """The raw offset after the last character."""
        return self.start + self.high - self.low

    @property
    def is_text(self) -> bool:
        return self.start >= 0

    def text_of(self, raw: str) -> str:
        """Its characters, from the raw text."""
        return raw[self.start : self.end] if self.start >= 0 else " " * (self.high - self.low)


class Row:
    """One line of the screen: the writes in order of time."""

    __slots__ = ("overwrites", "width", "writes")

    def __init__(self) -> None:
        self.writes: list[Write] = []
        self.width = 0
        self.overwrites = False

    def visible(self) -> Sequence[Write]:
        """What stays visible, by column; an earlier write shows only in the gaps."""
        return _visible(self.writes) if self.overwrites else self.writes


class Screen:
    """A screen on which a text is written.

    ``restyle`` gives the style after an SGR sequence with these parameters. ``places`` has the raw offset and
    the row of each change of line.
    """

    def __init__(self, restyle: Callable[[Any, str], Any], style: Any = None) -> None:
        self.rows = [Row()]
        self.style = style
        self.places = [(0, 0)]
        self._restyle = restyle
        self._row = self._column = self._frame = 0
        self._top = 0
        self._filled = 1
        self._saved = (0, 0)
        self._pending = 0

    def write(self, text: str, begin: int, end: int) -> None:
        """Write the characters [begin, end) of a text, control sequences included."""
        at = begin
        for match in SEQUENCE.finditer(text, begin, end):
            start, after = match.span()
            if start > at:
                self._put(at, start)
            at = after
            first = text[start]
            if first == "\r" and after - start == 1:
                self._move_up(after)
                self._column = 0
                self._frame += 1
            elif first == "\x08":
                self._move_up(after)
                self._column = max(0, self._column - (after - start))
                self._frame += 1
            elif first != "\x1b":
                self._pending = 0
                self._go(self._row + 1, 0, after)
            elif match[2] == "m":
                self.style = self._restyle(self.style, match[1])
            elif match[2]:
                self._apply(match[2], match[1], after)
            elif after - start == 2:
                self._keep_or_restore(text[start + 1], after)
        if end > at:
            self._put(at, end)

    def _move_up(self, offset: int) -> None:
        """Make the moves up that were waiting for what follows them."""
        if self._pending:
            row, self._pending = self._row - self._pending, 0
            self._go(max(self._top, row), self._column, offset)

    def _put(self, start: int, end: int) -> None:
        self._pending = 0
        row, low = self.rows[self._row], self._column
        self._column = high = low + end - start
        row.writes.append(Write(low, high, start, self.style, self._frame))
        if low < row.width:
            row.overwrites = True
        row.width = max(row.width, high)
        self._filled = max(self._filled, self._row + 1)

    def _apply(self, final: str, parameters: str, offset: int) -> None:
        """Apply a CSI sequence, unless it is a private one; ``offset`` is that of the next raw character."""
        if parameters[:1] in ("<", "=", ">", "?"):
            return
        numbers = [int(n[:6]) if n.isdecimal() else 0 for n in parameters[:20].split(";")]
        first = max(1, numbers[0])
        if final == "A" and self._column:
            self._pending = min(self._pending + first, HEIGHT)
            return
        self._move_up(offset)
        if final == "K":
            self._erase_in_line(numbers[0])
        elif final == "J":
            self._erase_screen(numbers[0], offset)
        elif final in "su":
            self._keep_or_restore("7" if final == "s" else "8", offset)
        else:
            self._go(*self._target(final, first, max(1, *numbers[1:2], 0)), offset)

    def _target(self, final: str, first: int, second: int) -> tuple[int, int]:
        """Where a CSI sequence with these parameters moves the cursor: row and column."""
        row, column = self._row, self._column
        if final in "AF":
            return max(self._top, row - first), 0 if final == "F" else column
        if final in "BE":
            return row + first, 0 if final == "E" else column
        if final in "CD":
            return row, column + first if final == "C" else column - first
        if final in "G`":
            return row, first - 1
        return (self._top + first - 1, second - 1) if final in "Hf" else (row, column)

    def _go(self, row: int, column: int, offset: int) -> None:
        """Move the cursor; a row below the last one becomes a new row, directly below it."""
        if row != self._row:
            row = min(max(row, self._top), len(self.rows))
            if row == len(self.rows):
                self.rows.append(Row())
                self._top = max(self._top, row - HEIGHT + 1)
            self.places.append((offset, row))
        column = min(max(column, 0), max(WIDTH, self.rows[row].width))
        if row != self._row or column < self._column:
            self._frame += 1
        self._row, self._column = row, column

    def _keep_or_restore(self, what: str, offset: int) -> None:
        self._move_up(offset)
        if what == "7":
            self._saved = (self._row, self._column)
        elif what == "8":
            self._go(*self._saved, offset)

    def _erase_in_line(self, mode: int) -> None:
        if mode in (0, 1, 2):
            low = self._column if mode == 0 else 0
            self._erase(self._row, low, self._column + 1 if mode == 1 else _FAR)

    def _erase_screen(self, mode: int, offset: int) -> None:
        if mode == 0:
            self._erase(self._row, self._column, _FAR)
            for row in range(self._row + 1, self._filled):
                self._erase(row, 0, _FAR)
            self._filled = self._row + 1
        elif mode == 2:
            last = len(self.rows) - 1
            self._go(last + bool(self.rows[last].writes), self._column, offset)
            self._top = self._row

    def _erase(self, row: int, low: int, high: int) -> None:
        erased = self.rows[row]
        if erased.width > low:
            erased.writes.append(Write(low, high, _BLANK, None, self._frame))
            erased.overwrites = True


def moves_between_lines(text: str) -> bool:
    """Whether a text changes lines that it has ended: else each line can be written by itself."""
    return _BETWEEN_LINES.search(text) is not None


def last_frame(text: str, begin: int, end: int) -> int:
    """From where on the line [begin, end) is to be written to look the same, but for styles set before.

    A progress bar returns to the line's beginning and overwrites itself hundreds of times; the last time
    hides the others. ``begin`` if it doesn't, or if that takes a `Screen` to tell.
    """
    while end > begin and text[end - 1] == "\r":
        end -= 1
    start = text.rfind("\r", begin, end) + 1
    if not start:
        return begin
    before, last = text[begin : start - 1], text[start:end]
    erases = _ERASES_LINE.match(last) or last.endswith(("\x1b[K", "\x1b[0K"))
    if "\x1b" in before or "\x1b" in last:
        before, last = (_STAYS_IN_FRAME.sub("", part) for part in (before, last))
    if any(control in part for control in "\x1b\x08" for part in (before, last)):
        return begin
    return start if erases or len(last) >= max(map(len, before.split("\r"))) else begin


def filled(pieces: Sequence[Write], first: int = 0) -> Iterator[Write]:
    """Visible writes by column, with blanks in the gaps between them from the column ``first`` on."""
    at = first
    for piece in pieces:
        if piece.low > at:
            yield Write(at, piece.low, _BLANK, None, piece.frame)
        yield piece
        at = piece.high


class Shown(NamedTuple):
    """The text that a terminal shows of ``raw`` in the end.

    ``begins`` are the offsets in ``text`` at which its pieces begin, ``starts`` those of the same characters
    in ``raw``; negative for what is not in it: blanks and line ends.
    """

    text: str
    raw: str
    begins: Sequence[int]
    starts: Sequence[int]

    def raw_spans(self, start: int, end: int) -> list[tuple[int, int]]:
        """The ranges of ``raw`` that show [start, end), in order, disjoint; a point if none does."""
        spans: list[tuple[int, int]] = []
        point = 0
        for index in range(max(bisect_right(self.begins, start) - 1, 0), len(self.begins)):
            begin, raw = self.begins[index], self.starts[index]
            if begin >= max(end, start + 1):
                break
            after = self.begins[index + 1] if index + 1 < len(self.begins) else len(self.text)
            low, high = raw + max(start, begin) - begin, raw + min(end, after) - begin
            if raw < 0:
                continue
            if spans and spans[-1][1] <= low and self._only_controls(spans[-1][1], low):
                spans[-1] = (spans[-1][0], high)
            else:
                spans.append((low, high))
            point = high
        return sorted(spans) or [(point, point)]

    def _only_controls(self, start: int, end: int) -> bool:
        return start == end or _CONTROLS.fullmatch(self.raw, start, end) is not None


def shown_text(raw: str) -> Shown | None:
    """What a terminal shows of a raw text in the end; None if that is the raw text itself."""
    if not any(control in raw for control in "\x1b\r\x08"):
        return None
    parts: list[str] = []
    begins: list[int] = []
    starts: list[int] = []
    length = 0
    for start, text in _screen_pieces(raw) if moves_between_lines(raw) else _line_pieces(raw):
        if text:
            begins.append(length)
            starts.append(start)
            parts.append(text)
            length += len(text)
    return Shown("".join(parts), raw, begins, starts)


def _screen_pieces(raw: str) -> Iterator[tuple[int, str]]:
    screen = Screen(_unstyled)
    screen.write(raw, 0, len(raw))
    for row in screen.rows:
        yield from _row_pieces(raw, row)
        yield _BLANK, "\n"


def _line_pieces(raw: str) -> Iterator[tuple[int, str]]:
    begin = 0
    while control := _CONTROL.search(raw, begin):
        line = raw.rfind("\n", begin, control.start()) + 1 or begin
        yield begin, raw[begin:line]
        end = raw.find("\n", line)
        end = end if end >= 0 else len(raw)
        screen = Screen(_unstyled)
        screen.write(raw, last_frame(raw, line, end), end)
        yield from _row_pieces(raw, screen.rows[0])
        begin = end + 1
        yield end, raw[end:begin]
    yield begin, raw[begin:]


def _row_pieces(raw: str, row: Row) -> Iterator[tuple[int, str]]:
    for piece in filled(row.visible()):
        yield piece.start, piece.text_of(raw)


def _unstyled(style: Any, _parameters: str) -> Any:
    return style


def _visible(writes: Sequence[Write]) -> list[Write]:
    """A sweep over the columns: in each, the latest write that reaches it is seen."""
    pieces: list[Write] = []
    latest: list[int] = []  # Times of writes that began, negative; the latest one is first.
    at = shown = 0  # All columns before ``at`` are done; ``shown`` is the time of the last piece.
    begins = sorted((write.low, -time) for time, write in enumerate(writes))
    for low, negative in [*begins, (_FAR, 0)]:
        while latest and at < low:
            time = -latest[0]
            write = writes[time]
            if write.high <= at:
                heappop(latest)
                continue
            high = min(write.high, low)
            if write.is_text:
                if pieces and shown == time and pieces[-1].high == at:
                    pieces[-1] = pieces[-1]._replace(high=high)
                else:
                    pieces.append(write._replace(low=at, high=high, start=write.start + at - write.low))
                shown = time
            at = high
        at = low
        # A write that the latest one hides to its end is never seen.
        if not latest or negative < latest[0] or writes[-negative].high > writes[-latest[0]].high:
            heappush(latest, negative)
    return pieces
