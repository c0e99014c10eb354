"""Markers for URLs in stored HTML, which are only known when a page is served.

In place of a URL, an attribute has a marker: ``<!--page-url STEP PART NUMBER-->`` for a page of a long text,
``<!--output-url STEP-->`` for a step's whole output, ``<!--media-url STEP NUMBER-->`` for
one of its outputs that is no text. An agent can't forge one: ``<`` in its text is always
escaped, and the Markdown filter drops comments.
"""

from __future__ import annotations

import re
from collections.abc import Callable

PAGE_URL = "page-url"
OUTPUT_URL = "output-url"
MEDIA_URL = "media-url"

_MARKER = re.compile(rf"<!--({PAGE_URL}|{OUTPUT_URL}|{MEDIA_URL})((?: [\w.-]+)*)-->", re.ASCII)
_UNSAFE = re.compile(r"[^\w.-]", re.ASCII)


def marker(key: str, *args: object) -> str:
    """The marker for a URL; unsafe characters in arguments are removed."""
    return "<!--" + " ".join([key, *(_UNSAFE.sub("", str(arg)) or "-" for arg in args)]) + "-->"


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
