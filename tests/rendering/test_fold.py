"""Folding: what stays, what goes on pages, and that no hit is folded away."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.rendering.fold import CUT_LINE, MAX_CHARACTERS, MAX_LINES, PAGE_CHARACTERS, PAGE_LINES, fold
from leaderboard.rendering.hits import Hit
from leaderboard.rendering.lines import Line, plain_lines
from leaderboard.rendering.terminal import terminal_lines
from tests.rendering.helpers import Elements, marked


def numbered(count: int) -> str:
    return "\n".join(f"line {n}" for n in range(1, count + 1))


def test_a_short_text_is_shown_whole() -> None:
    folded = fold(plain_lines(numbered(MAX_LINES)), 1, "output")
    assert folded.html == f"<pre>\n{numbered(MAX_LINES)}\n</pre>"
    assert folded.pages == []


def test_no_text_is_no_html() -> None:
    assert fold(plain_lines(""), 1, "output").html == ""


def test_a_long_text_shows_its_ends_its_size_and_a_link_to_the_rest() -> None:
    html = fold(plain_lines(numbered(1_000)), 7, "output").html
    assert html.startswith("<pre>\nline 1\n")
    assert "line 12\n</pre>" in html
    assert '<pre data-from="989:0">\nline 989\n' in html
    assert (
        '<a class="fold" href="<!--page-url 7 output 1 13-->" data-hides="13:0 989:0">976 lines hidden, '
        in html
    )
    assert f"1,000 lines, {len(numbered(1_000)):,} characters" in html


def test_a_gap_of_very_few_lines_is_shown() -> None:
    text = numbered(300)
    spans = [(text.index(f"line {n}\n"), text.index(f"line {n}\n") + 6) for n in (100, 105)]
    html = fold(terminal_lines(text, [Hit(*span, 1, n) for n, span in enumerate(spans)]), 1, "output").html
    assert html.count('class="fold"') == 2


def test_what_is_cut_from_few_but_long_lines_can_be_opened() -> None:
    folded = fold([Line("short"), Line("x" * (MAX_CHARACTERS + 1))], 4, "output")
    assert re.search(
        '<a class="fold cut" href="<!--page-url 4 output 1 2-->" data-hides="2:160 2:5841">'
        "5,681 characters cut</a>",
        folded.html,
    )
    assert len(folded.html) < 3_000
    assert "x" * 5_681 in folded.pages[0].html


def test_what_is_cut_leads_to_the_page_where_it_begins() -> None:
    folded = fold([Line("y" * 400_000)], 1, "output", whole=False)
    (hides,) = re.findall(r'page-url 1 output (\d+) 1-->" data-hides="1:160 1:399840"', folded.html)
    assert hides == "1"
    assert len(folded.pages) == 7
    late = fold([*(Line("z" * 40_000) for _ in range(4))], 1, "output")
    assert re.findall(r"page-url 1 output (\d+) (\d+)-->", late.html) == [
        ("1", "1"),
        ("2", "2"),
        ("3", "3"),
        ("4", "4"),
    ]


def test_nothing_that_is_shown_is_hidden_and_everything_else_is_hidden_once() -> None:
    text = "\n".join([*map(str, range(300)), "w" * 9_000, *map(str, range(200))])
    at = text.index("150")
    folded = fold(terminal_lines(text, [Hit(at, at + 3, 1, 1)]), 1, "output")
    lines = text.split("\n")
    hidden = 0
    for begin, end in re.findall(r'data-hides="(\S+) (\S+)"', folded.html):
        (first, column), (after, until) = (tuple(map(int, place.split(":"))) for place in (begin, end))
        hidden += sum(len(line) + 1 for line in lines[first - 1 : after - 1]) - column + until
    shown = re.sub(r"<a class=.*?</a>|<p class=.*?</p>|<sup.*?</sup>|<[^>]*>", "", folded.html)
    # Every pre begins with a newline of its own.
    assert len(shown) - folded.html.count("<pre") + hidden == len(text) + 1


def test_a_page_says_where_its_text_begins_and_ends() -> None:
    pages = fold([Line("a"), Line("b" * 70_000), Line("c")], 1, "output").pages
    places = [re.findall(r'data-from="(.*?)" data-to="(.*?)"', page.html) for page in pages]
    assert places == [[("1:0", "2:0")], [("2:0", "2:64000")], [("2:64000", "4:0")]]
    assert [(page.first_line, page.last_line) for page in pages] == [(1, 1), (2, 2), (2, 3)]


def test_pages_hold_the_whole_text_once() -> None:
    text = "\n".join(["short", "y" * 5_001, *map(str, range(1_200)), "z" * 200_000, "end"])
    folded = fold(plain_lines(text), 1, "output")
    assert folded.text == text
    assert "".join(text[page.start : page.end] for page in folded.pages) == text
    assert [page.number for page in folded.pages] == list(range(1, len(folded.pages) + 1))
    assert all(Elements(page.html).text.count("\n") <= PAGE_LINES + 1 for page in folded.pages)
    assert all(page.end - page.start <= PAGE_CHARACTERS for page in folded.pages)


def test_pages_know_their_lines() -> None:
    pages = fold(plain_lines(numbered(1_001)), 1, "output").pages
    assert [(page.first_line, page.last_line) for page in pages] == [(1, 500), (501, 1000), (1001, 1001)]


def test_a_fold_leads_to_the_page_where_it_begins() -> None:
    text = numbered(1_200)
    at = text.index("line 700")
    html = fold(terminal_lines(text, [Hit(at, at + 8, 1, 1)]), 3, "output").html
    assert "page-url 3 output 1" in html
    assert "page-url 3 output 2" in html


def test_whole_hides_nothing_on_pages() -> None:
    folded = fold(plain_lines(numbered(100)), 1, "output", whole=True)
    assert folded.pages == []
    assert '<details class="fold"><summary>' in folded.html
    assert "line 50\n" in folded.html


@given(
    st.integers(41, 300),
    st.lists(st.tuples(st.integers(0, 4_000), st.integers(0, 400)), min_size=1, max_size=6),
)
@settings(max_examples=60)
def test_no_hit_is_folded_away(count: int, drawn: list[tuple[int, int]]) -> None:
    text = numbered(count) + "\n" + "w" * (10 * CUT_LINE + 77) + "\n" + numbered(60)
    hits = [
        Hit(min(start, len(text)), min(start + length, len(text)), number, 1)
        for number, (start, length) in enumerate(drawn, start=1)
    ]
    found = Elements(fold(terminal_lines(text, hits), 1, "output").html)
    assert sorted(str(name) for name in found.ids) == sorted(f"hit-{hit.landmark}-1" for hit in hits)


def test_a_hit_in_a_cut_row_is_shown_in_full() -> None:
    text = "a" * 3_000 + "accuracy 0.5" + "b" * 5_000
    html = fold(terminal_lines(text, [Hit(3_000, 3_012, 1, 1)]), 1, "output").html
    assert marked(html) == ["accuracy 0.5"]


def test_a_hit_over_very_many_lines_shows_its_first_and_last_three() -> None:
    text = numbered(500)
    hit = Hit(text.index("line 100"), text.index("line 400") + 8, 1, 1)
    shown_lines = marked(fold(terminal_lines(text, [hit]), 1, "output").html)
    assert {"line 100", "line 101", "line 102", "line 398", "line 399", "line 400"} <= set(shown_lines)
    assert "line 250" not in shown_lines


def test_five_megabytes_fold_to_a_short_first_view() -> None:
    folded = fold(terminal_lines("\x1b[32mINFO\x1b[0m some words of a log\n" * 135_000), 1, "output")
    assert len(folded.html) < 3_000
    assert len(folded.pages) == 270
