"""Shows an answer as what it is: JSON indented, text as text, a patch as a diff."""

from __future__ import annotations

import json
import re
from html import escape
from typing import NamedTuple

from markupsafe import Markup

from leaderboard.rendering.lines import Line, lines_html, plain_lines, visible

MAX_ANSWER = 20_000
"""Characters of an answer that a site's page shows; the original file has all of it."""
MAX_PARSED = 100_000
"""A longer text, in characters, is not searched for JSON."""

_PATCH = re.compile(r"\s*(?:diff --git |Index: |--- \S[^\n]*\n\+\+\+ \S|@@ -\d)")
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@", re.MULTILINE)
_KINDS = {"+": "ins", "-": "del"}


class ShownAnswer(NamedTuple):
    """The content of a ``pre``, and what the answer is, where its text does not say so."""

    html: Markup
    note: str = ""


def shown_answer(stored: str, limit: int | None = MAX_ANSWER) -> ShownAnswer:
    """An answer for a page, from its JSON text, which is not empty; ``limit`` is in characters."""
    text = _text(stored)
    if text is None:
        return _cut(stored, limit, "")
    if patch := _patch_html(text[:limit]):
        return ShownAnswer(patch, _cut(text, limit, "A patch.").note)
    indented = indented_json(text)
    if indented is not None:
        return _cut(indented, limit, "Text that holds JSON, shown indented.")
    return _cut(text, limit, "Text.")


def shown_patch(patch: str, limit: int | None = MAX_ANSWER) -> ShownAnswer:
    """A patch that a file keeps beside the steps; as text if it is no unified diff."""
    cut = _cut(patch, limit, "")
    return cut._replace(html=_patch_html(patch[:limit]) or cut.html)


def _patch_html(text: str) -> Markup | None:
    lines = patch_lines(text)
    return Markup(lines_html(lines, ids=False)) if lines else None  # noqa: S704 - escaped line by line


def patch_lines(text: str) -> list[Line] | None:
    """The lines of a unified diff, with those inserted and deleted; None if ``text`` is none."""
    if not _PATCH.match(text) or not _HUNK.search(text):
        return None
    lines: list[Line] = []
    in_hunk = False
    for line in plain_lines(text):
        in_hunk = line.text.startswith("@@") or (in_hunk and not line.text.startswith(("diff ", "Index: ")))
        lines.append(line._replace(kind=_KINDS.get(line.text[:1], "")) if in_hunk else line)
    return lines


def indented_json(text: str) -> str | None:
    """``text`` as indented JSON; None if it is none, or a JSON string, or can't be indented."""
    if len(text) > MAX_PARSED:
        return None
    try:
        value = json.loads(text)
        return None if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return None


def _text(stored: str) -> str | None:
    """The text of an answer that is one."""
    if not stored.startswith('"'):
        return None
    try:
        value = json.loads(stored)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def _cut(text: str, limit: int | None, note: str) -> ShownAnswer:
    html = Markup(escape(visible(text[:limit])))  # noqa: S704 - escaped
    if limit is None or len(text) <= limit:
        return ShownAnswer(html, note)
    note = f"{note} The first {limit:,} of {len(text):,} characters; the original file has all of it."
    return ShownAnswer(html, note.strip())
