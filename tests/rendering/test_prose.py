"""Markdown of agents: formatted where it is harmless, text where it is not."""

from __future__ import annotations

import pytest

from leaderboard.rendering.prose import MAX_MARKDOWN, prose
from tests.rendering.helpers import XSS, Elements


def test_plain_text_becomes_paragraphs() -> None:
    assert prose("One & two.\n\nThree.") == "<p>One &amp; two.</p>\n<p>Three.</p>\n"


def test_no_text_is_no_html() -> None:
    assert prose(" \n") == ""


def test_a_name_with_underscores_is_not_emphasis() -> None:
    assert prose("run train_data_v2 now") == "<p>run train_data_v2 now</p>\n"


def test_emphasis_code_and_lists_are_formatted() -> None:
    html = prose("**Bold** and `code`\n\n- one\n- two")
    assert "<strong>Bold</strong> and <code>code</code>" in html
    assert html.count("<li>") == 2


def test_a_heading_is_no_heading_of_the_page() -> None:
    assert prose("# Plan\n\ntext") == "<p><strong>Plan</strong></p>\n<p>text</p>\n"


def test_a_link_is_followed_by_nobody_unasked() -> None:
    html = prose("[here](https://e.example/)")
    assert html == '<p><a href="https://e.example/" rel="nofollow noopener">here</a></p>\n'


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:text/html,x", "ftp://e.example", "//e.example/x"]
)
def test_a_link_of_another_scheme_has_no_address(address: str) -> None:
    assert "data:" not in (html := prose(f"[x]({address})")).replace("(data:", "")
    assert "javascript:" not in html.replace("(javascript:", "")
    assert 'href="ftp' not in html


@pytest.mark.parametrize(
    "text", [XSS, f"**{XSS}**", f"> {XSS}", f"`{XSS}`", f"- {XSS}", XSS + "x" * MAX_MARKDOWN]
)
def test_raw_html_is_text(text: str) -> None:
    found = Elements(prose(text))
    assert not {"script", "img", "section"} & set(found.tags)
    assert {name for name, _ in found.attributes} <= {"href", "rel"}
    assert "alert(1)" in found.text
    assert "<!--" not in prose(text)


def test_a_text_beyond_the_limit_is_not_parsed_as_markdown() -> None:
    assert prose("*a* " + "x" * MAX_MARKDOWN).startswith("<p>*a* ")
