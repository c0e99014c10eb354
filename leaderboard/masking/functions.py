"""Masks functions of a Python file: ``raise NotImplementedError`` for a body, every other byte the same."""

from __future__ import annotations

import ast
import copy
import difflib
import io
import re
import tokenize
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from leaderboard.domain.errors import InputError, Problem

RAISE: Final = "raise NotImplementedError"

# Python's own line ends: str.splitlines knows more of them, such as a form feed.
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_INDENT: Final = re.compile(r"[ \t\f]*")
_END: Final = "\r\n"

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class MaskedFunction:
    """A function whose body was removed.

    Attributes:
        name: with the classes and functions around it, such as ``Ranker.fit``.
        signature: its ``def`` on one line, without decorators and comments.
        docstring: cleaned of indentation; empty if it has none.
        header_line: the line of its ``def``, from 1, in the file as it was.
        line_start, line_end: the first and the last line that were removed, in the file as it was.
        removed: the removed text, with the comments in it.
    """

    name: str
    signature: str
    docstring: str
    header_line: int
    line_start: int
    line_end: int
    removed: str


@dataclass(frozen=True, slots=True)
class _Body:
    """Where a body lies in the text, as offsets in code points, and what takes its place."""

    start: int
    end: int
    instead: str


def mask_functions(
    data: bytes, names: Sequence[str], *, file: str
) -> tuple[bytes, tuple[MaskedFunction, ...]]:
    """The bytes of a Python file with the bodies of these functions masked, and what was masked, as named.

    Decorators, signature, docstring and what stands before it stay. Comments in a body go with it: those
    before its first statement, and those after its last one that are indented more than the ``def``.

    Args:
        data: the file; a byte order mark, an encoding declaration and any line ends are understood.
        names: such as ``Ranker.fit``; a function in a function is ``outer.inner``.
        file: its name, for errors.

    Raises:
        InputError: the file can't be parsed, or a function can't be masked; the error lists every problem.
    """
    text, encoding = _decode(data, file)
    tree = _parse(text, file)
    lines = _LINE.findall(text)
    found: list[tuple[_Body, MaskedFunction]] = []
    problems: list[Problem] = []
    for name in names:
        try:
            node = _find(tree, name, file)
            body = _body(node, name, lines, file)
        except InputError as error:
            problems += error.problems
            continue
        found.append((body, _details(node, name, text, body)))
    problems += _overlaps(found, file)
    if problems:
        raise InputError(*problems)
    for body, _ in sorted(found, key=lambda each: each[0].start, reverse=True):
        text = text[: body.start] + body.instead + text[body.end :]
    _parse(text, file)
    return text.encode(encoding), tuple(masked for _, masked in found)


def _decode(data: bytes, file: str) -> tuple[str, str]:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
        same = text.encode(encoding) == data
    except (SyntaxError, LookupError, UnicodeError) as error:
        reason = f"its text can't be decoded: {error}"
        raise InputError(Problem(file, "", reason, "declare the file's encoding in its first line")) from None
    if not same:
        reason = f"other bytes would change too: the encoding {encoding} has several ways to write a text"
        raise InputError(Problem(file, "", reason, "save the file as UTF-8"))
    return text, encoding


def _parse(text: str, file: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            # Of old code: such as an unknown escape in a string.
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        place = f"line {error.lineno}" if error.lineno else ""
        reason = f"not Python that this version understands: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        place, reason = "", f"it can't be parsed: {error or 'it nests too deeply'}"
    raise InputError(Problem(file, place, reason, "mask functions of another file"))


def _definitions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Every function, class and named lambda below a node, with its name as `mask_functions` takes it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            # No expression contains a def, and one may nest deeper than Python's stack.
            continue
        name = ""
        match child:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                name = child.name
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda())
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Lambda())
            ):
                pass
        if name:
            yield prefix + name, child
        inner = f"{prefix}{name}." if name else prefix
        yield from _definitions(child, inner)


def _find(tree: ast.Module, name: str, file: str) -> _Function:
    by_name: defaultdict[str, list[ast.AST]] = defaultdict(list)
    for known, node in _definitions(tree):
        by_name[known].append(node)
    wanted = name.replace(".<locals>.", ".")
    match by_name.get(wanted, []):
        case [ast.FunctionDef() | ast.AsyncFunctionDef() as function]:
            return function
        case [ast.Assign() | ast.AnnAssign() as node]:
            reason, remedy = f"{name} is a lambda, which has no body to raise in", "write it as a def"
            raise InputError(Problem(file, f"line {node.lineno}", reason, remedy))
        case [ast.ClassDef() as node]:
            reason, remedy = f"{name} is a class", f"name its methods, such as {name}.__init__"
            raise InputError(Problem(file, f"line {node.lineno}", reason, remedy))
        case []:
            functions = [each for each, nodes in by_name.items() if isinstance(nodes[0], _Function)]
            near = difflib.get_close_matches(wanted, functions, n=3, cutoff=0.4)
            remedy = f"the nearest are {', '.join(near)}" if near else "check the name"
            raise InputError(Problem(file, "", f"there is no function {name}", remedy))
        case several:
            where = ", ".join(str(getattr(node, "lineno", "?")) for node in several)
            reason = f"{name} is defined {len(several):,} times, on the lines {where}"
            raise InputError(Problem(file, "", reason, "rename one, or mask another function"))


def _body(node: _Function, name: str, lines: Sequence[str], file: str) -> _Body:
    """The body behind the docstring."""
    documented = ast.get_docstring(node, clean=False) is not None
    rest = node.body[1:] if documented else node.body
    place = f"line {node.lineno}"
    if not rest:
        reason, remedy = f"{name} has nothing but a docstring", "mask another function"
        raise InputError(Problem(file, place, reason, remedy))
    if len(rest) == 1 and re.fullmatch(rf"{RAISE}(\(.*)?", ast.unparse(rest[0]), re.DOTALL):
        reason, remedy = f"{name} raises NotImplementedError already", "mask another function"
        raise InputError(Problem(file, place, reason, remedy))
    first, last = rest[0], rest[-1]
    first_line = min([first.lineno, *(each.lineno for each in getattr(first, "decorator_list", ()))])
    end_line = _last_line(node, last.end_lineno or last.lineno, lines)
    end = sum(map(len, lines[:end_line])) - len(lines[end_line - 1]) + len(lines[end_line - 1].rstrip(_END))
    before = lines[first_line - 1].encode()[: first.col_offset].decode()
    if first_line == first.lineno and before.strip():
        # Behind the colon, or behind the docstring and a semicolon.
        return _Body(sum(map(len, lines[: first_line - 1])) + len(before), end, RAISE)
    floor = (node.body[0].end_lineno or 0) if documented else _end_of_header(node)
    start_line = _first_line(first_line, floor, lines)
    indent = _indent(lines[first_line - 1])
    return _Body(sum(map(len, lines[: start_line - 1])), end, indent + RAISE)


def _end_of_header(node: _Function) -> int:
    """The last line of the header that is no comment; its colon may stand on the next."""
    parts = [*ast.walk(node.args), *(ast.walk(node.returns) if node.returns else ())]
    return max([node.lineno, *(getattr(part, "end_lineno", 0) for part in parts)])


def _first_line(first_line: int, floor: int, lines: Sequence[str]) -> int:
    """The first line of a body below the line ``floor``: a comment's, or that of its first statement."""
    start = line = first_line
    while line - 1 > floor and _is_blank_or_comment(lines[line - 2]):
        line -= 1
        if lines[line - 1].strip():
            start = line
    return start


def _last_line(node: _Function, end_line: int, lines: Sequence[str]) -> int:
    """The last line of a body: of a comment in it behind its last statement, or that statement's."""
    depth = len(_indent(lines[node.lineno - 1]).expandtabs())
    last = line = end_line
    while line < len(lines) and _is_blank_or_comment(lines[line]):
        line += 1
        if lines[line - 1].strip() and len(_indent(lines[line - 1]).expandtabs()) > depth:
            last = line
    return last


def _is_blank_or_comment(line: str) -> bool:
    stripped = line.strip()
    return not stripped or stripped.startswith("#")


def _indent(line: str) -> str:
    found = _INDENT.match(line)
    return found[0] if found else ""


def _details(node: _Function, name: str, text: str, body: _Body) -> MaskedFunction:
    header = copy.copy(node)
    header.body, header.decorator_list = [ast.Pass()], []
    removed = text[body.start : body.end]
    first = len(_LINE.findall(text[: body.start] + "x"))
    return MaskedFunction(
        name=name,
        signature=ast.unparse(header).removesuffix("\n    pass"),
        docstring=ast.get_docstring(node) or "",
        header_line=node.lineno,
        line_start=first,
        line_end=first + len(_LINE.findall(removed)) - 1,
        removed=removed,
    )


def _overlaps(found: Sequence[tuple[_Body, MaskedFunction]], file: str) -> Iterator[Problem]:
    """A problem for each function that is named twice, or lies in another one that is masked."""
    in_order = sorted(found, key=lambda each: (each[0].start, -each[0].end))
    for (outer, around), (inner, within) in pairwise(in_order):
        if inner.start < outer.end:
            same = around.name == within.name
            what = "is named twice" if same else f"is inside {around.name}, which is masked too"
            yield Problem(file, f"line {within.header_line}", f"{within.name} {what}", "name one of them")
