"""JSON Lines of one conversation: a message on each line."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.errors import Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.conversations import Conversation, is_conversation, is_message
from leaderboard.formats.json_lines import MAX_BAD_LINES
from leaderboard.formats.opening import Lines
from leaderboard.formats.samples import Picked, Sample

NAME: Final = "a chat with a message on each line"
PRIORITY: Final = 10
"""Before JSON Lines of whole attempts."""


def detect(content: Lines | JsonValue) -> bool:
    first = content.first() if isinstance(content, Lines) else None
    return is_message(first) and not is_conversation(first)


def samples(content: Lines, *, name: str) -> tuple[Sample, ...]:
    """The one conversation; the file names no task."""
    return (Sample(),)


def pick(content: Lines, index: int, sample: Sample, *, name: str) -> Picked:
    """The conversation, without the lines that can't be read: each is a warning."""
    messages, places, warnings = [], [], []
    for number, read in content.readings():
        if isinstance(read, Problem):
            warnings.append(read)
        else:
            messages.append(read)
            places.append(f"line {number}")
    conversation = Conversation(messages, "", places, warnings=tuple(warnings[:MAX_BAD_LINES]))
    return Picked(conversation, "")
