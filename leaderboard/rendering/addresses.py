"""Markers for URLs in stored HTML, which are only known when a page is served.

In place of a URL, an attribute has a marker: ``<!--page-url STEP PART NUMBER LINE-->`` for a line on a page
of a long text, ``<!--output-url STEP-->`` for a step's whole output, ``<!--media-url STEP NUMBER-->`` for one
of its outputs that is no text. An agent can't forge one: ``<`` in its text is always escaped, and the
Markdown filter drops comments.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count

PAGE_URL = "page-url"
OUTPUT_URL = "output-url"
MEDIA_URL = "media-url"

_MARKER = re.compile(rf"<!--({PAGE_URL}|{OUTPUT_URL}|{MEDIA_URL})((?: [\w.-]+)*)-->", re.ASCII)
# After each newline but the last, and after the ends of what only whole lines are in.
_LINE_START = re.compile(r"\n(?:</(?:ins|del|span)>)*+(?!</pre>)")
_UNSAFE = re.compile(r"[^\w.-]", re.ASCII)


def marker(key: str, *args: object) -> str:
    """The marker for a URL; unsafe characters in arguments are removed."""
    return "<!--" + " ".join([key, *(_UNSAFE.sub("", str(arg)) or "-" for arg in args)]) + "-->"


def line_id(step: int | str, part: str, line: int | str) -> str:
    """The id and address of a line as shown, from 1: ``step-8-L712`` of an output, ``step-8-action-L2``."""
    return f"step-{step}-L{line}" if part == "output" else f"step-{step}-{part}-L{line}"


def with_line_ids(html: str, step: int, part: str, first_line: int) -> str:
    """A ``pre`` of `rendering.fold` with a numbered place to go to at the start of each line.

    They are added when the page is served: each is an element, and most are never looked at.
    """
    numbers = count(first_line)

    def place() -> str:
        number = next(numbers)
        return f'<span class="ln" id="{line_id(step, part, number)}" data-n="{number}"></span>'

    return _LINE_START.sub(lambda found: found[0] + place(), html)


def fill(html: str, address: Callable[[str, tuple[str, ...]], str]) -> str:
    """Replace every marker by its URL, in one pass.

    Args:
        html: a stored fragment.
        address: called with a marker's key and arguments; returns text that is safe in an attribute.
    """
    return _MARKER.sub(lambda match: address(match[1], tuple(match[2].split())), html)


def fill_with_steps(html: str) -> str:
    """Replace every marker by a link to its step on the same page, for a page without a server."""
    return fill(html, lambda _key, args: f"#step-{args[0]}")
