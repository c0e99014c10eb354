"""The tool calls, words and reasoning in one message of a chat, in the forms that APIs have for them."""

from __future__ import annotations

import json
from typing import Final, NamedTuple

from leaderboard.domain.trajectory import JsonValue, StepKind
from leaderboard.formats.content import join_thoughts, reasoning_of, text_of
from leaderboard.formats.documents import json_text
from leaderboard.formats.shapes import as_objects
from leaderboard.formats.tool_calls import Call, call_of

_REASONING: Final = ("reasoning_content", "reasoning", "thinking", "thinking_blocks", "reasoning_details")
_ARGUMENTS: Final = ("input", "args", "parameters")
_BLOCK_TEXTS: Final = ("thinking", "text", "summary")

# Where the tag must begin, so that no long text is searched for it.
_NEAR: Final = 100
_THINK: Final = "<think>"
_END: Final = "</think>"


class ChatCall(NamedTuple):
    """A call in a message: its id (may be null), the tool's name, and its arguments as in the file."""

    id: JsonValue
    tool: str
    arguments: JsonValue


def calls_in(message: dict[str, JsonValue]) -> list[ChatCall]:
    """The calls in a message: OpenAI's ``tool_calls``, the older ``function_call``, Anthropic's parts."""
    calls = [_tool_call(item) for item in as_objects(message.get("tool_calls"))]
    older, content = message.get("function_call"), message.get("content")
    if not calls and isinstance(older, dict):
        calls.append(ChatCall(None, json_text(older.get("name")), older.get("arguments")))
    if not isinstance(content, list):
        return calls
    # Some writers give Anthropic's parts and the same calls beside them.
    known = {call.id for call in calls if isinstance(call.id, str)}
    for part in as_objects(content):
        key = part.get("id")
        if part.get("type") == "tool_use" and not (isinstance(key, str) and key in known):
            calls.append(ChatCall(key, json_text(part.get("name")), part.get("input")))
    return calls


def action_of(call: ChatCall) -> Call:
    """What a call means; a format error if its arguments were cut off or are otherwise no JSON."""
    arguments = call.arguments
    if isinstance(arguments, str):
        text = arguments.strip()
        try:
            arguments = json.loads(text) if text else {}
        except (ValueError, RecursionError):
            # A tool may take plain text; what begins as JSON was meant to be JSON.
            if text.startswith(("{", "[")):
                return Call(StepKind.FORMAT_ERROR, call.tool, call.arguments)
            return call_of(call.tool, call.arguments)
    if isinstance(arguments, str):
        # JSON text in JSON text.
        return call_of(call.tool, arguments)
    return call_of(call.tool, {} if arguments is None else arguments)


def words_in(message: dict[str, JsonValue]) -> str:
    """What the message says, a refusal included, without its reasoning."""
    _thought, text = _split(text_of(message.get("content")))
    refusal = message.get("refusal")
    return join_thoughts(text, refusal) if refusal and isinstance(refusal, str) else text


def is_refusal(message: dict[str, JsonValue]) -> bool:
    """Whether the model declined to answer."""
    parts = as_objects(message.get("content"))
    return bool(message.get("refusal")) or any(part.get("type") == "refusal" for part in parts)


def reasoning_in(message: dict[str, JsonValue]) -> str:
    """The reasoning of a message, from the first of the fields that have it, and from its content."""
    found = ""
    for key in _REASONING:
        if not found and key in message:
            found = _reasoning(message[key])
    content = message.get("content")
    inside = reasoning_of(content)
    inside = join_thoughts(inside, _split(text_of(content))[0])
    return found if inside in found else join_thoughts(found, inside)


def _split(text: str) -> tuple[str, str]:
    """The reasoning that models which are run locally write before their words, and the words."""
    if _THINK not in text[:_NEAR]:
        return "", text
    before, _start, rest = text.partition(_THINK)
    thought, end, words = rest.partition(_END)
    return (thought.strip(), words.strip()) if end and not before.strip() else ("", text)


def _reasoning(value: JsonValue) -> str:
    """Text as it is; of the API's own object (``{summary}``) or list, its text."""
    if isinstance(value, list):
        return "\n".join(text for item in as_objects(value) if (text := _block_text(item)))
    return _block_text(value) if isinstance(value, dict) else value if isinstance(value, str) else ""


def _block_text(block: dict[str, JsonValue]) -> str:
    for key in _BLOCK_TEXTS:
        value = block.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list):
            return text_of(value)
    return ""


def _tool_call(item: dict[str, JsonValue]) -> ChatCall:
    """A call of any of ``{function: {name, arguments}}``, ``{custom: {name, input}}``, ``{name, args}``."""
    inner = item.get("function") or item.get("custom")
    fields = inner if isinstance(inner, dict) else item
    name = inner if isinstance(inner, str) else json_text(fields.get("name"))
    arguments = fields.get("arguments")
    if arguments is None:
        arguments = next((fields[key] for key in _ARGUMENTS if key in fields), None)
    return ChatCall(item.get("id"), name, arguments)
