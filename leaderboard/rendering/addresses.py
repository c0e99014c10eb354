"""The addresses that a stored fragment leaves open: only whoever serves it knows them.

Where an address stands, an attribute of the stored HTML holds a marker: ``<!--page-url STEP PART NUMBER-->``
for a page of a long text, ``<!--output-url STEP-->`` for all of a step's output. An agent can't forge one:
its ``<`` is escaped everywhere, and the allow-list for Markdown drops comments.
"""

from __future__ import annotations

import re
from collections.abc import Callable

PAGE_URL = "page-url"
OUTPUT_URL = "output-url"

_MARKER = re.compile(rf"<!--({PAGE_URL}|{OUTPUT_URL})((?: [\w.-]+)*)-->", re.ASCII)
_UNSAFE = re.compile(r"[^\w.-]", re.ASCII)


def marker(key: str, *args: object) -> str:
    """The marker for an address; anything an argument may not hold is dropped from it."""
    return "<!--" + " ".join([key, *(_UNSAFE.sub("", str(arg)) or "-" for arg in args)]) + "-->"


def fill(html: str, address: Callable[[str, tuple[str, ...]], str]) -> str:
    """Put an address in the place of every marker, in one pass.

    Args:
        html: a stored fragment.
        address: called with a marker's key and arguments; gives text that is safe in an attribute.
    """
    return _MARKER.sub(lambda match: address(match[1], tuple(match[2].split())), html)


def fill_with_steps(html: str) -> str:
    """Let every address lead to the step itself, for a page without a server."""
    return fill(html, lambda _key, args: f"#step-{args[0]}")
