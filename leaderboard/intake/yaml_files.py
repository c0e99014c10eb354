"""Reads untrusted YAML: plain data of limited depth, without aliases, with the line of every value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import Any, Final

import yaml

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.text import storable
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import decode, parse_json_text, read_file

Path = tuple[str | int, ...]
"""Keys and indexes from the document's root to a value."""

_MAX_DEPTH: Final = 10


@dataclass(frozen=True, slots=True)
class Document:
    """A value, and the lines of the values in it; no lines if it is not from YAML."""

    value: JsonValue
    lines: dict[Path, int] = field(default_factory=dict)

    def place(self, path: Path) -> str:
        """Where a value is, for messages: its line, and its JSON path."""
        where = _json_path(path)
        line = next((self.lines[path[:n]] for n in range(len(path), -1, -1) if path[:n] in self.lines), None)
        return storable(where if line is None else f"line {line}, {where}")

    def with_line(self, problem: Problem) -> Problem:
        """A problem whose place is a JSON path such as ``$.links[0]``, with its line or its parent's."""
        lines = {_json_path(path): line for path, line in self.lines.items()}
        place = problem.place
        while place and place not in lines:
            place = re.sub(r"(\.[^.\[]*|\[\d+\]|.)\Z", "", place)
        return replace(problem, place=f"line {lines[place]}, {problem.place}") if place else problem


def _json_path(path: Path) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)


def read_document(path: FilePath, *, name: str) -> Document:
    """The document in a file of YAML, or of JSON if its name ends with ``.json``.

    Raises:
        InputError: it can't be read, or its syntax is wrong; the problem names the line.
    """
    return parse_document(decode(read_file(path, name=name), name=name), name=name)


def parse_document(text: str, *, name: str) -> Document:
    """The document in the text of a file, as `read_document` reads it; ``name`` tells YAML from JSON."""
    return (
        Document(parse_json_text(text, name=name)) if name.endswith(".json") else read_yaml(text, name=name)
    )


class _Loader(yaml.SafeLoader):
    """A safe loader that leaves dates as the text that they are in JSON."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - a table of PyYAML's
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def read_yaml(text: str, *, name: str) -> Document:
    """The one document in a YAML text.

    Raises:
        InputError: for a syntax error, an alias, a duplicate key, or a type that JSON lacks.
    """
    try:
        _check_events(text, name=name)
        root = yaml.compose(text, Loader=_Loader)
        if root is None:
            return Document(None)
        lines: dict[Path, int] = {}
        problems = list(_walk(root, (), lines, name=name))
        if problems:
            raise InputError(*problems)
        return Document(yaml.load(text, Loader=_Loader), lines)  # noqa: S506 - a safe loader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise _refused(name, place, error.problem or "") from None
    except yaml.reader.ReaderError:
        raise _refused(name, "", "there are control characters in it") from None
    except (yaml.YAMLError, ValueError, OverflowError, TypeError, LookupError) as error:
        if isinstance(error, InputError):
            raise
        # Of a LookupError the text is a key or nothing: a value like !!bool x, or !!int without digits.
        detail = "a value is not of its type" if isinstance(error, LookupError) else str(error)
        raise _refused(name, "", detail[:200]) from None


def _refused(name: str, place: str, detail: str) -> InputError:
    reason = f"not valid YAML: {detail}"
    return InputError(Problem(name, place, reason, "put texts in quotes; indent with spaces"))


def _line_of(mark: Any) -> str:
    return f"line {mark.line + 1}" if mark else ""


def _check_events(text: str, *, name: str) -> None:
    """Refuse aliases and deep nesting before any value is built."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        place = _line_of(event.start_mark)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            reason = "anchors and aliases are not supported"
            raise InputError(Problem(name, place, reason, "write the value out"))
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            reason = "lists or objects nest too deeply"
            raise InputError(Problem(name, place, reason, "flatten the document"))


def _walk(node: yaml.Node, path: Path, lines: dict[Path, int], *, name: str) -> Iterator[Problem]:
    """Record the lines of a node and its children; yield a problem for each type that JSON lacks."""
    place = _line_of(node.start_mark)
    lines[path] = node.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _walk(item, (*path, index), lines, name=name)
    elif isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag != "tag:yaml.org,2002:str":
                yield Problem(name, place, "a key is not text", "put it in quotes")
            elif key.value in seen:
                reason = f"the key {key.value[:40]} occurs twice"
                yield Problem(name, _line_of(key.start_mark), reason)
            else:
                seen.add(key.value)
                yield from _walk(value, (*path, key.value), lines, name=name)
    elif node.tag.rpartition(":")[2] not in ("str", "int", "float", "bool", "null"):
        reason = f"a value is neither text nor number: {str(node.value)[:40]}"
        yield Problem(name, place, reason, "put it in quotes")
