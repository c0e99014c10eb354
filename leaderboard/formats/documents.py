"""Helpers for all format modules: bytes to JSON, with errors that tell a submitter what to do."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.nesting import MAX_DEPTH
from leaderboard.domain.text import plural
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.bundles import Bundle

MAX_BYTES: Final = 100 * 1024 * 1024
"""The default limit for a trajectory file."""

MAX_WARNINGS: Final = 50
"""How many warnings on one file are listed; the others are only counted."""

TOO_LARGE: Final = "shorten the observations, or ask the operator to raise SUPERBOARD_MAX_TRAJECTORY_MB"

_KINDS: Final = {
    **{type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a string"},
    list: "a list",
}
_BOM: Final = b"\xef\xbb\xbf"
_LITERALS: Final = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
# The rest of the text if the end of the file cut off a number.
_CUT_NUMBER: Final = re.compile(r"\.|\.?\d*[eE][+-]?")
_CUT_ESCAPE: Final = re.compile(r"\\u[0-9a-fA-F]{0,4}\Z")
_CUT_OFF: Final = "the file was cut off; export or copy it again"


class Notes:
    """Collects warnings on one readable file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._kept: list[Problem] = []
        self._dropped = 0

    def add(self, place: str, reason: str, remedy: str = "") -> None:
        """Add one warning."""
        if len(self._kept) < MAX_WARNINGS:
            self._kept.append(Problem(self.name, place, reason, remedy))
        else:
            self._dropped += 1

    def all(self) -> tuple[Problem, ...]:
        """The first `MAX_WARNINGS` warnings, and one with the number of the others."""
        if not self._dropped:
            return tuple(self._kept)
        more = plural(self._dropped, "{n} more warning is not listed", "{n} more warnings are not listed")
        return (*self._kept, Problem(self.name, "", more))


def check_size(size: int, *, name: str, max_bytes: int = MAX_BYTES) -> None:
    """Raise `InputError` if ``size`` bytes are none or beyond the limit; call it before reading a file."""
    if size == 0:
        raise InputError(empty(name))
    if size > max_bytes:
        reason = f"the file has {_megabytes(size)} MB, more than the limit of {_megabytes(max_bytes)} MB"
        raise InputError(Problem(name, "", reason, TOO_LARGE))


def read_file(path: Path | Bundle, *, name: str, max_bytes: int = MAX_BYTES) -> bytes:
    """The bytes of a file or bundle; `InputError` if it is larger than ``max_bytes`` or can't be read."""
    try:
        size = path.size if isinstance(path, Bundle) else path.stat().st_size
        check_size(size, name=name, max_bytes=max_bytes)
        return path.read_bytes()
    except OSError as error:
        reason = f"can't be read: {error.strerror or str(error)}"
        remedy = "check that the file is there and its permissions"
        raise InputError(Problem(name, "", reason, remedy)) from None


def decode(data: bytes, *, name: str) -> str:
    """The text of UTF-8 bytes, without a byte order mark.

    Raises:
        InputError: with the line and the byte offset of the first byte that is not UTF-8.
    """
    start = len(_BOM) if data.startswith(_BOM) else 0
    try:
        # A view, because a slice would copy a possibly very large file.
        return str(memoryview(data)[start:], "utf-8")
    except UnicodeDecodeError as error:
        offset = start + error.start
        # Without digit grouping, so that the place can be searched for.
        place = f"line {data.count(bytes([10]), 0, offset) + 1}, byte {offset}"
        if error.reason == "unexpected end of data":
            problem = Problem(name, place, "the file ends in the middle of a character", _CUT_OFF)
        else:
            problem = Problem(name, place, "not UTF-8 text", "save the file as UTF-8")
    raise InputError(problem)


def parse_json(data: bytes, *, name: str, max_bytes: int = MAX_BYTES) -> JsonValue:
    """The JSON document in a file's bytes.

    Accepted beyond the standard: a byte order mark, NaN, infinities, lone surrogates and NUL in strings; the
    last of duplicate keys is used.

    Raises:
        InputError: with line and column of a syntax error, and whether the file was cut off.
    """
    check_size(len(data), name=name, max_bytes=max_bytes)
    return parse_json_text(decode(data, name=name), name=name)


def parse_json_text(text: str, *, name: str, first_line: int = 1) -> JsonValue:
    """As `parse_json`, of text that starts on ``first_line`` of its file."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        problem = _syntax_problem(error, name=name, first_line=first_line)
    except RecursionError:
        problem = too_deep(name)
    except ValueError:
        # json's only other error: Python refuses to convert very long integers.
        reason = "it contains a whole number of more than 4,300 digits"
        problem = Problem(name, "", reason, "shorten the number")
    raise InputError(problem)


def empty(name: str) -> Problem:
    """The problem of an empty file."""
    return Problem(name, "", "the file is empty", "export or copy it again")


def too_deep(name: str, place: str = "") -> Problem:
    """The problem of a document, or of a value in it, that is nested too deeply to be read."""
    remedy = f"flatten it: {MAX_DEPTH:,} levels of an answer are read" if place else "flatten the document"
    return Problem(name, place, "lists or objects nest too deeply", remedy)


def describe(document: JsonValue) -> str:
    """A short description of a document, safe to show for any content."""
    if isinstance(document, dict):
        if not document:
            return "an object without keys"
        keys = ", ".join(ascii(key[:40]) for key in list(document)[:8])
        more = f" and {len(document) - 8:,} more" if len(document) > 8 else ""
        return f"an object with the keys {keys}{more}"
    if isinstance(document, list):
        return plural(len(document), "a list of {n} item", "a list of {n} items")
    return kind_of_json(document)


def kind_of_json(value: JsonValue) -> str:
    """The JSON type of a value, with its article."""
    return _KINDS.get(type(value), "an object")


def json_text(value: JsonValue) -> str:
    """A value as text: a string as it is, null as nothing, anything else as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def parsed(value: JsonValue) -> JsonValue:
    """The list or object in a JSON text; any other value as it is."""
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def as_number(value: JsonValue) -> float | None:
    """A finite number as a float; None for anything else (a boolean is not a number)."""
    kind = type(value)
    if kind is float:
        return value if math.isfinite(value) else None
    if kind is not int:
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def count_non_finite(value: JsonValue) -> int:
    """How many numbers in a value are NaN or infinite."""
    count, queue = 0, [value]
    while queue:
        item = queue.pop()
        if isinstance(item, dict):
            queue.extend(item.values())
        elif isinstance(item, list):
            queue.extend(item)
        elif isinstance(item, float) and not math.isfinite(item):
            count += 1
    return count


def note_non_finite(value: JsonValue, *, place: str, notes: Notes) -> None:
    """Add a warning if an answer contains numbers that can't match any gold answer."""
    count = count_non_finite(value)
    if count:
        reason = plural(
            count,
            "the answer contains NaN or an infinite number, which matches nothing",
            "the answer contains NaN or infinite numbers ({n} of them), which match nothing",
        )
        notes.add(place, reason)


def _megabytes(size: int) -> str:
    return f"{size / 2**20:.1f}".removesuffix(".0")


def _syntax_problem(error: json.JSONDecodeError, *, name: str, first_line: int) -> Problem:
    place = f"line {error.lineno + first_line - 1}, column {error.colno}"
    if error.msg.startswith("Unterminated string"):
        reason = "the file ends in the middle of the string that starts here"
        return Problem(name, place, reason, _CUT_OFF)
    if _is_cut_off(error.doc, error.pos):
        return Problem(name, place, "the file ends in the middle of the document", _CUT_OFF)
    reason = f"not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}"
    return Problem(name, place, reason, "write the file with a JSON library")


def _is_cut_off(text: str, position: int) -> bool:
    rest = text[position : position + 16].rstrip()
    if len(text) > position + 16:
        return False
    cut_word = any(literal.startswith(rest) for literal in _LITERALS)
    return cut_word or bool(_CUT_NUMBER.fullmatch(rest) or _CUT_ESCAPE.search(text[-6:]))
