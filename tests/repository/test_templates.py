"""Templates hold under the Content-Security-Policy, are readable, and have their texts in plain English."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from django.template.base import Lexer, TokenType

from tests.repository.files import ROOT, name_of, ours

TEMPLATES = [path for path in ours() if path.is_relative_to(ROOT / "templates")]
MAX_LINE = 140


class Findings(HTMLParser):
    """What is inline in a template's HTML, as lines with their place."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.inline: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        is_data = "json" in (values.get("type") or "")
        if tag == "style" or (tag == "script" and "src" not in values and not is_data):
            self.inline.append(self.place(f"<{tag}>"))
        for name, _value in attrs:
            if name == "style" or name.startswith("on"):
                self.inline.append(self.place(f"{name}="))

    def place(self, what: str) -> str:
        return f"line {self.getpos()[0]}: {what}"


def html_of(source: str) -> str:
    """Return a template's text with its tags, variables and comments taken out."""
    # A digit where something was, so that attributes keep a value, and lines keep their numbers.
    return "".join(
        token.contents if token.token_type is TokenType.TEXT else "0" + "\n" * token.contents.count("\n")
        for token in Lexer(source).tokenize()
    )


def loaded(source: str) -> Iterator[str]:
    """Yield the names of the tag libraries that a template loads."""
    for token in Lexer(source).tokenize():
        if token.token_type is TokenType.BLOCK and token.contents.startswith("load "):
            yield from token.split_contents()[1:]


def test_nothing_in_a_template_is_inline() -> None:
    pages = [path for path in TEMPLATES if path.suffix == ".html"]

    assert [
        f"{name_of(path)}, {each}" for path in pages for each in Findings(html_of(path.read_text())).inline
    ] == []


def test_no_line_of_a_template_is_too_long_to_read() -> None:
    long = [
        f"{name_of(path)}:{number}: {len(line)} characters"
        for path in TEMPLATES
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if len(line) > MAX_LINE
    ]

    assert long == []


def test_no_template_loads_the_translation_tags() -> None:
    assert [name_of(path) for path in TEMPLATES if "i18n" in loaded(path.read_text())] == []


@pytest.mark.parametrize(
    ("source", "libraries"),
    [
        ("{% load static i18n %}", ["static", "i18n"]),
        ("{% load static %}\n{% load translate from i18n %}", ["static", "translate", "from", "i18n"]),
        ("<p>load i18n</p>{% url 'load' %}", []),
    ],
)
def test_the_libraries_that_a_template_loads_are_found(source: str, libraries: list[str]) -> None:
    assert list(loaded(source)) == libraries


@pytest.mark.parametrize(
    ("source", "findings"),
    [
        ("<script>go()</script>", ["line 1: <script>"]),
        ('<script src="{% static "go.js" %}"></script>', []),
        ('<script type="application/json">{}</script>', []),
        ('<p style="color: red" onclick="go()">', ["line 1: style=", "line 1: onclick="]),
        ("<style>p {}</style>", ["line 1: <style>"]),
    ],
)
def test_what_is_inline_is_found(source: str, findings: list[str]) -> None:
    assert Findings(html_of(source)).inline == findings
