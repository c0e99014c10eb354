"""Turns an Inspect sample's messages into steps: a tool call and the message with its result."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import JsonValue, Shown, StepKind
from leaderboard.formats.amounts import NO_USAGE, Usage, seconds_between, total, turn_usage
from leaderboard.formats.content import join_thoughts, media_of, reasoning_of, text_of
from leaderboard.formats.documents import MAX_BYTES, as_number, json_text
from leaderboard.formats.shapes import as_object, as_objects, expect_objects
from leaderboard.formats.step_list import Draft, StepList, message_step
from leaderboard.formats.tool_calls import Call, call_of

LOG_AGAIN: Final = "export the log again"
SENT: Final = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")

_REFERENCES: Final = ("attachment://", "tc://")


class Attachments:
    """Texts that a sample stores separately and refers to by hash or index.

    A text can be referred to many times, so all resolved texts together have at most `MAX_BYTES` characters.
    """

    def __init__(self, texts: JsonValue, by_index: tuple[JsonValue, ...], *, name: str) -> None:
        self._texts = as_object(texts)
        self._by_index = by_index
        self._name = name
        self._left = MAX_BYTES

    def resolve(self, value: JsonValue) -> JsonValue:
        """The value with every reference replaced by its text; an unknown reference is kept.

        Raises:
            InputError: the resolved texts are too large.
        """
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self.resolve(item) for item in value]
        if isinstance(value, dict):
            return {key: self.resolve(item) for key, item in value.items()}
        return value

    def _text(self, value: str) -> str:
        for start in _REFERENCES:
            if value.startswith(start):
                found = self._find(value.removeprefix(start))
                if isinstance(found, str):
                    self._left -= len(found)
                    if self._left < 0:
                        reason = f"the resolved attachments have more than {MAX_BYTES >> 20:,} MB"
                        remedy = "shorten the observations"
                        raise InputError(Problem(self._name, "$.attachments", reason, remedy))
                    return found
        return value

    def _find(self, key: str) -> JsonValue:
        if key.isdecimal() and len(key) < 12 and int(key) < len(self._by_index):
            return self._by_index[int(key)]
        return self._texts.get(key)


def walk(
    sample: dict[str, JsonValue], events: list[dict[str, JsonValue]], attachments: Attachments, *, name: str
) -> StepList:
    """The prompt, the query and the steps in a sample's messages."""
    tools = {event["id"]: event for event in events if _is_tool(event)}
    usages = _usages(events)
    steps = StepList()
    messages = sample.get("messages")
    texts = "the messages are {}, not a list", "the message is {}, not an object"
    for _, message in expect_objects(messages, *texts, name=name, place="$.messages", remedy=LOG_AGAIN):
        role = message.get("role")
        if role == "assistant":
            drafts = _turn(message, steps, tools, attachments)
            key = message.get("id")
            drafts[0].usage = usages.get(key, NO_USAGE) if isinstance(key, str) else NO_USAGE
            continue
        content = attachments.resolve(message.get("content"))
        text = text_of(content)
        if role == "system":
            steps.prompt = steps.prompt or text
        elif steps.last is None:
            steps.query = steps.query or text
        else:
            draft = steps.find(message.get("tool_call_id")) or steps.last
            said = text or json_text(as_object(message.get("error")).get("message"))
            draft.observe(said, media=media_of(content))
    return steps


def _usages(events: list[dict[str, JsonValue]]) -> dict[str, Usage]:
    """The usage of each of the model's messages, by the message's id; cached tokens count as sent."""
    found: dict[str, Usage] = {}
    for event in events:
        output = as_object(event.get("output")) if event.get("event") == "model" else {}
        usage = as_object(output.get("usage"))
        sent = total(usage.get(key) for key in SENT)
        for choice in as_objects(output.get("choices")):
            key = as_object(choice.get("message")).get("id")
            if isinstance(key, str):
                found[key] = turn_usage(usage.get("total_cost"), sent, usage.get("output_tokens"))
    return found


def _is_tool(event: dict[str, JsonValue]) -> bool:
    return event.get("event") == "tool" and isinstance(event.get("id"), str)


def _turn(
    message: dict[str, JsonValue],
    steps: StepList,
    tools: dict[str, dict[str, JsonValue]],
    attachments: Attachments,
) -> list[Draft]:
    """Add and return the steps of one model message: one for each call, or one without a call."""
    content = attachments.resolve(message.get("content"))
    thought = join_thoughts(json_text(message.get("reasoning")), reasoning_of(content), text_of(content))
    calls = as_objects(message.get("tool_calls"))
    drafts: list[Draft] = []
    for number, call in enumerate(calls):
        key = call.get("id")
        event = tools.get(key, {}) if isinstance(key, str) else {}
        own = "" if number else thought
        draft = Draft(_call(call, attachments), own, event.get("timestamp"), _seconds(event))
        draft.shown = _shown(event)
        drafts.append(steps.add(draft, call_id=key))
    return drafts or [steps.add(message_step(thought))]


def _call(call: dict[str, JsonValue], attachments: Attachments) -> Call:
    tool, arguments = json_text(call.get("function")), attachments.resolve(call.get("arguments"))
    if call.get("parse_error"):
        return Call(StepKind.FORMAT_ERROR, tool, json_text(arguments))
    return call_of(tool, arguments)


def _shown(event: dict[str, JsonValue]) -> Shown | None:
    """What the model was shown of a tool's output that was too long; the log has no more of it."""
    sizes = event.get("truncated")
    if not isinstance(sizes, list) or len(sizes) != 2:
        return None
    of, part = (as_number(size) for size in sizes)
    if of is None or part is None or not 0 <= part < of:
        return None
    return Shown(int(part), int(of), "which is all that the log has", "bytes")


def _seconds(event: dict[str, JsonValue]) -> float | None:
    worked = as_number(event.get("working_time"))
    if worked is not None and worked >= 0:
        return worked
    return seconds_between(event.get("timestamp"), event.get("completed"))
