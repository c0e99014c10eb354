"""The words of a stored fragment, left open so that a page can be served in any language.

Stored HTML says nothing in English: where a person reads a word it holds ``<!--t key arg arg-->``, in an
element's text or in an attribute's value. ``fill`` replaces every marker in one pass with what
``translate(key, args)`` gives: text that is already escaped for HTML (quotes too, since it may stand in an
attribute). ``args`` are strings of letters, digits, ``.``, ``_`` and ``-`` only. An agent can't forge a
marker: its ``<`` is escaped everywhere, and the allow-list for Markdown drops comments.

``page-url`` (step, part, page number) is no word but an address: whoever serves the fragment resolves it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from typing import NamedTuple

Translate = Callable[[str, tuple[str, ...]], str]

PAGE_URL = "page-url"


class Word(NamedTuple):
    """A text with ``{0}``, ``{1}`` for its arguments; ``many`` is used where the first is not 1."""

    one: str
    many: str = ""


WORDS = {
    "step": Word("Step {0}"),
    "kind-execute": Word("run"),
    "kind-edit": Word("edit"),
    "kind-create": Word("create"),
    "kind-view": Word("view"),
    "kind-search": Word("search"),
    "kind-submit": Word("submit"),
    "kind-interrupt": Word("interrupt"),
    "kind-wait": Word("wait"),
    "kind-format-error": Word("format error"),
    "kind-exception": Word("stopped"),
    "kind-other": Word("other"),
    "mark-error": Word("error"),
    "mark-timeout": Word("timeout"),
    "mark-format-error": Word("format error"),
    "mark-submit": Word("submit"),
    "mark-pre-executed": Word("pre-executed"),
    "started": Word("started"),
    "duration": Word("duration"),
    "seconds": Word("{0} s"),
    "minutes": Word("{0} min {1} s"),
    "hours": Word("{0} h {1} min"),
    "thought": Word("Thought"),
    "action": Word("Action"),
    "output": Word("Output"),
    "no-output": Word("no output"),
    "landmark": Word("landmark"),
    "landmark-hit": Word("landmark {0}"),
    "more-hits": Word("{0} further match of landmark {1}", "{0} further matches of landmark {1}"),
    "overwritten": Word("overwritten:"),
    "hidden": Word("{0} line hidden, {1} characters", "{0} lines hidden, {1} characters"),
    "cut": Word("{0} character cut", "{0} characters cut"),
    "size": Word("{0} line, {1} characters", "{0} lines, {1} characters"),
    "edit-lines": Word("lines {0} to {1}"),
    "query": Word("Query"),
    "answer": Word("Answer"),
    "no-answer": Word("No answer was submitted."),
    "landmarks": Word("Landmarks"),
    "status-hit": Word("hit"),
    "status-given": Word("given by a pre-executed cell"),
    "status-missed": Word("missed"),
    "status-timed-out": Word("pattern timed out"),
    "status-invalid": Word("pattern is invalid"),
    "steps": Word("Steps"),
}

_MARKER = re.compile(r"<!--t ([a-z-]+)((?: [\w.-]+)*)-->", re.ASCII)
_UNSAFE = re.compile(r"[^\w.-]", re.ASCII)


def word(key: str, *args: object) -> str:
    """The marker for ``key``; anything an argument may not hold is dropped from it."""
    return "<!--t " + " ".join([key, *(_UNSAFE.sub("", str(arg)) or "-" for arg in args)]) + "-->"


def fill(html: str, translate: Translate) -> str:
    """``html`` with every marker replaced by ``translate(key, args)``, which must be escaped text."""
    return _MARKER.sub(lambda match: translate(match[1], tuple(match[2].split())), html)


def format_word(key: str, args: tuple[str, ...], words: dict[str, Word] = WORDS) -> str:
    """The text of ``key`` with whole numbers grouped by thousands, not escaped."""
    entry = words[key]
    text = entry.many if entry.many and args and args[0] != "1" else entry.one
    return text.format(*(f"{int(arg):,}" if arg.isdecimal() else arg for arg in args))


def english(html: str) -> str:
    """``html`` in English; an address leads to the step itself, since there is no server to ask for pages."""
    return fill(html, _english)


def _english(key: str, args: tuple[str, ...]) -> str:
    if key == PAGE_URL:
        return f"#step-{args[0]}"
    return escape(format_word(key, args))
