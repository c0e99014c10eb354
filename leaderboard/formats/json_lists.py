"""A JSON list with an attempt in each item."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.answers import is_answer_like
from leaderboard.formats.conversations import is_conversation
from leaderboard.formats.samples import Picked, Sample, sample_of

NAME: Final = "a JSON list of these"


def detect(content: object) -> bool:
    """Whether the content is a list of answers, of OpenHands' records as in output.jsonl, or of chats."""
    first = content[0] if isinstance(content, list) and content else None
    is_line = isinstance(first, dict) and "instance_id" in first and "history" in first
    return is_line or is_answer_like(first) or is_conversation(first)


def samples(content: list[JsonValue], *, name: str) -> tuple[Sample, ...]:
    """A sample for each item, with a key such as ``item 3``."""
    return tuple(
        sample_of(item, name=name, key=f"item {index + 1}", place=f"$[{index}]")
        for index, item in enumerate(content)
    )


def pick(content: list[JsonValue], index: int, sample: Sample, *, name: str) -> Picked:
    return Picked(content[index], f"$[{index}]")
