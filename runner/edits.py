"""The ``edit`` action: some lines of a file give way to others."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

BEFORE = "<<<BEFORE_EDIT>>>"
AFTER = "<<<AFTER_EDIT>>>"


class EditError(ValueError):
    """An edit can't be made; the text is meant for the agent."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines of a file to be found, and those to stand in their place."""

    file: str
    before: str
    after: str


def parse_edit(content: str) -> Edit:
    """Reads the content of an ``edit`` action.

    Raises:
        EditError: the file's name or a marker is missing.
    """
    head, found_before, rest = content.partition(f"\n{BEFORE}\n")
    before, found_after, after = rest.partition(f"\n{AFTER}\n")
    if not (head.strip() and found_before and found_after):
        raise EditError(f"An edit is a file name, then {BEFORE}, the lines before, {AFTER}, the lines after.")
    return Edit(head.strip(), before, after.removesuffix("\n"))


def apply_edit(text: str, edit: Edit) -> str:
    """The file's text with the edit made.

    Raises:
        EditError: the lines before are not in the file, or more than once; says which lines come nearest.
    """
    lines, wanted = text.split("\n"), edit.before.split("\n")
    starts = [i for i in range(len(lines) - len(wanted) + 1) if lines[i : i + len(wanted)] == wanted]
    if len(starts) > 1:
        places = ", ".join(str(start + 1) for start in starts)
        raise EditError(
            f"The lines before the edit occur more than once in {edit.file}: from lines {places}."
        )
    if not starts:
        raise EditError(f"The lines before the edit are not in {edit.file}.{_nearest(lines, wanted)}")
    start = starts[0]
    return "\n".join([*lines[:start], *edit.after.split("\n"), *lines[start + len(wanted) :]])


def _nearest(lines: list[str], wanted: list[str]) -> str:
    text = "\n".join(wanted)
    windows = ["\n".join(lines[i : i + len(wanted)]) for i in range(max(1, len(lines) - len(wanted) + 1))]
    close = difflib.get_close_matches(text, windows, n=1, cutoff=0.5)
    return f" Did you mean these lines?\n{close[0]}" if close else " No lines come near them."
