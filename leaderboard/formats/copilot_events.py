"""Copilot CLI's ``session-state/ID/events.jsonl``: lines with ``type``, ``data``, ``id``, ``parentId``."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.trajectory import Ending, JsonValue, Trajectory
from leaderboard.formats import event_log
from leaderboard.formats.amounts import Usage, total, turn_usage
from leaderboard.formats.content import text_of
from leaderboard.formats.documents import json_text
from leaderboard.formats.endings import ending_of_status
from leaderboard.formats.event_log import Session
from leaderboard.formats.opening import Lines
from leaderboard.formats.samples import Picked, Sample
from leaderboard.formats.shapes import as_object, as_objects
from leaderboard.formats.step_list import Draft
from leaderboard.formats.tool_calls import call_of
from leaderboard.formats.turns import Agent, Conversation, Outcome, Turn, trajectory_of

NAME: Final = "Copilot CLI events"
PRIORITY: Final = 15
"""No other tool writes such lines."""

_SIGNS: Final = ("session.", "user.message", "assistant.", "tool.execution_", "subagent.", "system.message")
_WORDS_ONLY: Final = "report_intent"


def detect(content: object) -> bool:
    if isinstance(content, Session):
        return content.tool == NAME
    return isinstance(content, Lines) and any(_is_line(line) for line in content.head)


def _is_line(line: JsonValue) -> bool:
    if not isinstance(line, dict) or not isinstance(line.get("data"), dict):
        return False
    kind = line.get("type")
    return isinstance(kind, str) and kind.startswith(_SIGNS) and "id" in line


def samples(content: Lines, *, name: str) -> tuple[Sample, ...]:
    return event_log.samples_of(content.once(lambda: _sessions(content, name=name)))


def pick(content: Lines, index: int, sample: Sample, *, name: str) -> Picked:
    return Picked(content.once(lambda: _sessions(content, name=name))[index], sample.key)


def _sessions(content: Lines, *, name: str) -> list[Session]:
    def session_of(line: dict[str, JsonValue]) -> JsonValue:
        return as_object(line.get("data")).get("sessionId") if line.get("type") == "session.start" else None

    return event_log.split(content, session_of, tool=NAME, name=name)


class _Reading:
    """What was read of a session so far; ``running`` are its sub-agents at work, by the call of each."""

    def __init__(self) -> None:
        self.conversation = Conversation()
        self.running: dict[str, Agent] = {}
        self.agents: dict[str, Agent] = {}
        self.waiting: dict[str, tuple[dict[str, JsonValue], JsonValue]] = {}
        self.start: dict[str, JsonValue] = {}
        self.end: dict[str, JsonValue] = {}
        self.prompt = self.failure = ""
        self.aborted = False

    def agent(self, parent: JsonValue, *, guess: bool = False) -> Agent:
        """The agent that works under a call; if none is named, ``guess`` takes the one at work."""
        if isinstance(parent, str) and parent:
            if parent not in self.agents:
                self.begin(parent, "")
            return self.agents[parent]
        if guess and len(self.running) == 1:
            return next(iter(self.running.values()))
        return self.conversation.main

    def begin(self, call_id: str, name: str) -> None:
        if call_id not in self.agents:
            agent = Agent(name or self.conversation.names.get(call_id, "sub-agent"))
            self.agents[call_id] = self.conversation.start(agent, self.conversation.find(call_id))
        self.running[call_id] = self.agents[call_id]


def read(session: Session, *, name: str) -> Trajectory:
    notes = session.notes(name)
    reading = _Reading()
    for event in session.events:
        data = event.fields.get("data")
        if isinstance(data, dict):
            _note(json_text(event.fields.get("type")), data, event.fields.get("timestamp"), reading)
    for data, started in reading.waiting.values():
        _add_call(data, started, reading)
    version = json_text(reading.start.get("copilotVersion"))
    return trajectory_of(
        reading.conversation,
        _outcome(reading),
        format=NAME,
        agent=f"Copilot CLI {version}".strip(),
        name=name,
        notes=notes,
        model=json_text(reading.start.get("selectedModel")) or reading.conversation.model(),
        prompt=reading.prompt,
        usage=_usage(as_object(reading.end.get("modelMetrics"))),
    )


def _note(kind: str, data: dict[str, JsonValue], time: JsonValue, reading: _Reading) -> None:
    call_id = json_text(data.get("toolCallId"))
    if kind == "user.message":
        reading.conversation.main.tell(text_of(data.get("content")))
        reading.aborted, reading.failure = False, ""
    elif kind == "assistant.message":
        _add_message(data, time, reading)
    elif kind == "assistant.reasoning":
        agent = reading.agent(data.get("parentToolCallId"))
        _open(agent, time).reasoning.append(text_of(data.get("content")))
    elif kind == "tool.execution_start":
        # Who called may be said only when it is complete.
        if call_id not in reading.conversation.calls:
            reading.waiting[call_id] = (data, time)
    elif kind == "tool.execution_complete":
        _complete(data, time, reading)
    elif kind == "subagent.started" and call_id:
        reading.begin(call_id, json_text(data.get("agentName")))
    elif kind.startswith("subagent."):
        reading.running.pop(call_id, None)
    else:
        _note_session(kind, data, reading)


def _note_session(kind: str, data: dict[str, JsonValue], reading: _Reading) -> None:
    if kind == "session.start":
        reading.start = reading.start or data
    elif kind == "system.message":
        reading.prompt = reading.prompt or text_of(data.get("content"))
    elif kind == "session.error":
        reading.failure = json_text(data.get("message")) or kind
    elif kind in ("abort", "session.abort"):
        reading.aborted = True
    elif kind == "session.shutdown":
        reading.end = data


def _open(agent: Agent, time: JsonValue) -> Turn:
    """The turn that has thoughts only so far, or a new one."""
    last = agent.turns[-1] if agent.turns else None
    return agent.turn(None, time) if last is None or last.texts or last.calls or last.told else last


def _add_message(data: dict[str, JsonValue], time: JsonValue, reading: _Reading) -> None:
    agent = reading.agent(data.get("parentToolCallId"))
    turn = _open(agent, time)
    turn.texts.append(text_of(data.get("content")))
    if isinstance(reasoning := data.get("reasoningText"), str) and reasoning not in turn.reasoning:
        turn.reasoning.append(reasoning)
    for request in as_objects(data.get("toolRequests")):
        _call(request, request.get("name"), turn, time, reading)


def _call(
    data: dict[str, JsonValue], tool: JsonValue, turn: Turn, time: JsonValue, reading: _Reading
) -> Draft | None:
    """Add a call; what an agent only says by a call is its words."""
    call_id, arguments = data.get("toolCallId"), data.get("arguments") or {}
    if tool == _WORDS_ONLY:
        turn.reasoning.append(json_text(as_object(arguments).get("intent")))
        return None
    for key in ("agent_type", "name"):
        named = as_object(arguments).get(key)
        if tool == "task" and isinstance(call_id, str) and isinstance(named, str):
            reading.conversation.names.setdefault(call_id, named)
    draft = Draft(call_of(json_text(tool), arguments), started=time)
    return reading.conversation.call(turn, draft, call_id)


def _add_call(data: dict[str, JsonValue], time: JsonValue, reading: _Reading) -> Draft | None:
    """Add a call that no message asked for: a sub-agent's."""
    agent = reading.agent(data.get("parentToolCallId"), guess=True)
    last = agent.turns[-1] if agent.turns else None
    turn = agent.turn(None, time) if last is None or last.calls else last
    return _call(data, data.get("toolName"), turn, time, reading)


def _complete(data: dict[str, JsonValue], time: JsonValue, reading: _Reading) -> None:
    call_id = json_text(data.get("toolCallId"))
    draft = reading.conversation.find(call_id)
    if draft is None:
        if data.get("toolName") == _WORDS_ONLY:
            reading.waiting.pop(call_id, None)
            return
        begun, started = reading.waiting.pop(call_id, (data, None))
        draft = _add_call({**begun, "parentToolCallId": _parent(data, begun)}, started, reading)
    if draft is None:
        return
    model = data.get("model")
    result = as_object(data.get("result"))
    text = text_of(result.get("content")) or text_of(result.get("detailedContent"))
    if not data.get("success", True):
        text = json_text(as_object(data.get("error")).get("message")) or text
    draft.observe(text, ended=time)
    turns = reading.conversation.main.turns
    if isinstance(model, str) and turns and draft in turns[-1].calls:
        turns[-1].model = model


def _parent(data: dict[str, JsonValue], begun: dict[str, JsonValue]) -> JsonValue:
    return data.get("parentToolCallId") or begun.get("parentToolCallId")


def _usage(models: dict[str, JsonValue]) -> Usage:
    """The sum over all models. ``requests.cost`` counts premium requests: it is no money."""
    used = [as_object(as_object(one).get("usage")) for one in models.values()]
    keys = "inputTokens", "outputTokens", "cacheReadTokens", "reasoningTokens"
    return turn_usage(None, *(total(one.get(key) for one in used) for key in keys))


def _outcome(reading: _Reading) -> Outcome:
    shutdown = json_text(reading.end.get("shutdownType"))
    if reading.aborted:
        return Outcome(detail="aborted")
    words = reading.conversation.last_words()
    failed = shutdown not in ("", "routine")
    if failed or (reading.failure and not words):
        ending, detail = ending_of_status(reading.failure or shutdown)
        return Outcome("", Ending.EXCEPTION if ending is Ending.SUBMITTED else ending, detail)
    return Outcome(words, detail=shutdown)
