"""Addresses in stored fragments: markers, how they are filled, and that they can't be forged."""

from __future__ import annotations

import re

from leaderboard.domain.scores import LandmarkStatus
from leaderboard.domain.trajectory import StepKind
from leaderboard.rendering.addresses import (
    OUTPUT_URL,
    PAGE_URL,
    fill,
    fill_with_steps,
    marker,
    with_line_ids,
)
from leaderboard.rendering.lines import Line, lines_html
from leaderboard.rendering.marks import step_marks
from leaderboard.rendering.names import KINDS, LANDMARK_STATUSES, MARKS
from leaderboard.rendering.repeats import REPEATED


def test_a_marker_is_replaced_by_the_address() -> None:
    html = f'<a href="{marker(PAGE_URL, 3, "output", 2)}">one</a> <a href="{marker(OUTPUT_URL, 4)}">two</a>'

    assert fill(html, lambda key, args: f"{key}:{','.join(args)}") == (
        '<a href="page-url:3,output,2">one</a> <a href="output-url:4">two</a>'
    )


def test_without_a_server_an_address_is_the_step_itself() -> None:
    assert fill_with_steps(marker(PAGE_URL, 3, "output", 2) + marker(OUTPUT_URL, 4)) == "#step-3#step-4"


def test_an_argument_can_not_end_its_marker() -> None:
    assert marker(OUTPUT_URL, "1--><script>") == "<!--output-url 1--script-->"
    assert fill_with_steps(marker(OUTPUT_URL, "1--><script>")) == "#step-1--script"


def test_other_comments_stay() -> None:
    others = "<!-- page-url 1 --><!--page-url--1--><!--other-url 1--><!--t step 1-->"
    assert fill_with_steps(others) == others


def test_every_line_of_a_page_has_an_address_and_its_text_is_unchanged() -> None:
    lines = [
        Line("a"),
        Line("b", kind="ins"),
        Line("", kind="ins"),
        Line("c", kind="overwritten"),
        Line("<d>"),
    ]
    html = f"<pre>\n{lines_html(lines, ids=False)}</pre>"

    numbered = with_line_ids(html, 8, "output", 711)

    places = re.findall(r'<span class="ln" id="(.*?)" data-n="(\d+)"></span>', numbered)
    assert places == [(f"step-8-L{n}", str(n)) for n in range(711, 716)]
    assert re.sub(r'<span class="ln".*?</span>', "", numbered) == html
    for n, text in [(711, "a"), (712, "<ins>b"), (714, '<span class="overwritten">'), (715, "&lt;d&gt;")]:
        assert f'data-n="{n}"></span>{text}' in numbered


def test_a_line_of_an_action_has_an_address_of_its_own() -> None:
    assert 'id="step-8-action-L1"' in with_line_ids("<pre>\nx\n</pre>", 8, "action", 1)


def test_every_kind_mark_and_status_has_a_name() -> None:
    found = {
        mark
        for kind in StepKind
        for seen in ("Traceback (most recent call last)\nTimeoutExpired", "No matches found")
        for mark in step_marks(kind, seen, pre_executed=True)
    }
    assert found | {REPEATED} == set(MARKS)
    assert set(StepKind) == set(KINDS)
    assert set(LandmarkStatus) == set(LANDMARK_STATUSES)
