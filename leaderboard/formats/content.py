"""Text and images in chat messages: a string, or a list of parts."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.media import Media, from_base64, from_url
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import json_text

# Tuples, not sets: an untrusted type may not be hashable.
_REASONING: Final = ("reasoning", "thinking")
_PICTURES: Final = ("image", "image_url", "input_image")
_RESULT: Final = "tool_result"
# Parts to skip: calls are read elsewhere; a text part without text is empty.
_SKIPPED: Final = ("tool_use", "tool_call", "text", "redacted_thinking")
_REFUSAL: Final = "refusal"


def text_of(content: JsonValue) -> str:
    """All text in a message's content; other parts are named in brackets, such as ``[image]``.

    Parts are on lines of their own, unless white space parts them already.
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return _part(content)
    texts: list[str] = []
    for text in filter(None, map(_part, content)):
        if texts and not texts[-1][-1].isspace() and not text[0].isspace():
            texts.append("\n")
        texts.append(text)
    return "".join(texts)


def media_of(content: JsonValue) -> list[Media]:
    """The images in a message's content."""
    if isinstance(content, str):
        return []
    parts = content if isinstance(content, list) else [content]
    return [image for part in parts if isinstance(part, dict) for image in _images(part)]


def _images(part: dict[str, JsonValue]) -> list[Media]:
    kind = part.get("type")
    if kind == _RESULT:
        return media_of(part.get("content"))
    if kind not in _PICTURES:
        return []
    source, address = part.get("source"), part.get("image_url") or part.get("image")
    if isinstance(source, dict):
        mime, data = json_text(source.get("media_type")) or "image/*", source.get("data")
        address = source.get("url") or source.get("path")
        if isinstance(data, str):
            return [from_base64(mime, data)]
    if isinstance(address, dict):
        address = address.get("url")
    addresses = part.get("image_urls")
    addresses = addresses if isinstance(addresses, list) else [address]
    return [from_url(each) for each in addresses if isinstance(each, str)]


def text_beside_media(content: JsonValue) -> tuple[str, list[Media]]:
    """The text in a message's content, and the images in it, which the text does not name then."""
    images = media_of(content)
    if not images:
        return text_of(content), images
    parts = content if isinstance(content, list) else [content]
    return text_of([part for part in parts if not (isinstance(part, dict) and _is_shown(part))]), images


def _is_shown(part: dict[str, JsonValue]) -> bool:
    source = part.get("source")
    # An image that is not in the file, only its path.
    is_elsewhere = isinstance(source, dict) and not isinstance(source.get("data"), str)
    return part.get("type") in _PICTURES and not is_elsewhere and bool(_images(part))


def reasoning_of(content: JsonValue) -> str:
    """The text of the reasoning parts."""
    if not isinstance(content, list):
        return ""
    texts = (_reasoning(part) for part in content if isinstance(part, dict))
    return "\n".join(text for text in texts if text)


def join_thoughts(*texts: str) -> str:
    """The texts, joined by blank lines, without empty and repeated ones."""
    kept = [text for text in texts if text and not text.isspace()]
    return "\n\n".join(dict.fromkeys(kept)) if len(kept) > 1 else "".join(kept)


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
    if kind == _REFUSAL:
        return json_text(part.get(_REFUSAL))
    if kind in _SKIPPED:
        return ""
    if kind == _RESULT:
        return text_of(part.get("content"))
    return f"[{kind[:40]}]" if isinstance(kind, str) else json_text(part)
