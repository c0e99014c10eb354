"""The model's turns in an Inspect sample's events, each call with the turns of the sub-agent that it started.

An agent's messages don't have all of them: `react()` takes its submission out, a sub-agent called as a tool
leaves only its answer, and a handoff leaves texts. Events are nested by spans, in older logs by lists of
events in events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.amounts import NO_USAGE, Usage, total, turn_usage
from leaderboard.formats.shapes import as_object, as_objects

SENT: Final = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")
"""Cached tokens count as sent."""

_SCORERS: Final = ("scorers", "scorer")


@dataclass(slots=True)
class ToolCall:
    """A call as in the model's message, the event of its execution, and the sub-agent's turns in it."""

    fields: dict[str, JsonValue]
    event: dict[str, JsonValue] = field(default_factory=dict)
    inner: list[Turn] = field(default_factory=list)

    @property
    def key(self) -> str:
        """Its id, which its event and its result name; empty if it has none."""
        key = self.fields.get("id")
        return key if isinstance(key, str) else ""


@dataclass(slots=True)
class Turn:
    """A message of the model; ``agent`` is the sub-agent's name, ``offered`` are the tools it could call."""

    message: dict[str, JsonValue]
    calls: list[ToolCall]
    agent: str = ""
    offered: list[dict[str, JsonValue]] = field(default_factory=list)
    usage: Usage = NO_USAGE


@dataclass(slots=True)
class _Scope:
    """Where an event stands: in the execution of a call, in a sub-agent, in a scorer."""

    call: ToolCall | None = None
    agent: str = ""
    is_scoring: bool = False


def turns_of_messages(
    messages: Iterable[dict[str, JsonValue]], events: Iterable[dict[str, JsonValue]]
) -> list[Turn]:
    """The turns in a conversation, where the events don't have them; its calls with their events."""
    events = list(events)
    executed = {event["id"]: event for event in events if is_tool(event)}
    usages: dict[str, Usage] = {}
    for event in events:
        written = message_of(event).get("id")
        if isinstance(written, str):
            usages[written] = _usage(event)
    turns = []
    for message in messages:
        if is_written(message):
            calls = _calls(message)
            for call in calls:
                call.event = executed.get(call.key, call.event)
            key = message.get("id")
            used = usages.get(key, NO_USAGE) if isinstance(key, str) else NO_USAGE
            turns.append(Turn(message, calls, usage=used))
    return turns


def turns_in(events: Iterable[dict[str, JsonValue]]) -> tuple[list[Turn], list[Usage]]:
    """The agent's own turns in order; and what the scorers' models used, which are no turns."""
    reader = _Reader()
    reader.read(events, _Scope())
    return reader.own, reader.judged


def all_turns(turns: Iterable[Turn]) -> Iterator[Turn]:
    """The turns with those of sub-agents, in the order of the steps."""
    for turn in turns:
        yield turn
        for call in turn.calls:
            yield from all_turns(call.inner)


def is_tool(event: dict[str, JsonValue]) -> bool:
    """Whether the event is the execution of a call."""
    return event.get("event") == "tool" and isinstance(event.get("id"), str)


def is_written(message: dict[str, JsonValue]) -> bool:
    """Whether a model wrote the message: one that is in the task's input is an example."""
    return message.get("role") == "assistant" and message.get("source") != "input"


def message_of(event: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The message that the model wrote, if it did."""
    choices = as_objects(as_object(event.get("output")).get("choices"))
    return as_object(choices[0].get("message")) if choices and not event.get("error") else {}


class _Reader:
    """Follows the events; a span is known by its id, once it has begun."""

    def __init__(self) -> None:
        self.own: list[Turn] = []
        self.judged: list[Usage] = []
        self._scopes: dict[str, _Scope] = {}
        self._calls: dict[str, ToolCall] = {}
        # The spans of tools whose event has not come yet; it follows at once.
        self._opened: dict[str, _Scope] = {}
        self._scorers = 0

    def read(self, events: Iterable[dict[str, JsonValue]], outer: _Scope) -> None:
        for event in events:
            kind = event.get("event")
            scope = self._scope(event.get("span_id"), outer)
            if kind == "span_begin":
                self._begin(event, outer)
            elif kind == "step":
                self._count_scorers(event)
            elif kind == "tool":
                self._executed(event, scope)
            elif kind == "subtask":
                self.read(as_objects(event.get("events")), scope)
            elif kind == "model":
                if scope.is_scoring or self._scorers:
                    self.judged.append(_usage(event))
                else:
                    self._answered(event, scope)

    def _scope(self, span: JsonValue, outer: _Scope) -> _Scope:
        return self._scopes.get(span, outer) if isinstance(span, str) else outer

    def _begin(self, event: dict[str, JsonValue], outer: _Scope) -> None:
        scope = replace(self._scope(event.get("parent_id"), outer))
        kind, name, span = event.get("type"), event.get("name"), event.get("id")
        if kind in _SCORERS:
            scope.is_scoring = True
        elif kind == "agent" and scope.call and isinstance(name, str):
            scope.agent = name
        elif kind == "tool" and isinstance(name, str):
            self._opened[name] = scope
        if isinstance(span, str):
            self._scopes[span] = scope

    def _count_scorers(self, event: dict[str, JsonValue]) -> None:
        if event.get("type") in _SCORERS:
            self._scorers = max(0, self._scorers + (1 if event.get("action") == "begin" else -1))

    def _executed(self, event: dict[str, JsonValue], scope: _Scope) -> None:
        tool = event.get("function")
        call = self._calls.get(event["id"]) if is_tool(event) else None
        opened = self._opened.pop(tool, _Scope()) if isinstance(tool, str) else _Scope()
        if call:
            call.event = event
            opened.call = call
            opened.agent = tool if isinstance(tool, str) else ""
        inner = as_objects(event.get("events"))
        if inner:
            self.read(inner, opened if call else scope)

    def _answered(self, event: dict[str, JsonValue], scope: _Scope) -> None:
        message = message_of(event)
        if not message:
            return
        calls = _calls(message)
        turn = Turn(message, calls, scope.agent, as_objects(event.get("tools")), _usage(event))
        self._calls.update((call.key, call) for call in calls if call.key)
        (scope.call.inner if scope.call else self.own).append(turn)


def _calls(message: dict[str, JsonValue]) -> list[ToolCall]:
    """The calls in a message, those that the model's provider executed first: they have their results."""
    calls = []
    for part in as_objects(message.get("content")):
        if part.get("type") == "tool_use":
            fields = {"id": part.get("id"), "function": part.get("name"), "arguments": part.get("arguments")}
            error = {"message": part["error"]} if part.get("error") else None
            calls.append(ToolCall(fields, {"result": part.get("result"), "error": error}))
    return calls + [ToolCall(fields) for fields in as_objects(message.get("tool_calls"))]


def _usage(event: dict[str, JsonValue]) -> Usage:
    used = as_object(as_object(event.get("output")).get("usage"))
    cached, reasoned = used.get("input_tokens_cache_read"), used.get("reasoning_tokens")
    sent = total(used.get(key) for key in SENT)
    return turn_usage(used.get("total_cost"), sent, used.get("output_tokens"), cached, reasoned)
