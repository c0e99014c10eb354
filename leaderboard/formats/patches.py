"""Patches in the form that OpenAI's ``apply_patch`` takes, as text before and after."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

BEGIN: Final = "*** Begin Patch"

_FILE: Final = re.compile(r"\*\*\* (?:Add|Update|Delete) File: (.+)")
_END: Final = ("*** End Patch", "*** End of File")


class Patch(NamedTuple):
    """The files that a patch changes, in one text, and its lines before and after."""

    files: str
    before: str
    after: str


def parse_patch(text: str) -> Patch | None:
    """The patch in a text; None if it is none. What separates files and places stands on both sides."""
    _head, found, rest = text.partition(BEGIN)
    if not found:
        return None
    files: list[str] = []
    before: list[str] = []
    after: list[str] = []
    for line in rest.lstrip("\n").split("\n"):
        named = _FILE.fullmatch(line)
        if named:
            files.append(named[1])
        if line.startswith("-"):
            before.append(line[1:])
        elif line.startswith("+"):
            after.append(line[1:])
        elif line in _END or (named and len(files) == 1) or (line.startswith("@@") and not (before or after)):
            continue
        else:
            both = line[1:] if line.startswith(" ") else line
            before.append(both)
            after.append(both)
    if not files:
        return None
    return Patch(", ".join(files), "\n".join(before).strip("\n"), "\n".join(after).strip("\n"))
