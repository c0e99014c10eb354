"""Traces of OpenInference and OpenTelemetry's GenAI: one trace is one attempt.

A file is a list of spans, one a line, ``{data: […]}`` as Phoenix answers, or OTLP's JSON.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import Ending, JsonValue, Trajectory
from leaderboard.formats import event_log
from leaderboard.formats.amounts import seconds_between
from leaderboard.formats.documents import Notes, json_text, parsed
from leaderboard.formats.endings import ending_of_status
from leaderboard.formats.opening import Lines
from leaderboard.formats.samples import Picked, Sample, sample_of
from leaderboard.formats.shapes import as_object, as_objects
from leaderboard.formats.span_attributes import Span, is_span, span_of, spans_in_otlp
from leaderboard.formats.span_messages import (
    Asked,
    Message,
    inputs_of,
    kind_of,
    model_of,
    outputs_of,
    results_of,
    usage_of,
)
from leaderboard.formats.step_list import Draft
from leaderboard.formats.tool_calls import call_of
from leaderboard.formats.turns import Agent, Conversation, Outcome, Turn, trajectory_of

NAME: Final = "OpenInference or OTel GenAI spans"
PRIORITY: Final = 15
"""No other tool writes such objects."""


@dataclass(slots=True)
class Trace:
    """The spans of one trace, by their start."""

    key: str
    spans: list[Span] = field(default_factory=list)
    faults: list[Problem] = field(default_factory=list)


def detect(content: object) -> bool:
    if isinstance(content, Trace):
        return True
    if isinstance(content, Lines):
        return any(is_span(line) or _is_otlp(line) for line in content.head)
    if isinstance(content, dict):
        return _is_otlp(content) or (isinstance(content.get("data"), list) and _are_spans(content["data"]))
    return isinstance(content, list) and _are_spans(content)


def _is_otlp(document: JsonValue) -> bool:
    return isinstance(document, dict) and isinstance(document.get("resourceSpans"), list)


def _are_spans(items: list[JsonValue]) -> bool:
    return bool(items) and all(is_span(item) for item in items[:3])


def samples(content: JsonValue | Lines, *, name: str) -> tuple[Sample, ...]:
    traces = _kept_traces(content, name=name)
    return tuple(
        _sample(trace, "" if len(traces) == 1 else f"trace {number}", name)
        for number, trace in enumerate(traces, start=1)
    )


def pick(content: JsonValue | Lines, index: int, sample: Sample, *, name: str) -> Picked:
    return Picked(_kept_traces(content, name=name)[index], sample.key)


def _sample(trace: Trace, key: str, name: str) -> Sample:
    """The task and attempt that the trace names in its spans' metadata."""
    for span in trace.spans:
        for place in ("metadata", "langsmith.metadata"):
            metadata = as_object(parsed(span.get(place)))
            sample = sample_of({**metadata, "metadata": metadata}, name=name, key=key)
            if sample.task_id:
                return sample
    return Sample(key)


def _kept_traces(content: JsonValue | Lines, *, name: str) -> list[Trace]:
    return (
        content.once(lambda: _traces(content, name=name))
        if isinstance(content, Lines)
        else _traces(content, name=name)
    )


def _traces(content: JsonValue | Lines, *, name: str) -> list[Trace]:
    faults: list[Problem] = []
    documents: Iterable[JsonValue]
    if isinstance(content, Lines):
        events, faults = event_log.events_of(content, name=name)
        documents = [event.fields for event in events]
    else:
        documents = content["data"] if isinstance(content, dict) and "data" in content else content
    if isinstance(documents, dict):
        documents = [documents]
    traces: dict[str, Trace] = {}
    for document in as_objects(documents):
        for each in spans_in_otlp(document) if _is_otlp(document) else [document]:
            if is_span(each):
                span = span_of(each)
                traces.setdefault(span.trace, Trace(span.trace, faults=faults)).spans.append(span)
    for trace in traces.values():
        trace.spans.sort(key=lambda span: span.order)
    return list(traces.values())


class _Reading:
    """What was read of a trace so far."""

    def __init__(self, trace: Trace) -> None:
        self.conversation = Conversation()
        self.spans = {span.id: span for span in trace.spans}
        self.kinds = {span.id: kind_of(span) for span in trace.spans}
        self.agents: dict[str, Agent] = {"": self.conversation.main}
        self.drafts: dict[str, Draft] = {}
        self.free: list[tuple[Asked, Draft]] = []
        self.waiting: dict[str, Draft] = {}
        self.seen: list[tuple[Draft, str]] = []
        self.prompt = ""

    def above(self, span: Span, kind: str) -> Span | None:
        """The nearest span of a kind above a span."""
        seen = {span.id}
        parent = self.spans.get(span.parent)
        while parent is not None and parent.id not in seen:
            if self.kinds[parent.id] == kind:
                return parent
            seen.add(parent.id)
            parent = self.spans.get(parent.parent)
        return None


def read(trace: Trace, *, name: str) -> Trajectory:
    notes = Notes(name)
    for fault in trace.faults:
        notes.add(fault.place, fault.reason, fault.remedy)
    reading = _Reading(trace)
    for span in trace.spans:
        kind = reading.kinds[span.id]
        if kind == "model" and reading.above(span, "model") is None:
            _add_turn(span, reading)
        elif kind == "tool":
            _add_tool(span, reading)
    for draft, text in reading.seen:
        # What the model was told of a call goes before what the tool gave.
        if not draft.observations:
            draft.observe(text)
    conversation = reading.conversation
    if not any(turn.thought or turn.calls for turn in conversation.main.turns):
        raise InputError(_without_content(trace, name))
    root = next((span for span in trace.spans if span.parent not in reading.spans), trace.spans[0])
    return trajectory_of(
        conversation,
        _outcome(root, conversation),
        format=NAME,
        agent=json_text(root.first("gen_ai.agent.name", "agent.name")),
        name=name,
        notes=notes,
        prompt=reading.prompt,
        elapsed=seconds_between(root.start, root.end),
    )


def _add_turn(span: Span, reading: _Reading) -> None:
    """A call of the model: what came of the calls before is in its input."""
    agent = _agent(span, reading)
    begins = agent is reading.conversation.main and not agent.turns
    for message in inputs_of(span) if begins else results_of(span, reading.waiting):
        for call_id, text, media in message.results:
            if (draft := reading.waiting.pop(call_id, None)) is not None:
                draft.observe(text, media=media)
        if begins:
            if message.role in ("system", "developer"):
                reading.prompt = reading.prompt or message.text
            elif message.role == "user":
                agent.tell(message.text)
    turn = agent.turn(None, span.start)
    turn.usage, turn.model = usage_of(span), model_of(span)
    for message in outputs_of(span):
        _add_answer(message, turn, span, reading)


def _add_answer(message: Message, turn: Turn, span: Span, reading: _Reading) -> None:
    turn.reasoning.append(message.reasoning)
    turn.texts.append(message.text)
    for asked in message.calls:
        draft = Draft(call_of(asked.tool, asked.arguments or {}), started=span.end)
        reading.conversation.call(turn, draft, asked.id)
        reading.free.append((asked, draft))
        if asked.id:
            reading.waiting[asked.id] = draft


def _agent(span: Span, reading: _Reading) -> Agent:
    """The agent that a span is of: the attempt's own, or one that works inside a tool's span."""
    tool = reading.above(span, "tool")
    if tool is None:
        return reading.conversation.main
    if tool.id not in reading.agents:
        inner = reading.above(span, "agent")
        named = inner if inner is not None and reading.above(inner, "tool") is tool else tool
        own = json_text(named.first("gen_ai.agent.name", "agent.name")) or named.name
        agent = Agent(own or "sub-agent")
        reading.agents[tool.id] = reading.conversation.start(agent, reading.drafts.get(tool.id))
    return reading.agents[tool.id]


def _add_tool(span: Span, reading: _Reading) -> None:
    """What a tool's span says of its call; without one in the model's answer it is a step of its own."""
    tool = json_text(span.first("tool.name", "gen_ai.tool.name")) or span.name
    given = span.first("input.value", "gen_ai.tool.call.arguments", "tool_arguments")
    draft = _called(span, tool, given, reading)
    if draft is None:
        agent = _agent(span, reading)
        if not agent.turns or (agent is not reading.conversation.main and agent.turns[-1].calls):
            return
        call = call_of(tool, parsed(given) if given is not None else {})
        draft = reading.conversation.call(agent.turns[-1], Draft(call), None)
    reading.drafts[span.id] = draft
    draft.started = span.start
    draft.duration = seconds_between(span.start, span.end)
    seen = span.first("output.value", "gen_ai.tool.call.result", "tool_response")
    if seen is not None or span.error:
        reading.seen.append((draft, json_text(seen) or span.error))


def _called(span: Span, tool: str, given: JsonValue, reading: _Reading) -> Draft | None:
    """The call of a tool's span, by its id, else the first one with its arguments, else of its name."""
    key = span.first("tool_call.id", "gen_ai.tool.call.id", "tool_call_id")
    arguments = parsed(given)
    named = [pair for pair in reading.free if pair[0].tool == tool]
    same = [pair for pair in named if parsed(pair[0].arguments) == arguments]
    chosen = [pair for pair in reading.free if pair[0].id and pair[0].id == key] or same or named
    if not chosen:
        return None
    reading.free.remove(chosen[0])
    return chosen[0][1]


def _outcome(root: Span, conversation: Conversation) -> Outcome:
    if root.error:
        ending, detail = ending_of_status(root.error)
        return Outcome("", Ending.EXCEPTION if ending is Ending.SUBMITTED else ending, detail)
    return Outcome(conversation.last_words())


def _without_content(trace: Trace, name: str) -> Problem:
    reason = "no content was recorded: no span has what the model answered"
    remedy = (
        "record the messages too (OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true), and run again"
    )
    return Problem(name, f"trace {trace.key[:80]}", reason, remedy)
