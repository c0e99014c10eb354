"""Stretches of steps that repeat the one before them, each shown as one line that opens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple, Protocol

REPEATED = "repeated"
"""The mark of a step that does what the one before it did, with the same result."""
_WHAT = {
    "execute": "command",
    "format-error": "format error",
    "view": "view",
    "search": "search",
    "submit": "submission",
    "edit": "edit",
    "create": "file",
    "wait": "wait",
    "interrupt": "interrupt",
    "exception": "exception",
}


class Marked(Protocol):
    """A step of an outline."""

    @property
    def number(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def marks(self) -> Iterable[str]: ...


class Stretch(NamedTuple):
    """Steps in order; ``text`` says what they repeat, and is empty if they repeat nothing."""

    steps: list[Marked]
    text: str

    @property
    def where(self) -> str:
        """Their numbers, such as ``16-49``."""
        first, last = self.steps[0].number, self.steps[-1].number
        return f"{first:,}" if first == last else f"{first:,}-{last:,}"


def stretches(steps: Iterable[Marked]) -> Iterator[Stretch]:
    """All steps, those that repeat the same one together."""
    for is_repeated, group in groupby(steps, key=lambda step: REPEATED in step.marks):
        found = list(group)
        yield Stretch(found, _text(found) if is_repeated else "")


def _text(steps: list[Marked]) -> str:
    """Such as ``the same edit 34 more times, refused each time``."""
    what = _WHAT.get(steps[0].kind, "action")
    times = "once more" if len(steps) == 1 else f"{len(steps):,} more times"
    if all("refused" in step.marks for step in steps):
        how = ", refused each time"
    elif all("error" in step.marks for step in steps):
        how = ", with the same error"
    else:
        how = ""
    return f"the same {what} {times}{how}"
