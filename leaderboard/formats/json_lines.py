"""JSON Lines: an attempt on each line, as in OpenHands' ``output.jsonl``."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.opening import Lines
from leaderboard.formats.samples import Picked, Sample, sample_of

NAME: Final = "JSON Lines of these"


def detect(content: Lines | JsonValue) -> bool:
    return isinstance(content, Lines)


def samples(content: Lines, *, name: str) -> tuple[Sample, ...]:
    """A sample for each line, with a key such as ``line 3``."""
    return tuple(
        sample_of(document, name=name, key=f"line {number}", place=f"line {number}, $")
        for number, document in content
    )


def pick(content: Lines, index: int, sample: Sample, *, name: str) -> Picked:
    return Picked(content.at(int(sample.key.removeprefix("line "))), sample.key)
