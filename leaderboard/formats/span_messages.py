"""The messages that a span of a model's call has, in the conventions of OpenInference and OpenTelemetry."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from leaderboard.domain.media import Media
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.amounts import Usage, turn_usage
from leaderboard.formats.content import media_of, reasoning_of, text_of
from leaderboard.formats.documents import json_text
from leaderboard.formats.shapes import as_object, as_objects
from leaderboard.formats.span_attributes import Span, items_of

_INPUTS: Final = ("llm.input_messages", "gen_ai.input.messages", "gen_ai.prompt")
_OUTPUTS: Final = ("llm.output_messages", "gen_ai.output.messages", "gen_ai.completion")
_MODELS: Final = ("llm.model_name", "gen_ai.response.model", "gen_ai.request.model")
_USAGE: Final = (
    ("llm.cost.total", "gen_ai.usage.cost", "operation.cost"),
    ("llm.token_count.prompt", "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
    ("llm.token_count.completion", "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
    ("llm.token_count.prompt_details.cache_read", "gen_ai.usage.cache_read.input_tokens"),
    ("llm.token_count.completion_details.reasoning", "gen_ai.usage.reasoning_tokens"),
)
_TOOL_WORDS: Final = ("execute_tool", "tool")
_MODEL_WORDS: Final = ("llm", "chat", "text_completion", "generate_content")
_AGENT_WORDS: Final = ("agent", "invoke_agent", "create_agent")


class Asked(NamedTuple):
    """A call that a message has."""

    id: str
    tool: str
    arguments: JsonValue


@dataclass(slots=True)
class Message:
    """A message; ``results`` has text and images of what came of calls, by their ids."""

    role: str
    text: str = ""
    reasoning: str = ""
    calls: list[Asked] = field(default_factory=list)
    results: list[tuple[str, str, list[Media]]] = field(default_factory=list)


def kind_of(span: Span) -> str:
    """What a span is of: ``model``, ``tool``, ``agent``, or nothing of these."""
    word = json_text(span.first("openinference.span.kind", "gen_ai.operation.name", "langsmith.span.kind"))
    word = word.lower()
    if word in _TOOL_WORDS:
        return "tool"
    if word in _MODEL_WORDS or (not word and _first_tree(span, _OUTPUTS) is not None):
        return "model"
    return "agent" if word in _AGENT_WORDS else ""


def inputs_of(span: Span) -> list[Message]:
    """What the model was given."""
    given = items_of(_first_tree(span, _INPUTS)) + _events(span, outputs=False)
    system = items_of(span.get("gen_ai.system_instructions"))
    head = [_message({"role": "system", "parts": system})] if system else []
    return head + [_message(each) for each in as_objects(given)]


def results_of(span: Span, open_calls: Container[str]) -> list[Message]:
    """Of what the model was given, at least the messages with what came of these calls."""
    place, key = f"{_INPUTS[0]}.", ".message.tool_call_id"
    found = {
        name[len(place) : -len(key)]
        for name, value in span.attributes.items()
        if name.endswith(key) and name.startswith(place) and isinstance(value, str) and value in open_calls
    }
    if found:
        return [_message(each) for each in as_objects(items_of(span.tree(_INPUTS[0], found)))]
    # A long conversation is in each span again: where its names are dotted, the rest need not be read.
    return [] if f"{place}0.message.role" in span.attributes else inputs_of(span)


def outputs_of(span: Span) -> list[Message]:
    """What the model answered."""
    given = items_of(_first_tree(span, _OUTPUTS)) + _events(span, outputs=True)
    return [_message(each) for each in as_objects(given)]


def _first_tree(span: Span, paths: tuple[str, ...]) -> JsonValue:
    return next((found for path in paths if (found := span.tree(path)) is not None), None)


def model_of(span: Span) -> str:
    return json_text(span.first(*_MODELS))


def usage_of(span: Span) -> Usage:
    return turn_usage(*(span.first(*paths) for paths in _USAGE))


def _events(span: Span, *, outputs: bool) -> list[JsonValue]:
    """The messages in a list of events, as Logfire keeps them."""
    found = as_objects(items_of(span.get("events")))
    chosen = [each for each in found if (each.get("event.name") == "gen_ai.choice") == outputs]
    return [each.get("message") if outputs else each for each in chosen]


def _message(document: dict[str, JsonValue]) -> Message:
    fields = as_object(document.get("message")) or document
    message = Message(json_text(fields.get("role")))
    parts = fields.get("parts")
    if isinstance(parts, list):
        for part in as_objects(parts):
            _add_part(part, message)
    else:
        _add_content(fields, message)
    return message


def _add_part(part: dict[str, JsonValue], message: Message) -> None:
    """A part of a message in OpenTelemetry's convention."""
    kind = part.get("type")
    if kind == "tool_call":
        message.calls.append(
            Asked(json_text(part.get("id")), json_text(part.get("name")), part.get("arguments"))
        )
    elif kind == "tool_call_response":
        result = part.get("response", part.get("result"))
        message.results.append((json_text(part.get("id")), text_of(result), media_of(result)))
    elif kind in ("reasoning", "thinking"):
        message.reasoning += text_of(part.get("content"))
    elif kind == "text":
        message.text = "\n".join(
            filter(None, (message.text, text_of(part.get("content") or part.get("text"))))
        )


def _add_content(fields: dict[str, JsonValue], message: Message) -> None:
    """The content of a message in OpenInference's convention, or OpenAI's."""
    content = fields.get("content")
    contents = [_content(as_object(each)) for each in items_of(fields.get("contents"))]
    message.text = text_of(content if content is not None else contents)
    message.reasoning = reasoning_of(contents) or json_text(fields.get("reasoning_content"))
    answered = fields.get("tool_call_id") or fields.get("id")
    if message.role in ("tool", "function"):
        images = media_of(contents or content)
        message.results.append((json_text(answered or fields.get("name")), message.text, images))
        return
    for each in as_objects(items_of(fields.get("tool_calls"))):
        call = as_object(each.get("tool_call")) or each
        function = as_object(call.get("function")) or call
        tool = json_text(function.get("name"))
        message.calls.append(Asked(json_text(call.get("id")), tool, function.get("arguments")))


def _content(part: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """A part as OpenAI has it."""
    inner = as_object(part.get("message_content")) or part
    image = as_object(as_object(inner.get("image")).get("image")).get("url")
    return {"type": "image_url", "image_url": image} if isinstance(image, str) else inner
