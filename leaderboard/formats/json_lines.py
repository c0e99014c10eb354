"""JSON Lines: an attempt on each line, as in OpenHands' ``output.jsonl``."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.conversations import batch_fault
from leaderboard.formats.opening import Lines
from leaderboard.formats.samples import Picked, Sample, sample_of

NAME: Final = "JSON Lines of these"
PRIORITY: Final = -30
"""After formats that have a line for each event of one attempt."""

MAX_BAD_LINES: Final = 50
"""Lines that can't be read, beyond which a file is refused as a whole."""


def detect(content: Lines | JsonValue) -> bool:
    return isinstance(content, Lines)


def samples(content: Lines, *, name: str) -> tuple[Sample, ...]:
    """A sample for each line, with a key such as ``line 3``; a line that can't be read has its problem.

    Raises:
        InputError: more than ``MAX_BAD_LINES`` lines can't be read, or they are of OpenAI's batch files.
    """
    if fault := batch_fault(content.first(), name=name, place="line 1"):
        raise InputError(fault)
    found: list[Sample] = []
    bad: list[Problem] = []
    for number, read in content.readings():
        key = f"line {number}"
        if isinstance(read, Problem):
            bad.append(read)
            found.append(Sample(key, problem=read))
        else:
            found.append(sample_of(read, name=name, key=key, place=f"{key}, $"))
        if len(bad) > MAX_BAD_LINES:
            reason = f"more than {MAX_BAD_LINES:,} lines can't be read, this one first: {bad[0].reason}"
            raise InputError(replace(bad[0], reason=reason))
    return tuple(found)


def pick(content: Lines, index: int, sample: Sample, *, name: str) -> Picked:
    return Picked(content.at(int(sample.key.removeprefix("line "))), sample.key)
