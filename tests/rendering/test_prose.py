"""Markdown of agents: formatted where it is harmless, text where it is not."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.rendering.prose import MAX_MARKDOWN, as_written, prose
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


def test_list_items_keep_their_own_numbers() -> None:
    html = prose("My plan:\n\n3. train\n4. evaluate\n4. again\n\n- one")
    assert [f'<li value="{number}">' in html for number in (3, 4)] == [True, True]
    assert html.count('<li value="4">') == 2
    assert "<ul>\n<li>one</li>" in html


@pytest.mark.parametrize(
    "text",
    [
        "Look at __init__.py and *.py, then 2*3*4, then \\(x\\) and 2**10 or a ** b ** c",
        "src/**/*.py and **/*.js, lib/*",
        "f(*args, **kwargs) and print(*a, *b)",
        "_x_ of __main__ and a\\*b\\*c, a \\",
        "&lt;b&gt; is &amp;lt;b&amp;gt;",
        ">>> import os\n>>> os.sep",
        "> 5 epochs\n>0.5 of it",
        "+ added line\n+another",
        "see [the notes](docs/notes.md), [x](javascript:alert(1)), ![a](b.png)",
        "[1]: https://e.example/\n[1] says so",
        "some text\n======",
        "a | b\n--|--\n1 | 2 | of a third column",
    ],
)
def test_code_is_not_taken_for_markup(text: str) -> None:
    assert Elements(prose(text)).text.strip() == text


def test_what_became_markup_can_be_read_as_it_was_written() -> None:
    text = "Do:\n\n1. **this** <b>\n```bash\nls\n```"
    assert as_written(text, prose(text)).endswith(
        "<pre>\nDo:\n\n1. **this** &lt;b&gt;\n```bash\nls\n```</pre></details>"
    )


@pytest.mark.parametrize("text", ["Plain.", "Run `train.py` first.\n\nThen __init__.py.", ""])
def test_a_text_that_shows_all_that_was_written_does_not_offer_it_again(text: str) -> None:
    assert as_written(text, prose(text)) == ""


@given(
    st.lists(
        st.sampled_from([*"*_`>|#+~\\[]()&!-=:x1 \n", "**", "__", "```", "1. ", "- ", "](", "a.py"])
    ).map("".join)
)
def test_no_letter_and_no_digit_of_a_text_vanishes(text: str) -> None:
    found = Elements(prose(text))
    marks = [value or "" for name, value in found.attributes if name in ("value", "title")]
    shown = Counter(c for c in found.text + "".join(marks) if c.isalnum())
    fences = Counter(c for line in re.findall(".*(?:```|~~~).*", text) for c in line if c.isalnum())
    assert not Counter(c for c in text if c.isalnum()) - shown - fences


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
