"""The words of a stored fragment, left open so that a page can be served in any language.

Stored HTML says nothing in English: where a person reads a word it holds ``<!--t key arg arg-->``, in an
element's text or in an attribute's value. ``fill`` replaces every marker in one pass with what
``translate(key, args)`` gives: text that is already escaped for HTML (quotes too, since it may stand in an
attribute). ``args`` are strings of letters, digits, ``.``, ``_`` and ``-`` only. An agent can't forge a
marker: its ``<`` is escaped everywhere, and the allow-list for Markdown drops comments.

``page-url`` (step, part, page number) and ``output-url`` (step) are no words but addresses: whoever serves
the fragment resolves them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from typing import NamedTuple

Translate = Callable[[str, tuple[str, ...]], str]

PAGE_URL = "page-url"
OUTPUT_URL = "output-url"
OUTPUT_LINK = "output-link"
"""Stands where the link to a whole output goes, while a text is rendered; never in what is stored."""


class Word(NamedTuple):
    """A text with ``{0}``, ``{1}`` for its arguments; ``many`` is used where the first is not 1."""

    one: str
    many: str = ""


# Named as `makemessages` looks for texts to translate: it knows no names of ours.
def gettext_noop(one: str) -> Word:
    return Word(one)


def ngettext_lazy(one: str, many: str) -> Word:
    return Word(one, many)


WORDS = {
    "step": gettext_noop("Step {0}"),
    "kind-execute": gettext_noop("execute"),
    "kind-edit": gettext_noop("edit"),
    "kind-create": gettext_noop("create"),
    "kind-view": gettext_noop("view"),
    "kind-search": gettext_noop("search"),
    "kind-submit": gettext_noop("submit"),
    "kind-interrupt": gettext_noop("interrupt"),
    "kind-wait": gettext_noop("wait"),
    "kind-format-error": gettext_noop("format error"),
    "kind-exception": gettext_noop("exception"),
    "kind-other": gettext_noop("other"),
    "mark-error": gettext_noop("error"),
    "mark-timeout": gettext_noop("timeout"),
    "mark-format-error": gettext_noop("format error"),
    "mark-submit": gettext_noop("submit"),
    "mark-pre-executed": gettext_noop("pre-executed"),
    "seconds": gettext_noop("{0} s"),
    "minutes": gettext_noop("{0} min {1} s"),
    "hours": gettext_noop("{0} h {1} min"),
    "action": gettext_noop("Action"),
    "output": gettext_noop("Output"),
    "no-output": gettext_noop("no output"),
    "landmark": gettext_noop("landmark"),
    "more-hits": ngettext_lazy("{0} further match of landmark {1}", "{0} further matches of landmark {1}"),
    "overwritten": gettext_noop("overwritten:"),
    "hidden": ngettext_lazy("{0} line hidden, {1} characters", "{0} lines hidden, {1} characters"),
    "cut": ngettext_lazy("{0} character cut", "{0} characters cut"),
    "size": ngettext_lazy("{0} line, {1} characters", "{0} lines, {1} characters"),
    "whole-output": gettext_noop("Whole output, {0} MB"),
    "first-of-output": gettext_noop("The first {0} MB of the output; the limit is reached there"),
    "edit-lines": gettext_noop("lines {0} to {1}"),
    "query": gettext_noop("Query"),
    "answer": gettext_noop("Answer"),
    "no-answer": gettext_noop("No answer was submitted."),
    "landmarks": gettext_noop("Landmarks"),
    "status-hit": gettext_noop("hit"),
    "status-given": gettext_noop("given by a pre-executed cell"),
    "status-missed": gettext_noop("missed"),
    "status-timed-out": gettext_noop("pattern timed out"),
    "status-invalid": gettext_noop("pattern is invalid"),
    "steps": gettext_noop("Steps"),
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
    if key in (PAGE_URL, OUTPUT_URL):
        return f"#step-{args[0]}"
    return escape(format_word(key, args))
