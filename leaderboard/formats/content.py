"""Text in chat messages: a string, or a list of parts."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import json_text

# Tuples, not sets: an untrusted type may not be hashable.
_REASONING: Final = ("reasoning", "thinking")
_PICTURES: Final = ("image", "image_url", "input_image")
# Parts to skip: calls are read elsewhere; a text part without text is empty.
_SKIPPED: Final = ("tool_use", "tool_call", "text")


def text_of(content: JsonValue) -> str:
    """All text in a message's content; other parts are named in brackets, such as ``[image]``."""
    if not isinstance(content, list):
        return _part(content)
    return "\n".join(text for part in content if (text := _part(part)))


def reasoning_of(content: JsonValue) -> str:
    """The text of the reasoning parts."""
    parts = content if isinstance(content, list) else []
    texts = (_reasoning(part) for part in parts if isinstance(part, dict))
    return "\n".join(text for text in texts if text)


def join_thoughts(*texts: str) -> str:
    """The texts, joined by blank lines, without empty and repeated ones."""
    kept: list[str] = []
    for text in texts:
        if text.strip() and text not in kept:
            kept.append(text)
    return "\n\n".join(kept)


def _reasoning(part: dict[str, JsonValue]) -> str:
    if part.get("type") not in _REASONING or part.get("redacted"):
        return ""
    return json_text(part.get("reasoning") or part.get("thinking") or part.get("summary"))


def _part(part: JsonValue) -> str:
    if not isinstance(part, dict):
        return json_text(part)
    kind = part.get("type")
    if kind in _REASONING:
        return ""
    if isinstance(part.get("text"), str):
        return str(part["text"])
    if kind in _PICTURES:
        return "[image]"
    if kind in _SKIPPED:
        return ""
    return f"[{kind[:40]}]" if isinstance(kind, str) else json_text(part)
