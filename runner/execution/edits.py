"""The `edit` action: some lines of a file give way to others."""

from __future__ import annotations

import heapq
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

from runner.sandbox.base import Sandbox, SandboxError, Status

BEFORE = "<<<BEFORE_EDIT>>>"
AFTER = "<<<AFTER_EDIT>>>"

MAX_BYTES = 2_000_000
"""Bytes of the largest file that can be edited."""

LISTED_PLACES = 20
CANDIDATES = 20
COMPARED = 2_000
"""Characters of each text that are compared; the time grows with the product of both lengths."""
LIKENESS = 0.5
_WORDS = re.compile(r"\w+|[^\w\s]")


class EditError(ValueError):
    """An edit can't be made. The message is for the agent."""


@dataclass(frozen=True, slots=True)
class Edit:
    """The lines ``before`` of a file, to be replaced by the lines ``after``; deleted if that is empty."""

    file: str
    before: str
    after: str


def parse_edit(content: str) -> Edit:
    """Reads the content of an ``edit`` action.

    Raises:
        EditError: the file name or a marker is missing.
    """
    lines = content.replace("\r\n", "\n").split("\n")
    marks = [line.strip() for line in lines]
    try:
        start = marks.index(BEFORE)
        end = marks.index(AFTER, start)
    except ValueError:
        start = end = 0
    file = "\n".join(lines[:start]).strip()
    if not file or "\n" in file:
        raise EditError(f"An edit is a file name, then {BEFORE}, the lines before, {AFTER}, the lines after.")
    after = "\n".join(lines[end + 1 :]).removesuffix("\n")
    return Edit(file, "\n".join(lines[start + 1 : end]), after)


def edit_bytes(data: bytes, edit: Edit) -> bytes:
    """A file's bytes with the edit made. Other lines keep their bytes, whatever their encoding.

    Raises:
        EditError: as for ``apply_edit``; or the file is too large, or the edit can't be encoded as UTF-8.
    """
    if len(data) > MAX_BYTES:
        raise EditError(f"{edit.file} has {len(data)} bytes, more than the {MAX_BYTES} that can be edited.")
    try:
        return apply_edit(data.decode("utf-8", "surrogateescape"), edit).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise EditError("The lines after the edit hold characters that no file can hold.") from None


def apply_edit(text: str, edit: Edit) -> str:
    r"""The file's text with the edit made.

    Lines match with either line end, ``\n`` or ``\r\n``; new lines end like the first line they replace.

    Raises:
        EditError: the lines are not in the file, or more than once; names the most similar lines.
    """
    lines, wanted = text.split("\n"), edit.before.split("\n")
    bare = [line.removesuffix("\r") for line in lines]
    # A byte order mark at the start of a file is invisible, so agents leave it out.
    bare[0] = bare[0].removeprefix("\ufeff")
    if not edit.before and any(bare):
        raise EditError(
            f"The lines before the edit are empty; name those of {edit.file} that shall be replaced."
        )
    start = _place(bare, wanted, edit.file)
    end = start + len(wanted)
    mark = "\ufeff" if start == 0 and text.startswith("\ufeff") else ""
    # A file's last line may have no end; then take that of the line before.
    example = lines[start - 1] if start == len(lines) - 1 > 0 else lines[start]
    ending = "\r" if example.endswith("\r") else ""
    new = [f"{line}{ending}" for line in edit.after.split("\n")] if edit.after else []
    if end == len(lines) and new and not lines[-1].endswith("\r"):
        new[-1] = new[-1].removesuffix("\r")
    return mark + "\n".join([*lines[:start], *new, *lines[end:]])


def _place(lines: Sequence[str], wanted: list[str], file: str) -> int:
    starts = [
        i
        for i, line in enumerate(lines[: len(lines) - len(wanted) + 1])
        if line == wanted[0] and lines[i : i + len(wanted)] == wanted
    ]
    if len(starts) > 1:
        places = ", ".join(str(start + 1) for start in starts[:LISTED_PLACES])
        more = f" and {len(starts) - LISTED_PLACES} more" if len(starts) > LISTED_PLACES else ""
        raise EditError(
            f"The lines before the edit occur more than once in {file}: from lines {places}{more}."
        )
    if not starts:
        raise EditError(f"The lines before the edit are not in {file}.{_nearest(lines, wanted)}")
    return starts[0]


def _nearest(lines: Sequence[str], wanted: list[str]) -> str:
    """A sentence with the most similar lines; compares only the places with the most common words."""
    size = len(wanted)
    words = set(_WORDS.findall("\n".join(wanted)[:COMPARED]))
    common = [len(words.intersection(_WORDS.findall(line[:COMPARED]))) for line in lines]
    sums = [0, *accumulate(common)]
    starts = range(max(1, len(lines) - size + 1))
    candidates = heapq.nlargest(
        CANDIDATES, starts, key=lambda start: sums[min(start + size, len(lines))] - sums[start]
    )
    matcher = SequenceMatcher(b="\n".join(wanted)[:COMPARED])
    best, nearest = LIKENESS, ""
    for start in candidates:
        window = "\n".join(lines[start : start + size])[:COMPARED]
        matcher.set_seq1(window)
        if (likeness := matcher.ratio()) >= best:
            best, nearest = likeness, window
    return f" Did you mean these lines?\n{nearest}" if nearest else " No lines come near them."


PROBE_SECONDS = 10.0
MADE = "The edit was made"
"""How the observation begins of an edit that was made."""


def make_edit(sandbox: Sandbox, content: str) -> str:
    """Makes an edit if it can, and returns the observation for the agent.

    Raises:
        SandboxError: the sandbox is broken.
    """
    try:
        edit = parse_edit(content)
        data = sandbox.read_file(edit.file)
        sandbox.write_file(edit.file, edit_bytes(data, edit))
    except FileNotFoundError:
        return f"The edit was not made. There is no file {edit.file}."
    except EditError as error:
        return f"The edit was not made. {error}"
    except OSError as error:
        return f"The edit was not made. {edit.file}: {error.strerror}."
    except SandboxError as error:
        # A bad file name raises the same as a broken sandbox, but is no infrastructure error.
        if sandbox.execute("", PROBE_SECONDS).status is not Status.OK:
            raise
        return f"The edit was not made: {error}."
    return f"{MADE} in {edit.file}."
