"""Claude Code's ``-p --output-format stream-json``: its messages, and a result at the end."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.trajectory import Ending, JsonValue, Trajectory
from leaderboard.formats import claude_messages, event_log
from leaderboard.formats.amounts import amount
from leaderboard.formats.claude_messages import usage_of
from leaderboard.formats.documents import Notes, json_text
from leaderboard.formats.endings import ending_of_status
from leaderboard.formats.event_log import Event, Session
from leaderboard.formats.opening import Lines
from leaderboard.formats.samples import Picked, Sample
from leaderboard.formats.turns import Agent, Conversation, Outcome, at_least, trajectory_of

NAME: Final = "Claude Code stream-json"
PRIORITY: Final = 15
"""No other tool writes such lines."""

_ENDINGS: Final = {
    "success": Ending.SUBMITTED,
    "error_max_turns": Ending.STEPS,
    "error_max_budget_usd": Ending.COST,
}


def detect(content: object) -> bool:
    if isinstance(content, Session):
        return content.tool == NAME
    return isinstance(content, Lines) and any(_is_line(line) for line in content.head)


def _is_line(line: JsonValue) -> bool:
    if not isinstance(line, dict) or not isinstance(line.get("session_id"), str):
        return False
    kind = line.get("type")
    if kind == "system":
        return line.get("subtype") == "init" and "model" in line
    return kind in ("assistant", "user") and isinstance(line.get("message"), dict)


def samples(content: Lines, *, name: str) -> tuple[Sample, ...]:
    return event_log.samples_of(content.once(lambda: _sessions(content, name=name)))


def pick(content: Lines, index: int, sample: Sample, *, name: str) -> Picked:
    return Picked(content.once(lambda: _sessions(content, name=name))[index], sample.key)


def _sessions(content: Lines, *, name: str) -> list[Session]:
    return event_log.split(content, lambda line: line.get("session_id"), tool=NAME, name=name)


def read(session: Session, *, name: str) -> Trajectory:
    notes = session.notes(name)
    conversation = Conversation()
    agents: dict[str, Agent] = {}
    init: dict[str, JsonValue] = {}
    result = Event(0, {})
    for event in session.events:
        kind = event.fields.get("type")
        if kind in ("assistant", "user"):
            agent = _agent(event.fields, agents, conversation)
            add = claude_messages.add_answer if kind == "assistant" else claude_messages.add_input
            if agent is conversation.main or kind == "assistant" or claude_messages.results_in(event.fields):
                add(event.fields, agent, conversation)
        elif kind == "system" and event.fields.get("subtype") == "init":
            init = init or event.fields
        elif kind == "result":
            result = event
    claude_messages.note_usage(conversation)
    version = json_text(init.get("claude_code_version"))
    place = f"line {result.line}, $"
    cost = amount(result.fields.get("total_cost_usd"), place=f"{place}.total_cost_usd", notes=notes)
    elapsed = amount(result.fields.get("duration_ms"), place=f"{place}.duration_ms", notes=notes)
    stated = usage_of(result.fields.get("usage"), cost)
    return trajectory_of(
        conversation,
        _outcome(result.fields, conversation, notes),
        format=NAME,
        agent=f"Claude Code {version}".strip(),
        name=name,
        notes=notes,
        model=json_text(init.get("model")) or conversation.model(),
        # The stream may have an answer's tokens as they were when it began: the result has all of them.
        usage=at_least(stated, conversation.usage()),
        elapsed=None if elapsed is None else elapsed / 1000,
    )


def _agent(fields: dict[str, JsonValue], agents: dict[str, Agent], conversation: Conversation) -> Agent:
    """The agent whose line this is: the sub-agent that a call started, or the attempt's own."""
    parent = fields.get("parent_tool_use_id")
    if not isinstance(parent, str) or not parent:
        return conversation.main
    if parent not in agents:
        agent = Agent(conversation.names.get(parent, "sub-agent"))
        agents[parent] = conversation.start(agent, conversation.find(parent))
    return agents[parent]


def _outcome(result: dict[str, JsonValue], conversation: Conversation, notes: Notes) -> Outcome:
    if not result:
        notes.add("", "there is no result line: the run was cut off, or goes on", "")
        return Outcome()
    status, said = json_text(result.get("subtype")), json_text(result.get("result"))
    if result.get("is_error") and status == "success":
        # Such as a refused request: the result is the error's text.
        ending, detail = ending_of_status(said or "error")
        return Outcome("", Ending.EXCEPTION if ending is Ending.SUBMITTED else ending, detail)
    ending = _ENDINGS.get(status) or ending_of_status(status)[0]
    return Outcome(said or conversation.last_words() if ending is Ending.SUBMITTED else "", ending, status)
