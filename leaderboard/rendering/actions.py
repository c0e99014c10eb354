"""Converts a step's action to lines: highlighted cells, edits as diffs, submissions as JSON."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from leaderboard.rendering.answers import patch_lines
from leaderboard.rendering.code import cell_lines
from leaderboard.rendering.lines import Line, plain_lines, visible

MAX_DIFF_LINES = 400
"""With more lines before or after, an edit is shown as all removed, then all added."""
MAX_ANSWER = 100_000
MAX_TITLE = 120
"""Characters of a step's title, which a column of the database holds."""

_BEFORE = "<<<BEFORE_EDIT>>>"
_AFTER = "<<<AFTER_EDIT>>>"
_RANGE_EDIT = re.compile(r"edit (\d{1,9}):(\d{1,9})[ \t]*\n")
_OPEN_FILE = re.compile(r"^\[File: (.+) \(\d+ lines total\)\]$", re.MULTILINE)
_COMMAND = re.compile(r"\w+(?= |$)")
_END_OF_EDIT = "end_of_edit"


class Action(NamedTuple):
    """An action to show; ``file`` and ``lines_range`` are an edit's heading, if known."""

    lines: Sequence[Line]
    file: str = ""
    lines_range: tuple[int, int] | None = None


def action(kind: str, source: str, observation: str = "", *, made: bool = True) -> Action:
    """How to show an action; ``kind`` is a StepKind's value. Unparsable text is shown unchanged.

    An edit that was not ``made`` has no inserted and no deleted lines, but the signs of those it asked for.
    """
    if kind in ("edit", "create"):
        shown = _replacement(source) or _range_edit(source, observation) or Action(plain_lines(source))
        return shown if made else shown._replace(lines=[line._replace(kind="") for line in shown.lines])
    if kind == "submit":
        return Action(patch_lines(_submission(source)) or plain_lines(_pretty(source)))
    if kind == "execute":
        return Action(cell_lines(source))
    return Action(plain_lines(source))


def title(kind: str, source: str, observation: str = "", *, refused: str = "") -> str:
    """An action in a line of at most `MAX_TITLE` characters, without what the step's kind says already.

    It is the first line that is not empty, a comment or a marker. Of a ``refused`` edit, it says why.
    """
    edit = _RANGE_EDIT.match(source) if kind == "edit" else None
    if edit:
        name = _edited_file(observation).rsplit("/", 1)[-1]
        text = f"{name} {lines_text((int(edit[1]), int(edit[2])))}".strip()
    else:
        text = _without_kind(kind, _first_line(source))
    if not refused:
        return _cut(text, 80)
    name = text.rsplit("/", 1)[-1]
    return _cut(f"{_cut(name, 60)}: {refused}" if name else refused, MAX_TITLE)


def lines_text(lines: tuple[int, int]) -> str:
    """Such as ``lines 12 to 14``, or ``line 12``."""
    first, last = lines
    return f"line {first:,}" if first == last else f"lines {first:,} to {last:,}"


def _without_kind(kind: str, line: str) -> str:
    """A line without a first word that repeats the kind: ``edit``, ``search_file``, ``continue_wait``."""
    word = _COMMAND.match(line)
    return line[word.end() :].strip() if word and kind in word[0].split("_") else line


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: size - 1]}…"


def _first_line(source: str) -> str:
    lines = (line.strip() for line in source[:4_000].splitlines())
    meaningful = [line for line in lines if line and not line.startswith(("#", "<<<"))]
    return visible(meaningful[0] if meaningful else source[:80].strip())


def _replacement(source: str) -> Action | None:
    head, found, rest = source.partition(_BEFORE)
    before, split, after = rest.partition(_AFTER)
    if not found or not split:
        return None
    return Action(_diff(_body(before), _body(after)), visible(head.strip()))


def _body(text: str) -> list[str]:
    return plain_lines(text.strip("\n")).texts


def _edited_file(observation: str) -> str:
    """The file that SWE-agent's editor shows after an edit; empty if it shows none."""
    found = _OPEN_FILE.search(observation, 0, 4_000)
    return visible(found[1]) if found else ""


def _range_edit(source: str, observation: str) -> Action | None:
    head = _RANGE_EDIT.match(source)
    if not head:
        return None
    body = source[head.end() :].rstrip().removesuffix(_END_OF_EDIT).removesuffix("\n")
    lines = [_changed("+", text) for text in plain_lines(body).texts]
    return Action(lines, _edited_file(observation), (int(head[1]), int(head[2])))


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


def _submission(source: str) -> str:
    return source.strip().removeprefix("submit").strip()


def _pretty(source: str) -> str:
    """A submission as indented JSON; a Python literal is converted too, because some agents submit those."""
    text = _submission(source)
    if len(text) > MAX_ANSWER:
        return source
    for parse in (json.loads, ast.literal_eval):
        try:
            return json.dumps(parse(text), indent=2, ensure_ascii=False)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue
    return source
