"""Conversations: lists of messages as chat APIs take them, with all that a file says beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from leaderboard.domain.errors import Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.amounts import NO_USAGE, Usage
from leaderboard.formats.shapes import NEVER_BEGAN, as_object, as_objects

AGENT: Final = "assistant"
# Tuples, not sets: an untrusted value may not be hashable.
_RESULT_ROLES: Final = ("tool", "function")
_CALL_PARTS: Final = ("tool_use", "tool_result")


@dataclass(frozen=True, slots=True)
class Turn:
    """What is known of one answer of the model beside its message; ``started`` is as in the file."""

    usage: Usage = NO_USAGE
    started: JsonValue = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation to read.

    Attributes:
        messages: as in the file.
        place: of the list in its file; ``places`` are those of the messages if each has its own.
        prompt: a system prompt beside the messages.
        usage: the totals, None where only the turns have them.
        turns: by the index of their message.
        warnings: what was odd in the file already.
    """

    messages: JsonValue
    place: str = "$.messages"
    places: Sequence[str] = ()
    prompt: str = ""
    model: str = ""
    agent: str = ""
    usage: Usage = NO_USAGE
    elapsed: float | None = None
    turns: Mapping[int, Turn] = field(default_factory=dict)
    warnings: tuple[Problem, ...] = ()


def is_message(value: JsonValue) -> bool:
    """Whether the value is a message of a conversation."""
    return isinstance(value, dict) and isinstance(value.get("role"), str)


def is_messages(value: JsonValue) -> bool:
    """Whether the value is a list of messages, valid or not."""
    return isinstance(value, list) and any(is_message(item) for item in value[:3])


def is_conversation(value: JsonValue) -> bool:
    """Whether the value is a list of messages, or an object with one."""
    messages = value.get("messages") if isinstance(value, dict) else value
    return is_messages(messages) or (isinstance(value, dict) and messages == [])


def has_calls(messages: list[JsonValue]) -> bool:
    """Whether tools are called in the messages as chat APIs do it."""
    return any(_has_call(message) for message in messages if isinstance(message, dict))


def _has_call(message: dict[str, JsonValue]) -> bool:
    if message.get("tool_calls") or message.get("function_call") or message.get("role") in _RESULT_ROLES:
        return True
    content = message.get("content")
    return isinstance(content, list) and any(part.get("type") in _CALL_PARTS for part in as_objects(content))


def answer_message(output: JsonValue) -> dict[str, JsonValue] | None:
    """The message in what a chat API answered: the first choice, or Anthropic's message itself."""
    fields = as_object(output)
    choices = as_objects(fields.get("choices"))
    message = choices[0].get("message") if choices else fields
    return message if isinstance(message, dict) and message.get("role") == AGENT else None


def batch_fault(document: JsonValue, *, name: str, place: str = "$") -> Problem | None:
    """The problem of a line of OpenAI's batch files, which hold single requests or answers."""
    fields = as_object(document)
    if "custom_id" not in fields or not ("body" in fields or "response" in fields):
        return None
    kind = "requests" if "body" in fields else "answers"
    reason = f"these are OpenAI's batch {kind}, each a single call of a model: no attempt of an agent"
    return Problem(name, place, reason, "give the whole conversations, with what the agent's calls returned")


def no_agent(name: str, place: str) -> Problem:
    """The problem of a conversation in which no agent takes part."""
    reason = f"there is no step of an agent: no message has the role {AGENT}"
    return Problem(name, place, reason, NEVER_BEGAN)
