"""Highlights code with few HTML elements: Pygments' tokens in six classes, neighbours merged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from pygments.lexer import Lexer  # type: ignore[import-untyped]
from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]
from pygments.lexers.shell import BashLexer  # type: ignore[import-untyped]
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType  # type: ignore[import-untyped]

from leaderboard.rendering.lines import Line, cut, visible

MAX_HIGHLIGHTED = 50_000
"""Longer code, in characters, is not highlighted."""

_PYTHON: Lexer = PythonLexer()
_BASH: Lexer = BashLexer()
_CLASSES = (
    (Comment, "c"),
    (Keyword, "k"),
    (Operator.Word, "k"),
    (String, "s"),
    (Number, "n"),
    (Name.Builtin, "u"),
    (Name.Function, "u"),
    (Name.Class, "u"),
    (Name.Decorator, "u"),
)
_SHELL_CELL = re.compile(r"\s*%%(?:bash|sh)\b[^\n]*\n?")
_OTHER_CELL = re.compile(r"\s*%%\w+[^\n]*\n?")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_MAGIC = re.compile(r"\s*([!%]+)")

_Span = tuple[int, int, str]


def cell_lines(source: str) -> list[Line]:
    """The lines of an IPython cell: Python with ``!shell`` and ``%magic`` lines, or shell (``%%bash``)."""
    source = visible(source.replace("\r\n", "\n")).rstrip("\n")
    spans = list(_merged(_cell_spans(source), source)) if len(source) <= MAX_HIGHLIGHTED else []
    return _split(source, spans)


def _cell_spans(source: str) -> Iterator[_Span]:
    head = _SHELL_CELL.match(source) or _OTHER_CELL.match(source)
    if head:
        yield (0, head.end(), "x")
        if _SHELL_CELL.match(source):
            yield from _lexed(source, head.end(), len(source), _BASH)
        return
    python_from = at = 0
    continued = False
    for line in _LINE.finditer(source):
        magic = _MAGIC.match(line[0])
        if magic or continued:
            yield from _lexed(source, python_from, line.start(), _PYTHON)
            at = line.start()
            if magic and not continued:
                yield (at + magic.start(1), at + magic.end(1), "x")
                at += magic.end(1)
            yield from _lexed(source, at, line.end(), _BASH)
            python_from = line.end()
            continued = line[0].rstrip().endswith("\\")
    yield from _lexed(source, python_from, len(source), _PYTHON)


def _lexed(source: str, start: int, end: int, lexer: Lexer) -> Iterator[_Span]:
    if start >= end:
        return
    for at, token, value in lexer.get_tokens_unprocessed(source[start:end]):
        name = _class_of(token)
        if name and value:
            yield (start + at, start + at + len(value), name)


@cache
def _class_of(token: _TokenType) -> str:
    return next((name for kind, name in _CLASSES if token in kind), "")


def _merged(spans: Iterable[_Span], source: str) -> Iterator[_Span]:
    """Merge neighbouring spans of one class, also across white space."""
    last: _Span | None = None
    for span in spans:
        if last and last[2] == span[2] and not source[last[1] : span[0]].strip():
            last = (last[0], span[1], last[2])
            continue
        if last:
            yield last
        last = span
    if last:
        yield last


def _split(source: str, spans: list[_Span]) -> list[Line]:
    whole = Line(source, spans)
    lines: list[Line] = []
    begin = 0
    for text in source.split("\n"):
        lines.append(cut(whole, begin, begin + len(text)) if text else Line(text))
        begin += len(text) + 1
    return lines
