"""Renders thoughts and queries: Markdown with few tags, no raw HTML or images, http(s) links only."""

from __future__ import annotations

import re
from functools import lru_cache

import nh3

from leaderboard.rendering.lines import escape, visible
from leaderboard.rendering.markdown import parser

MAX_MARKDOWN = 20_000
"""Longer text, in characters, is shown unchanged: a Markdown parser may take more than linear time."""

_TAGS = {
    *("p", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li", "hr", "br", "a"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
_MAYBE_MARKDOWN = re.compile(r"[*`<\[|]|^ {0,3}(?:[#>_-]|\d+[.)])|^(?: {4}|\t)| {2,}$", re.MULTILINE)
_MARKUP = re.compile(r"<(?!/?(?:p|code)>)")
_BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")


def prose(text: str) -> str:
    """``text`` as block-level HTML."""
    text = visible(text.strip().replace("\r\n", "\n"))
    if not text:
        return ""
    if len(text) > MAX_MARKDOWN or not _MAYBE_MARKDOWN.search(text):
        return "".join(f"<p>{escape(paragraph)}</p>\n" for paragraph in _BLANK_LINES.split(text))
    return _markdown(text)


def as_written(text: str, html: str) -> str:
    """The raw ``text`` of which `prose` made ``html``, to open below it; empty if little has changed.

    Paragraphs and inline code show all that was written.
    """
    if not _MARKUP.search(html):
        return ""
    raw = escape(visible(text.strip().replace("\r\n", "\n")))
    return f'<details class="written"><summary>as written</summary><pre>\n{raw}</pre></details>'


@lru_cache(maxsize=256)
def _markdown(text: str) -> str:
    """Up to ``MAX_MARKDOWN`` characters as HTML. Cached: an attempt's page and download show the same."""
    return nh3.clean(
        _PARSER.render(text),
        tags=_TAGS,
        attributes={"a": {"href", "title"}, "li": {"value"}},
        url_schemes={"http", "https"},
        attribute_filter=_absolute_links,
        link_rel="nofollow noopener",
        strip_comments=True,
    )


def _absolute_links(tag: str, attribute: str, value: str) -> str | None:
    """Drop a relative URL: it would point to a page of this site, which the agent can't have meant."""
    return None if attribute == "href" and not value.startswith(("http://", "https://")) else value


_PARSER = parser()
