"""Text in chat messages: a string, or a list of parts."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import json_text

_REASONING: Final = frozenset({"reasoning", "thinking"})
_PICTURES: Final = frozenset({"image", "image_url", "input_image"})


def text_of(content: JsonValue) -> str:
    """All the text of a message's content; what is no text is named in brackets."""
    if not isinstance(content, list):
        return _part(content)
    return "\n".join(text for part in content if (text := _part(part)))


def reasoning_of(content: JsonValue) -> str:
    """The text of a content's parts that are reasoning."""
    parts = content if isinstance(content, list) else []
    texts = (_reasoning(part) for part in parts if isinstance(part, dict))
    return "\n".join(text for text in texts if text)


def join_thoughts(*texts: str) -> str:
    """Texts one after another; one that says the same as another is left out."""
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
    if kind in _REASONING if isinstance(kind, str) else False:
        return ""
    if isinstance(part.get("text"), str):
        return str(part["text"])
    if isinstance(kind, str):
        if kind in _PICTURES:
            return "[image]"
        return "" if kind in ("tool_use", "tool_call", "text") else f"[{kind[:40]}]"
    return json_text(part)
