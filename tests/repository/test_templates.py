"""Templates hold under the Content-Security-Policy, and every word of theirs can be translated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.template.base import Lexer, Token, TokenType

from tests.repository.files import ROOT, name_of, ours

TEMPLATES = [path for path in ours() if path.is_relative_to(ROOT / "templates") and path.suffix == ".html"]
SPOKEN_ATTRIBUTES = frozenset({"alt", "aria-description", "aria-label", "label", "placeholder", "title"})
# The same in every language.
NAMES = ("Superboard", "SUPER", "CSV", "JSON", "HTML", "ipynb", "GitHub")
# What is typed stays as it is, whatever the language.
TYPED = frozenset({"code", "kbd", "pre", "samp", "script", "style"})
WORD = re.compile(r"[^\W\d_]{2,}")
ENDS = {"blocktranslate": "endblocktranslate", "blocktrans": "endblocktrans", "comment": "endcomment"}


class Findings(HTMLParser):
    """What is inline and what is untranslated in a template's HTML, as lines with their place."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.inline: list[str] = []
        self.untranslated: list[str] = []
        self.typed = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.typed += tag in TYPED
        is_data = "json" in (values.get("type") or "")
        if tag == "style" or (tag == "script" and "src" not in values and not is_data):
            self.inline.append(self.place(f"<{tag}>"))
        for name, value in attrs:
            if name == "style" or name.startswith("on"):
                self.inline.append(self.place(f"{name}="))
            if name in SPOKEN_ATTRIBUTES:
                self.check_words(value or "")

    def handle_endtag(self, tag: str) -> None:
        self.typed -= tag in TYPED

    def handle_data(self, data: str) -> None:
        if not self.typed:
            self.check_words(data)

    def check_words(self, text: str) -> None:
        for name in NAMES:
            text = text.replace(name, "")
        if WORD.search(text):
            self.untranslated.append(self.place(" ".join(text.split())))

    def place(self, what: str) -> str:
        return f"line {self.getpos()[0]}: {what}"


def html_of(source: str) -> str:
    """Return a template's text with its tags, variables, comments and translated blocks taken out."""
    return "".join(remaining(Lexer(source).tokenize()))


def remaining(tokens: list[Token]) -> Iterator[str]:
    waiting_for: str | None = None
    for token in tokens:
        tag = token.contents.split()[0] if token.token_type is TokenType.BLOCK and token.contents else ""
        if waiting_for is None and token.token_type is TokenType.TEXT:
            yield token.contents
        else:
            # A digit where something was, so that attributes keep a value, and lines keep their numbers.
            yield "0" + "\n" * token.contents.count("\n")
        if tag in ENDS:
            waiting_for = ENDS[tag]
        elif tag == waiting_for:
            waiting_for = None


@pytest.mark.parametrize("path", TEMPLATES, ids=name_of)
def test_nothing_in_a_template_is_inline(path: Path) -> None:
    assert Findings(html_of(path.read_text())).inline == []


@pytest.mark.parametrize("path", TEMPLATES, ids=name_of)
def test_every_word_of_a_template_can_be_translated(path: Path) -> None:
    assert Findings(html_of(path.read_text())).untranslated == []


@pytest.mark.parametrize(
    ("source", "findings"),
    [
        ("<p>\nHello\n{# not seen #}</p>", ["line 1: Hello"]),
        ('<img alt="A chart">', ["line 1: A chart"]),
        ('<p title="{% translate "Hi" %}">{% translate "Hello" %}</p>', []),
        ("{% blocktranslate %}\nHello <b>you</b>{% endblocktranslate %}\n<p>There</p>", ["line 3: There"]),
        ("<p><kbd>{% if key %}shift{% endif %}</kbd> and</p>", ["line 1: and"]),
        ("<p>{{ user.name }} ± 1.0 SUPER</p>", []),
    ],
)
def test_untranslated_words_are_found_where_they_stand(source: str, findings: list[str]) -> None:
    html = html_of(source)

    assert [re.sub(r"\b0\b", "", line).rstrip() for line in Findings(html).untranslated] == findings


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
