"""What a terminal would show, and where the hits end up in it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypothesis import example, given, settings
from hypothesis import strategies as st

from leaderboard.domain.terminal import last_frame
from leaderboard.rendering.hits import Hit
from leaderboard.rendering.lines import HitMark, Line
from leaderboard.rendering.terminal import terminal_lines

IN_LINE = [
    "\r",
    "\b",
    "\b\b",
    "\x1b[K",
    "\x1b[1K",
    "\x1b[2K",
    "\x1b[3G",
    "\x1b[2C",
    "\x1b[D",
    "\x1b[31m",
    "\x1b[0m",
]
BETWEEN = ["\n", "\x1b[A", "\x1b[2A", "\x1b[B", "\x1b[E", "\x1b[F", "\x1b[2;2H", "\x1b[J", "\x1b7", "\x1b8"]
PIECES = st.sampled_from(["a", "bc", "def", *IN_LINE])
RAW = st.lists(st.one_of(PIECES, st.just("\n")), max_size=30).map("".join)
SCREENS = st.lists(st.one_of(PIECES, st.sampled_from(BETWEEN)), max_size=30).map("".join)


def texts(raw: str) -> list[str]:
    return [line.text for line in terminal_lines(raw)]


class NaiveTerminal:
    """Cell by cell, the obvious and quadratic way."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = [[]]
        self.row = self.column = 0
        self.saved = (0, 0)
        self.waiting = 0

    def write(self, raw: str) -> str:
        for text, parameters, final in re.findall(r"(\x1b[78]|[^\x1b])|\x1b\[([0-9;]*)(.)", raw):
            if final:
                numbers = [int(n or 0) for n in parameters.split(";")]
                self.control(final, numbers[0], numbers[-1])
            else:
                self.put(text)
        return "\n".join("".join(cells).rstrip() for cells in self.rows).rstrip()

    def put(self, text: str) -> None:
        if text in "\r\b\x1b7\x1b8":
            self.move_up()
        self.waiting = 0
        cells = self.rows[self.row]
        if text == "\n":
            self.go(self.row + 1, 0)
        elif text == "\r":
            self.go(self.row, 0)
        elif text == "\b":
            self.go(self.row, self.column - 1)
        elif text == "\x1b7":
            self.saved = (self.row, self.column)
        elif text == "\x1b8":
            self.go(*self.saved)
        else:
            cells += " " * (self.column - len(cells))
            cells[self.column : self.column + 1] = [text]
            self.column += 1

    def move_up(self) -> None:
        row, self.waiting = self.row - self.waiting, 0
        self.go(row, self.column)

    def control(self, final: str, first: int, last: int) -> None:
        n = max(1, first)
        if final == "A" and self.column:
            self.waiting += n
            return
        if final != "m":
            self.move_up()
        cells = self.rows[self.row]
        if final in "KJ":
            if first in (0, 2):
                del cells[self.column :]
            if first in (1, 2):
                cells[: self.column + 1] = " " * (self.column + 1)
            for below in self.rows[self.row + 1 :] if final == "J" else []:
                below.clear()
        elif final == "H":
            self.go(n - 1, max(1, last) - 1)
        elif final != "m":
            self.go(*self.target(final, n))

    def target(self, final: str, n: int) -> tuple[int, int]:
        if final in "AF":
            return self.row - n, 0 if final == "F" else self.column
        if final in "BE":
            return self.row + n, 0 if final == "E" else self.column
        return self.row, {"C": self.column + n, "D": self.column - n, "G": n - 1}[final]

    def go(self, row: int, column: int) -> None:
        self.row, self.column = min(max(0, row), len(self.rows)), max(0, column)
        if self.row == len(self.rows):
            self.rows.append([])


@given(SCREENS)
@example("ab\x1b[1K\rc")
@example("abc\b\b\x1b[2Kd")
@example("a\nbc\x1b[J")
@settings(max_examples=400)
def test_a_text_reads_as_on_a_cell_by_cell_terminal(raw: str) -> None:
    # Blanks that end a line can't be seen.
    assert "\n".join(text.rstrip() for text in texts(raw)).rstrip() == NaiveTerminal().write(raw)


def shown(raw: str, hits: Sequence[Hit] = ()) -> list[tuple[str, list[tuple[int, int, str]]]]:
    """Lines without their marks, and without blank ones at the end, which only a hit on them keeps."""
    lines = [line for line in terminal_lines(raw, hits) if line.kind != "overwritten"]
    while lines and not lines[-1].text:
        lines.pop()
    return [(line.text, list(line.styles)) for line in lines]


@given(RAW)
def test_lines_read_the_same_one_by_one_and_on_one_screen(raw: str) -> None:
    assert shown(raw) == shown("\x1b8" + raw)


@given(SCREENS)
def test_a_hit_changes_nothing_but_its_marks(raw: str) -> None:
    # Lines without hits take a shorter way through the code.
    assert shown(raw, [Hit(0, len(raw), 1, 1)]) == shown(raw)


FRAMES = st.lists(st.one_of(PIECES, st.just("\r")), min_size=8, max_size=30).map("".join)


@given(FRAMES)
@example("10%|#\x1b[31m  |\r\x1b[2K\x1b[32m100%|")
@example("long before\r\x1b[31mshort\x1b[K\r")
@example("ab\rabc\r\r")
@example("\x1b[5Gabc\rabc")
def test_a_bar_reads_the_same_from_its_last_frame_on(raw: str) -> None:
    assert shown(raw, [Hit(0, len(raw), 1, 1)]) == shown(raw)


def test_frames_that_another_one_hides_are_not_written() -> None:
    bar = "".join(f"\r{n:3}%|{'#' * n}\x1b[K" for n in range(100))
    assert last_frame(bar, 0, len(bar)) == bar.rindex("\r") + 1
    assert last_frame(bar + "\rshort", 0, len(bar) + 6) == 0


@given(SCREENS, st.data())
@settings(max_examples=300)
def test_every_hit_is_marked_and_begins_exactly_once(raw: str, data: st.DataObject) -> None:
    points = sorted(data.draw(st.lists(st.integers(0, len(raw)), min_size=2, max_size=8)))
    hits = [Hit(a, b, 1, n) for n, (a, b) in enumerate(zip(points[::2], points[1::2], strict=False), start=1)]
    begun = [m.ordinal for line in terminal_lines(raw, hits) for m in line.marks if m.first]
    assert sorted(begun) == [hit.ordinal for hit in hits]


def marked(raw: str, *spans: tuple[int, int]) -> list[tuple[str, str]]:
    hits = [Hit(start, end, 1, n) for n, (start, end) in enumerate(spans, start=1)]
    return [(line.text[m.start : m.end], line.kind) for line in terminal_lines(raw, hits) for m in line.marks]


def test_progress_keeps_its_last_state() -> None:
    assert texts(" 10%\r 50%\r100%\ndone\n") == ["100%", "done"]


def test_a_shorter_text_leaves_the_rest_of_a_longer_one() -> None:
    assert texts("abcdef\rxy") == ["xycdef"]


def test_windows_line_ends_are_plain_line_ends() -> None:
    assert texts("one\r\ntwo\r\n") == ["one", "two"]


def test_colours_become_classes_and_last_over_lines() -> None:
    lines = list(terminal_lines("a\x1b[31mb\nc\x1b[0md"))
    assert lines == [Line("ab", [(1, 2, "f1")], ()), Line("cd", [(0, 1, "f1")], ())]


def test_links_keep_their_text_and_lose_their_address() -> None:
    assert texts("\x1b]8;;https://e.example\x1b\\here\x1b]8;;\x07!") == ["here!"]


def test_private_sequences_and_charsets_are_dropped() -> None:
    assert texts("a\x1b[?25l\x1b[>4;2m\x1b[?2K\x1b(Bb\x1b=c") == ["abc"]


def test_a_table_that_is_redrawn_shows_its_last_state_only() -> None:
    frames = "\r\x1b[2K\x1b[1A\x1b[2K".join(f"top {n}\nend" for n in range(1, 30))
    assert texts(f"first\n{frames}\nafter\n") == ["first", "top 29", "end", "after"]


def test_a_table_that_is_erased_leaves_no_blank_lines() -> None:
    assert texts("work\n1\n2\n\x1b[2A\x1b[Jdone\n") == ["work", "done"]
    assert texts("work\n1\n2\n\x1b[2F\x1b[J") == ["work"]


def test_a_move_up_that_no_redrawing_follows_hides_nothing() -> None:
    # Published logs have line ends in place of carriage returns.
    log = "outer 0%\n\ninner 0%\x1b[A\nwarning: text\n"
    assert texts(log) == ["outer 0%", "", "inner 0%", "warning: text"]
    assert texts(log.replace("\n\ninner", "\n\rinner").replace("\x1b[A\n", "\x1b[A\r")) == [
        "warning: text",
        "inner 0%",
    ]


def test_text_at_a_column_stands_there() -> None:
    assert texts("Starting sshd\x1b[20G[ OK ]\n") == ["Starting sshd      [ OK ]"]


def test_a_cleared_screen_stays_readable_above_the_new_one() -> None:
    assert texts("one\ntwo\x1b[H\x1b[2Jthree\n\x1b[HTHREE") == ["one", "two", "THREE"]


def test_no_move_leaves_the_screen() -> None:
    assert texts("\n".join(map(str, range(60))) + "\x1b[99A\r-")[8:12] == ["8", "9", "-0", "11"]
    assert texts("\x1b[999999999Cx\x1b[999999999D-") == ["-" + " " * 159 + "x"]
    assert texts("a\x1b[999Bb") == ["a", " b"]


def test_a_hit_on_a_redrawn_line_is_marked_there_and_an_erased_one_above_it() -> None:
    raw = "loss 3\nend\x1b[A\r\x1b[Kloss 2"
    assert marked(raw, (0, 6), (17, 23)) == [("loss 3", "overwritten"), ("loss 2", "")]


def test_what_can_not_be_seen_is_made_visible() -> None:
    assert texts("\x00\x07\x7f\x85\u202eab\ud800") == ["␀␇␡\ufffd⟨RLO⟩ab\ufffd"]


def test_a_hit_around_colour_codes_is_one_mark() -> None:
    assert marked("x \x1b[1macc\x1b[0muracy y", (2, 18)) == [("accuracy", "")]


def test_a_hit_that_was_overwritten_gets_a_line_of_its_own() -> None:
    assert marked("loss 0.5\rdone 1.0", (5, 8)) == [("0.5", "overwritten")]


def test_a_hit_that_was_backspaced_away_gets_a_line_of_its_own() -> None:
    assert marked("abc\b\b\bxyz", (0, 3)) == [("abc", "overwritten")]


def test_a_hit_over_many_frames_shows_its_two_ends_only() -> None:
    raw = "\r".join(f"{n:03}" for n in range(200))
    lines = list(terminal_lines(raw, [Hit(0, len(raw), 1, 1)]))
    assert [line.text for line in lines] == ["000", "198", "199"]


def test_a_hit_partly_overwritten_is_marked_in_both_places() -> None:
    assert marked("abcdef\rxy", (0, 6)) == [("abcdef", "overwritten"), ("cdef", "")]


def test_an_empty_hit_is_a_point_where_it_is() -> None:
    lines = terminal_lines("abc", [Hit(1, 1, 1, 1)])
    assert [line.marks for line in lines] == [[HitMark(1, 1, 1, 1, True)]]


def test_a_hit_inside_a_control_sequence_is_a_point() -> None:
    lines = terminal_lines("a\x1b[31mb", [Hit(2, 4, 1, 1)])
    assert [line.marks for line in lines] == [[HitMark(1, 1, 1, 1, True)]]


def test_a_hit_of_newlines_is_a_point_at_the_line_end() -> None:
    lines = terminal_lines("ab\ncd", [Hit(2, 3, 1, 1)])
    assert [line.marks for line in lines] == [
        [HitMark(2, 2, 1, 1, True)],
        (),
    ]


def test_a_hit_beyond_the_last_newline_has_a_line_to_be_on() -> None:
    lines = terminal_lines("ab\n", [Hit(3, 3, 1, 1)])
    assert [line.marks for line in lines] == [
        (),
        [HitMark(0, 0, 1, 1, True)],
    ]


def test_offsets_hold_behind_characters_that_are_written_out() -> None:
    assert marked("\u202eab accuracy", (4, 12)) == [("accuracy", "")]


def test_five_megabytes_of_progress_on_one_line_become_one_line() -> None:
    assert texts("".join(f"\r{n:07}/700000" for n in range(350_000))) == ["0349999/700000"]


def test_five_megabytes_of_backspaces_become_one_line() -> None:
    assert texts("start " + "12%\b\b\b" * 800_000 + "end") == ["start end"]


def test_a_line_of_megabytes_overwritten_in_every_second_column_shows_both() -> None:
    # From the end, each write leaves a gap: with a list of what is covered this takes minutes.
    n = 400_000
    (text,) = texts("x" * 2 * n + "\r" + "y\x1b[C" * n)
    assert text == "yx" * n


def test_many_hits_on_one_line_of_five_megabytes_are_all_marked() -> None:
    raw = "\u202eloss 0.5 " * 500_000
    hits = [Hit(n * 90_000 + 1, n * 90_000 + 5, 1, n + 1) for n in range(50)]
    (line,) = terminal_lines(raw, hits)
    assert {line.text[mark.start : mark.end] for mark in line.marks} == {"loss"}
    assert len(line.marks) == 50


def test_many_moves_take_linear_time_and_memory() -> None:
    for moves in (
        "\x1b[9Ax\x1b[9B",
        "\x1b[J\x1b[99B",
        "x\x1b[2J",
        "\x1b[HX\x1b[99;99H",
        "\x1b[999Cx\n",
        "\x1b[1K\x1b[K",
    ):
        assert sum(map(len, texts("x\n" * 100 + moves * (200_000 // len(moves))))) < 8_000_000
