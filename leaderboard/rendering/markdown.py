r"""Markdown as agents write it: CommonMark without the rules that take code for markup.

An agent's ``__init__.py``, ``2*3*4``, ``\(x\)``, ``&lt;``, ``>>> x`` or ``[a](b.md)`` keeps all characters.
What becomes markup can still be seen: emphasis, code, lists with their numbers, tables, links to the web.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock, blockquote, list_block, table
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

_QUOTE = re.compile(r">(?: *$| +[^\s\d>])")
_CELL = re.compile(r"(?<!\\)\|")
_ENDS_PROSE = ".,:;!?)]%\"'`"
_BEGINS_PROSE = "([\"'`"


def parser() -> MarkdownIt:
    """A parser for hostile text: no raw HTML, no images, links to http and https only."""
    made = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer)
    made.enable("table").disable(["image", "escape", "entity", "reference", "lheading"])
    made.inline.ruler.at("emphasis", _emphasis)
    made.block.ruler.at("blockquote", _quote, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    made.block.ruler.at("list", _list, {"alt": ["paragraph", "reference", "blockquote"]})
    made.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    made.validateLink = _is_web_address  # type: ignore[method-assign]
    return made


def _is_web_address(url: str) -> bool:
    # Another address would not be shown: a relative one is of a place that this site doesn't have.
    return url.startswith(("http://", "https://"))


def _emphasis(state: StateInline, silent: bool) -> bool:
    """Asterisks around words. Others are operators, globs, arguments; underscores are parts of names."""
    if silent or state.src[state.pos] != "*":
        return False
    scanned = state.scanDelims(state.pos, True)
    end = state.pos + scanned.length
    before, after = state.src[state.pos - 1 : state.pos], state.src[end : end + 1]
    opens = scanned.can_open and not before.isalnum() and (after.isalnum() or after in _BEGINS_PROSE)
    closes = scanned.can_close and not after.isalnum() and (before.isalnum() or before in _ENDS_PROSE)
    for _ in range(scanned.length):
        state.push("text", "", 0).content = "*"
        if opens or closes:
            at = len(state.tokens) - 1
            state.delimiters.append(Delimiter(ord("*"), scanned.length, at, -1, opens, closes))
    state.pos = end
    return True


def _quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A quotation, but no prompt (``>>>``) and no comparison (``> 5 epochs``)."""
    return _QUOTE.match(_line(state, start)) is not None and blockquote(state, start, end, silent)


def _list(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A list; lines that begin with a plus are of a diff."""
    return not _line(state, start).startswith("+") and list_block(state, start, end, silent)


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A table whose rows have no more cells than its head, as others would not be shown."""
    if not table(state, start, end, True):
        return False
    if start + 2 < end:
        lines = _separators(state)
        if lines[start + 2][1] > lines[start][0]:
            return False
    return silent or table(state, start, end, silent)


def _separators(state: StateBlock) -> list[tuple[int, int]]:
    """For each line of a text how many cells it separates, and the most from there to the next empty line."""
    known: list[tuple[int, int]] | None = state.env.get("separators")
    if known is None:
        known, most = [], 0
        for line in reversed(state.src.split("\n")):
            row = line.strip()
            count = len(_CELL.findall(row.strip("|")))
            most = max(most, count) if row else 0
            known.append((count, most))
        known.reverse()
        state.env["separators"] = known
    return known


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


class _Renderer(RendererHTML):
    """Headings as bold paragraphs, as the page has its own outline; list items with their own numbers."""

    def heading_open(self, *_: object) -> str:
        return "<p><strong>"

    def heading_close(self, *_: object) -> str:
        return "</strong></p>\n"

    def list_item_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        if token.info:
            token.attrSet("value", token.info)
        return self.renderToken(tokens, index, options, env)
