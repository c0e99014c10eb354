"""Opens a file's bytes as a JSON document, JSON Lines, or a zip archive."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from typing import Final, TypeVar, cast

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.archives import ARCHIVE_MARK, Archive
from leaderboard.formats.documents import check_size, decode, describe, parse_json_text
from leaderboard.formats.not_read import Sign, sign_of_bytes, sign_of_text

_Made = TypeVar("_Made")

HEAD: Final = 5
"""How many lines of a file its format is told by."""


class Lines:
    """JSON Lines: one document on each line that is not blank, parsed on demand and once."""

    def __init__(self, text: str, *, name: str) -> None:
        # Not splitlines(): JSON strings may contain Unicode's other line ends.
        self._lines = text.split("\n")
        self._name = name
        self._parsed: dict[int, JsonValue] = {}
        self._made: object = None

    @cached_property
    def head(self) -> list[JsonValue]:
        """The first `HEAD` documents that can be read, by which a format is told."""
        readable = (read for _number, read in self.readings() if not isinstance(read, Problem))
        return list(islice(readable, HEAD))

    def __iter__(self) -> Iterator[tuple[int, JsonValue]]:
        """Each line's number, from 1, and its document."""
        for number, line in enumerate(self._lines, start=1):
            if line.strip():
                yield number, self._parse(number, line)

    @cached_property
    def documents(self) -> list[tuple[int, JsonValue | Problem]]:
        """All of `readings`, kept: for a format that needs every line together."""
        return list(self.readings())

    def once(self, make: Callable[[], _Made]) -> _Made:
        """What the format of this file makes of it: made at the first call, and kept."""
        if self._made is None:
            self._made = make()
        return cast("_Made", self._made)

    def first(self) -> JsonValue:
        """The first document that can be read; null if none can."""
        return self.head[0] if self.head else None

    def readings(self) -> Iterator[tuple[int, JsonValue | Problem]]:
        """As ``__iter__``, with the problem of each line that can't be read in place of its document."""
        for number, line in enumerate(self._lines, start=1):
            if line.strip():
                try:
                    yield number, self._parse(number, line)
                except InputError as error:
                    yield number, error.problem

    def at(self, number: int) -> JsonValue:
        """The document on a line that is not blank."""
        return self._parse(number, self._lines[number - 1])

    def _parse(self, number: int, line: str) -> JsonValue:
        if number not in self._parsed:
            self._parsed[number] = parse_json_text(line, name=self._name, first_line=number)
            # Its text is needed no more, and may be large.
            self._lines[number - 1] = "parsed"
        return self._parsed[number]


_FILLED = re.compile(r"\S")
"""Where a text is not blank; to search for it copies nothing of a large text, as to strip it would."""

Content = JsonValue | Lines | Archive | Sign
"""A file's content: a JSON document, `Lines` or an `Archive`, or the sign of a file that is never read."""


def open_content(data: bytes, *, name: str, max_bytes: int) -> Content:
    """The content of a file, from its bytes.

    Raises:
        InputError: the file is empty, too large, neither UTF-8 nor an archive, or not JSON.
    """
    check_size(len(data), name=name, max_bytes=max_bytes)
    if data.startswith(ARCHIVE_MARK):
        return Archive(data, name=name, max_bytes=max_bytes)
    if sign := sign_of_bytes(data):
        return sign
    text = decode(data, name=name)
    if not text or text.isspace():
        reason = "the file contains only white space"
        raise InputError(Problem(name, "", reason, "export or copy it again"))
    if _is_lines(text):
        return Lines(text, name=name)
    try:
        return parse_json_text(text, name=name)
    except InputError:
        # Only its first line may be broken.
        first, _end, rest = text.strip().partition("\n")
        if first.startswith("{") and first.rstrip() != "{" and _is_object(rest.lstrip().partition("\n")[0]):
            return Lines(text, name=name)
        if sign := sign_of_text(text):
            return sign
        raise


def describe_content(content: Content) -> str:
    """A short description of a file's content, safe to show."""
    if isinstance(content, Archive):
        return "a zip archive"
    if isinstance(content, Sign):
        return content.name
    if isinstance(content, Lines):
        return f"JSON Lines, the first {describe(content.first())}"
    return describe(content)


def _is_lines(text: str) -> bool:
    """Whether the first line that is not blank is an object or a list of such, and more lines follow."""
    first = _FILLED.search(text)
    end = text.find("\n", first.start()) if first else -1
    if not first or end < 0 or text[first.start()] not in "{[" or not _FILLED.search(text, end):
        return False
    return _is_object(text[first.start() : end])


def _is_object(line: str) -> bool:
    """Whether a line is a JSON object, or a list that begins with one, as a chat is."""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(document[0] if isinstance(document, list) and document else document, dict)
