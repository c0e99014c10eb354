"""What a terminal would show, and where the hits end up in it."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from leaderboard.rendering.hits import Hit
from leaderboard.rendering.lines import HitMark, Line
from leaderboard.rendering.terminal import terminal_lines

PIECES = st.sampled_from(
    ["a", "bc", "def", "\r", "\b", "\b\b", "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[31m", "\x1b[0m"]
)
RAW = st.lists(st.one_of(PIECES, st.just("\n")), max_size=30).map("".join)


def texts(raw: str) -> list[str]:
    return [line.text for line in terminal_lines(raw)]


def naive_terminal(raw: str) -> str:
    """One line, cell by cell, the obvious and quadratic way."""
    cells: list[str] = []
    column = at = 0
    while at < len(raw):
        if raw[at] == "\x1b":
            end = next(i for i in range(at + 2, len(raw)) if raw[i].isalpha())
            mode = raw[at + 2 : end]
            if raw[end] == "K":
                if mode in ("", "2"):
                    cells = cells[:column]
                if mode in ("1", "2"):
                    upto = column + 1 if mode == "1" else column
                    cells = [" "] * upto + cells[upto:]
            at = end
        elif raw[at] == "\r":
            column = 0
        elif raw[at] == "\b":
            column = max(0, column - 1)
        else:
            cells[column : column + 1] = [raw[at]]
            column += 1
        at += 1
    return "".join(cells)


@given(st.lists(PIECES, max_size=30).map("".join))
@example("ab\x1b[1K\rc")
@example("abc\b\b\x1b[2Kd")
@settings(max_examples=400)
def test_a_line_reads_as_on_a_cell_by_cell_terminal(raw: str) -> None:
    # Blanks that end a line can't be seen; a last \r is the first half of a line end.
    assert "".join(texts(raw)).rstrip() == naive_terminal(raw.removesuffix("\r")).rstrip()


@given(RAW)
def test_a_hit_changes_nothing_but_its_marks(raw: str) -> None:
    # Lines without hits take a shorter way through the code.
    with_hit = [line for line in terminal_lines(raw, [Hit(0, len(raw), 1, 1)]) if line.kind != "overwritten"]
    bare = [Line(line.text, list(line.styles)) for line in with_hit]
    assert bare == [Line(line.text, list(line.styles)) for line in terminal_lines(raw)]


@given(RAW, st.data())
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


def test_cursor_movement_and_charsets_are_dropped() -> None:
    assert texts("a\x1b[A\x1b[?25l\x1b(Bb\x1b=c") == ["abc"]


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


def test_many_hits_on_one_line_of_five_megabytes_are_all_marked() -> None:
    raw = "\u202eloss 0.5 " * 500_000
    hits = [Hit(n * 90_000 + 1, n * 90_000 + 5, 1, n + 1) for n in range(50)]
    (line,) = terminal_lines(raw, hits)
    assert {line.text[mark.start : mark.end] for mark in line.marks} == {"loss"}
    assert len(line.marks) == 50
