"""Renders thoughts and queries: Markdown with few tags, no raw HTML or images, http(s) links only."""

from __future__ import annotations

import re
from functools import lru_cache

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML

from leaderboard.rendering.lines import escape, visible

MAX_MARKDOWN = 20_000
"""Longer text, in characters, is shown unchanged: a Markdown parser may take more than linear time."""

_TAGS = {
    *("p", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li", "hr", "br", "a"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
_MAYBE_MARKDOWN = re.compile(
    r"[*`<>\[\]\\&|~]|\b_|_\b|^ {0,3}(?:[#=+-]|\d+[.)])|^(?: {4}|\t)| {2,}$", re.MULTILINE
)
_BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")


def prose(text: str) -> str:
    """``text`` as block-level HTML. Headings become bold paragraphs, because the page has its own outline."""
    text = visible(text.strip().replace("\r\n", "\n"))
    if not text:
        return ""
    if len(text) > MAX_MARKDOWN or not _MAYBE_MARKDOWN.search(text):
        return "".join(f"<p>{escape(paragraph)}</p>\n" for paragraph in _BLANK_LINES.split(text))
    return _markdown(text)


@lru_cache(maxsize=256)
def _markdown(text: str) -> str:
    """Up to ``MAX_MARKDOWN`` characters as HTML. Cached: an attempt's page and download show the same."""
    return nh3.clean(
        _PARSER.render(text),
        tags=_TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        url_schemes={"http", "https"},
        attribute_filter=_absolute_links,
        link_rel="nofollow noopener",
        strip_comments=True,
    )


def _absolute_links(tag: str, attribute: str, value: str) -> str | None:
    """Drop a relative URL: it would point to a page of this site, which the agent can't have meant."""
    return None if attribute == "href" and not value.startswith(("http://", "https://")) else value


class _Renderer(RendererHTML):
    """Headings as bold paragraphs."""

    def heading_open(self, *_: object) -> str:
        return "<p><strong>"

    def heading_close(self, *_: object) -> str:
        return "</strong></p>\n"


_PARSER = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table").disable("image")
