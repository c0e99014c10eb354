"""Answers of OpenAI's Responses API: ``{object: "response", output: [reasoning, message, …]}``."""

from __future__ import annotations

from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.content import join_thoughts, text_of
from leaderboard.formats.shapes import as_objects


def is_response(value: JsonValue) -> bool:
    return isinstance(value, dict) and value.get("object") == "response"


def thought_of(response: dict[str, JsonValue]) -> str:
    """The reasoning and the words of an answer, reasoning first."""
    items = as_objects(response.get("output"))
    reasoning = [_reasoning(item) for item in items if item.get("type") == "reasoning"]
    words = [text_of(item.get("content")) for item in items if item.get("type") == "message"]
    return join_thoughts("\n".join(filter(None, reasoning)), "\n".join(filter(None, words)))


def _reasoning(item: dict[str, JsonValue]) -> str:
    texts = (part.get("text") for key in ("summary", "content") for part in as_objects(item.get(key)))
    return "\n".join(text for text in texts if isinstance(text, str) and text)
