"""Lines to HTML: styles, marks, kinds."""

from __future__ import annotations

from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rendering.lines import HitMark, Line, Lines, cut, line_html, lines_html
from tests.rendering.helpers import Elements, marked

FLAG = '<sup class="flag"><span class="vh">landmark </span>{}</sup>'


def test_text_is_escaped_and_styles_are_spans() -> None:
    line = Line("a<b&c", [(1, 2, "f1")])
    assert line_html(line, ids=True) == 'a<span class="f1">&lt;</span>b&amp;c'


def test_a_mark_has_its_number_its_id_and_a_spoken_label() -> None:
    html = line_html(Line("abc", (), [HitMark(1, 2, 3, 7, True)]), ids=True)
    assert html == f'a<mark class="hit" data-landmark="3" id="hit-3-7">{FLAG.format(3)}b</mark>c'


def test_a_mark_that_goes_on_has_neither_id_nor_flag() -> None:
    html = line_html(Line("abc", (), [HitMark(0, 3, 3, 7, False)]), ids=True)
    assert html == '<mark class="hit" data-landmark="3">abc</mark>'


def test_pages_have_no_ids() -> None:
    assert " id=" not in line_html(Line("abc", (), [HitMark(0, 3, 3, 7, True)]), ids=False)


def test_overlapping_hits_split_and_name_all_their_landmarks() -> None:
    html = line_html(Line("abcdef", (), [HitMark(0, 4, 1, 1, True), HitMark(2, 6, 2, 1, True)]), ids=True)
    assert marked(html) == ["ab", "cd", "ef"]
    assert 'data-landmark="1 2" id="hit-2-1"' in html
    assert FLAG.format("1, 2") in html


def test_hits_that_begin_together_have_an_id_each() -> None:
    html = line_html(Line("ab", (), [HitMark(0, 2, 1, 1, True), HitMark(0, 2, 2, 1, True)]), ids=True)
    assert Elements(html).ids == ["hit-1-1", "hit-2-1"]


def test_a_point_is_an_empty_mark() -> None:
    assert marked(line_html(Line("ab", (), [HitMark(2, 2, 1, 1, True)]), ids=True)) == [""]


def test_neighbours_of_one_kind_share_an_element() -> None:
    lines = [Line("- a", kind="del"), Line("- b", kind="del"), Line("+ c", kind="ins"), Line("  d")]
    assert lines_html(lines, ids=True) == "<del>- a\n- b\n</del><ins>+ c\n</ins>  d\n"


LINES = st.builds(
    lambda text, cuts, marks: Line(
        text,
        [(a, b, "f1") for a, b in zip(cuts[::2], cuts[1::2], strict=False) if a < b <= len(text)],
        sorted(
            HitMark(min(a, len(text)), min(a + n, len(text)), 1, i, True) for i, (a, n) in enumerate(marks)
        ),
    ),
    st.text(alphabet="ab<&>", min_size=0, max_size=12),
    st.lists(st.integers(0, 12), max_size=6, unique=True).map(sorted),
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 5)), max_size=3),
)


@given(LINES)
def test_nothing_of_the_text_is_lost_and_every_hit_has_one_id(line: Line) -> None:
    html = line_html(line, ids=True)
    names = [str(name) for name in Elements(html).ids]
    assert sorted(names) == sorted(f"hit-1-{mark.ordinal}" for mark in line.marks)
    bare = html
    for label in ("1",):
        bare = bare.replace(FLAG.format(label), "")
    assert unescape(Elements(bare).text) == line.text


PLAIN = st.text(alphabet="ab<", max_size=3).map(Line)


@given(st.lists(LINES | PLAIN), st.integers(-3, 12), st.integers(-3, 12))
def test_plain_lines_are_lines_like_others_but_no_objects(lines: list[Line], first: int, after: int) -> None:
    plain = [not line.styles and not line.marks for line in lines]
    lines = [Line(line.text) if alone else line for line, alone in zip(lines, plain, strict=True)]
    kept = Lines(lines)
    assert list(kept) == lines
    assert list(kept[first:after]) == lines[first:after]
    assert [kept[index] for index in range(len(lines))] == lines
    assert len(kept.rich) == plain.count(False)


@given(LINES, st.integers(1, 12))
def test_cut_pieces_hold_the_text_and_each_hit_begins_in_one(line: Line, width: int) -> None:
    pieces = [cut(line, at, at + width) for at in range(0, max(1, len(line.text)), width)]
    assert "".join(piece.text for piece in pieces) == line.text
    begun = [mark.ordinal for piece in pieces for mark in piece.marks if mark.first]
    assert sorted(begun) == sorted(mark.ordinal for mark in line.marks)
