"""A page of the site as a page of a copy: links to files, no forms, nothing that asks a server.

Only tags that change are written anew; all else stays as the site wrote it, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from html.parser import HTMLParser
from typing import Final

Attributes = list[tuple[str, str | None]]

NEEDS_SITE: Final = "data-needs-site"
"""The attribute of an element that is of no use without the site: a copy leaves the element out."""
NOT_HERE: Final = "Not part of this copy"
LINKS: Final = ("href", "src", "data-plotly")
CHARTS: Final = "data-charts"
FOLD: Final = "data-hides"
"""A fold with it opens in place, with what a script asks for; without, it is a link to a page."""
VOID: Final = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
FIELDS: Final = frozenset(("button", "input", "label", "output", "select", "textarea"))


@dataclass(frozen=True, slots=True)
class Changes:
    """What a page is rewritten with.

    ``link`` returns what a link becomes, None if the copy lacks what it leads to; ``chart`` the address of a
    chart's data. ``head`` and ``foot`` are HTML for the beginning of the head and the end of the footer.
    """

    link: Callable[[str], str | None]
    chart: Callable[[str], str]
    head: str = ""
    foot: str = ""


def rewrite(page: str, changes: Changes) -> str:
    """The page of a copy."""
    parser = _Rewriter(page, changes)
    parser.feed(page)
    parser.close()
    return parser.result()


class _Rewriter(HTMLParser):
    def __init__(self, page: str, changes: Changes) -> None:
        super().__init__(convert_charrefs=False)
        self._page = page
        self._changes = changes
        self._lines = [0]
        for line in page.split("\n"):
            self._lines.append(self._lines[-1] + len(line) + 1)
        self._written: list[str] = []
        self._copied = 0
        """Where the page has been copied to."""
        self._leaving_out: list[str] = []
        """The open elements, of the name of the one that is left out, from that one on."""

    def result(self) -> str:
        return "".join(self._written) + self._page[self._copied :]

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        if self._leaving_out:
            if tag == self._leaving_out[0]:
                self._leaving_out.append(tag)
            return
        self._start(tag, attrs, empty=tag in VOID)

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        if not self._leaving_out:
            self._start(tag, attrs, empty=True)

    def handle_endtag(self, tag: str) -> None:
        if self._leaving_out:
            if tag == self._leaving_out[0]:
                self._leaving_out.pop()
            if not self._leaving_out:
                self._copied = self._page.index(">", self._position) + 1
        elif tag == "footer":
            self._put(self._position, self._changes.foot, self._position)

    @property
    def _position(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def _put(self, begin: int, text: str, end: int) -> None:
        """Write what comes before ``begin`` as it is, and a text in place of what is up to ``end``."""
        self._written += (self._page[self._copied : begin], text)
        self._copied = end

    def _start(self, tag: str, attrs: Attributes, *, empty: bool) -> None:
        begin, raw = self._position, self.get_starttag_text() or ""
        if self._is_left_out(tag, dict(attrs)):
            self._put(begin, "", begin + len(raw))
            if not empty:
                self._leaving_out.append(tag)
            return
        changed = self._changed(tag, attrs)
        text = raw if changed == attrs else _tag(tag, changed, closed=raw.endswith("/>"))
        if tag == "head":
            text += self._changes.head
        if text is not raw:
            self._put(begin, text, begin + len(raw))

    def _is_left_out(self, tag: str, attrs: Mapping[str, str | None]) -> bool:
        if tag == "form":
            return attrs.get("method") != "dialog"
        if tag == "link" and self._changes.link(attrs.get("href") or "") is None:
            return True
        return NEEDS_SITE in attrs or (tag in FIELDS and "form" in attrs)

    def _changed(self, tag: str, attrs: Attributes) -> Attributes:
        changed: Attributes = []
        for name, value in attrs:
            if name.startswith("hx-") or name == FOLD:
                continue
            if name in LINKS:
                changed += self._link(tag, name, value or "")
            elif name == CHARTS:
                changed.append((name, self._changes.chart(value or "")))
            else:
                changed.append((name, value))
        if ("title", NOT_HERE) in changed:
            return [(name, value) for name, value in changed if name != "title" or value == NOT_HERE]
        return changed

    def _link(self, tag: str, name: str, value: str) -> Attributes:
        link = self._changes.link(value)
        if link is not None:
            return [(name, link)]
        if tag != "a":
            return []
        return [("role", "link"), ("aria-disabled", "true"), ("title", NOT_HERE)]


def _tag(tag: str, attrs: Attributes, *, closed: bool) -> str:
    written = "".join(f" {name}" if value is None else f' {name}="{escape(value)}"' for name, value in attrs)
    return f"<{tag}{written}{'/' if closed else ''}>"
