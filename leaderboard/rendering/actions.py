"""Converts a step's action to lines: highlighted cells, edits as diffs, submissions as JSON."""

from __future__ import annotations

import ast
import json
import re
from difflib import SequenceMatcher
from typing import NamedTuple

from leaderboard.rendering.code import cell_lines
from leaderboard.rendering.lines import Line, plain_lines, visible

MAX_DIFF_LINES = 400
"""With more lines before or after, an edit is shown as all removed, then all added."""
MAX_ANSWER = 100_000

_BEFORE = "<<<BEFORE_EDIT>>>"
_AFTER = "<<<AFTER_EDIT>>>"
_RANGE_EDIT = re.compile(r"edit (\d{1,9}):(\d{1,9})[ \t]*\n")
_END_OF_EDIT = "end_of_edit"


class Action(NamedTuple):
    """An action to show; ``file`` and ``lines_range`` are an edit's heading, if known."""

    lines: list[Line]
    file: str = ""
    lines_range: tuple[int, int] | None = None


def action(kind: str, source: str) -> Action:
    """How to show an action; ``kind`` is a StepKind's value. Unparsable text is shown unchanged."""
    if kind in ("edit", "create"):
        return _replacement(source) or _range_edit(source) or Action(plain_lines(source))
    if kind == "submit":
        return Action(plain_lines(_pretty(source)))
    if kind == "execute":
        return Action(cell_lines(source))
    return Action(plain_lines(source))


def title(source: str) -> str:
    """The first line of an action that is not empty, a comment or a marker; at most 80 characters."""
    lines = (line.strip() for line in source[:4_000].splitlines())
    meaningful = [line for line in lines if line and not line.startswith(("#", "<<<"))]
    text = visible(meaningful[0] if meaningful else source[:80].strip())
    return text if len(text) <= 80 else text[:79] + "…"


def _replacement(source: str) -> Action | None:
    head, found, rest = source.partition(_BEFORE)
    before, split, after = rest.partition(_AFTER)
    if not found or not split:
        return None
    return Action(_diff(_body(before), _body(after)), visible(head.strip()))


def _body(text: str) -> list[str]:
    return [line.text for line in plain_lines(text.strip("\n"))]


def _range_edit(source: str) -> Action | None:
    head = _RANGE_EDIT.match(source)
    if not head:
        return None
    body = source[head.end() :].rstrip().removesuffix(_END_OF_EDIT).removesuffix("\n")
    lines = [_changed("+", line.text) for line in plain_lines(body)]
    return Action(lines, lines_range=(int(head[1]), int(head[2])))


def _diff(before: list[str], after: list[str]) -> list[Line]:
    if len(before) > MAX_DIFF_LINES or len(after) > MAX_DIFF_LINES:
        return [*(_changed("-", text) for text in before), *(_changed("+", text) for text in after)]
    lines: list[Line] = []
    for tag, i, j, k, m in SequenceMatcher(None, before, after).get_opcodes():
        if tag == "equal":
            lines += [Line("  " + text) for text in before[i:j]]
        else:
            lines += [_changed("-", text) for text in before[i:j]]
            lines += [_changed("+", text) for text in after[k:m]]
    return lines


def _changed(sign: str, text: str) -> Line:
    return Line(f"{sign} {text}", kind="ins" if sign == "+" else "del")


def _pretty(source: str) -> str:
    """A submission as indented JSON; a Python literal is converted too, because some agents submit those."""
    text = source.strip().removeprefix("submit").strip()
    if len(text) > MAX_ANSWER:
        return source
    for parse in (json.loads, ast.literal_eval):
        try:
            return json.dumps(parse(text), indent=2, ensure_ascii=False)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue
    return source
