"""Pages of docs/ as pages of the site."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from textwrap import shorten

from django.conf import settings
from django.urls import reverse
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token


class _Renderer(RendererHTML):
    """Tables that scroll by themselves, as those of other pages do."""

    def table_open(self, *_: object) -> str:
        return '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>\n'

    def table_close(self, *_: object) -> str:
        return "</table></div>\n"


_PARSER = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table").disable("image")
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")
ABOUT_LENGTH = 180
"""Characters of the beginning of a page that search engines and other sites show."""
_PAGE = re.compile(r"([a-z]+)\.md(#.*)?")


@dataclass(frozen=True, slots=True)
class Guide:
    """A page of the documentation; ``about`` is how it begins, as plain text."""

    title: str
    about: str
    html: str


def guide_page(name: str) -> Guide | None:
    """The page of ``docs/<name>.md``; None if there is no such page."""
    file = settings.BASE_DIR / "docs" / f"{name}.md"
    # Only pages that there are get into the cache: anybody can ask for any number of others.
    return _render(file) if file.is_file() else None


@cache
def _render(file: Path) -> Guide:
    tokens = _PARSER.parse(file.read_text("utf-8"))
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            # As on the pages of repositories, so that links between the pages of docs/ work here too.
            anchor = _NOT_IN_ANCHORS.sub("", inline.content.lower()).replace(" ", "-")
            opening.attrSet("id", anchor)
        if {opening.type, inline.content} == {"th_open", ""}:
            opening.tag = "td"
        if inline.type == "th_close" and not opening.content:
            inline.tag = "td"
        if inline.type == "inline":
            inline.children = _with_links(inline.children or [])
    title = next(token.content for token in tokens if token.type == "inline")
    html: str = _PARSER.renderer.render(tokens, _PARSER.options, {})
    begin = next(inline for opening, inline in pairwise(tokens) if opening.type == "paragraph_open")
    text = " ".join("".join(token.content or " " for token in begin.children or []).split())
    return Guide(title, shorten(text, ABOUT_LENGTH, placeholder="…"), html)


def _with_links(tokens: list[Token]) -> list[Token]:
    """The tokens of a text with links to pages of docs/ leading to them here; links to files become text."""
    kept: list[Token] = []
    is_text = False
    for token in tokens:
        if token.type == "link_open":
            target = str(token.attrGet("href"))
            page = _PAGE.fullmatch(target)
            if page:
                token.attrSet("href", reverse("guide", args=(page[1],)) + (page[2] or ""))
            is_text = not page and not target.startswith(("#", "http://", "https://"))
        if is_text and token.type in ("link_open", "link_close"):
            continue
        kept.append(token)
    return kept
