"""Claude Code's sessions, as ``~/.claude/projects`` has them, with the files of their sub-agents.

Lines refer to the one before them by ``parentUuid``: what was tried again is a branch, and the last line's is
read. A sub-agent's lines are in the session itself (``isSidechain``), or in a file beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from leaderboard.domain.errors import Problem, UnknownFormatError
from leaderboard.domain.text import plural
from leaderboard.domain.trajectory import JsonValue, Trajectory
from leaderboard.formats import event_log
from leaderboard.formats.archives import Archive
from leaderboard.formats.bundles import Group, only_group
from leaderboard.formats.claude_lines import own_lines, sidechains, starters
from leaderboard.formats.claude_messages import add_answer, add_input, note_usage
from leaderboard.formats.documents import json_text
from leaderboard.formats.event_log import Event, Session
from leaderboard.formats.opening import Lines
from leaderboard.formats.samples import Picked, Sample, with_outer_place
from leaderboard.formats.shapes import as_object
from leaderboard.formats.turns import Agent, Conversation, Outcome, trajectory_of

NAME: Final = "Claude Code session"
PRIORITY: Final = 15
"""No other tool writes such lines."""

_AGENT_FILE: Final = re.compile(r"(?:(.*)/)?agent-[\w-]+\.jsonl", re.DOTALL)
_MESSAGES: Final = ("user", "assistant")
# What a session can begin with before its first message.
_SIGNS: Final = {
    "summary": "leafUuid",
    "queue-operation": "sessionId",
    "file-history-snapshot": "snapshot",
    "progress": "sessionId",
    "system": "sessionId",
}
_OWN_END: Final = (None, "end_turn", "stop_sequence")


def detect(content: object) -> bool:
    if isinstance(content, Session):
        return content.tool == NAME
    if isinstance(content, Archive):
        return only_group(content.names, group) is not None
    return isinstance(content, Lines) and any(_is_line(line) for line in content.head)


def _is_line(line: JsonValue) -> bool:
    if not isinstance(line, dict):
        return False
    kind = line.get("type")
    if kind in _MESSAGES:
        return "sessionId" in line and isinstance(line.get("message"), dict)
    return isinstance(kind, str) and isinstance(line.get(_SIGNS.get(kind, "")), str | dict)


def group(names: Sequence[str]) -> Iterator[Group]:
    """A session and its sub-agents' files: in its folder, or (before 2.1) beside the one session there."""
    agents: dict[str, list[str]] = {}
    for name in names:
        if match := _AGENT_FILE.fullmatch(name):
            agents.setdefault(match[1] or "", []).append(name)
    beside: dict[str, list[str]] = {}
    for name in names:
        if agents and name.endswith(".jsonl") and not _AGENT_FILE.fullmatch(name):
            folder, stem = name.rpartition("/")[0], name.removesuffix(".jsonl")
            if own := agents.get(f"{stem}/subagents"):
                yield Group(folder, (name, *sorted(own)))
            elif folder in agents:
                beside.setdefault(folder, []).append(name)
    for folder, sessions in beside.items():
        if len(sessions) == 1:
            yield Group(folder, (sessions[0], *sorted(agents[folder])))


def samples(content: Lines | Archive, *, name: str) -> tuple[Sample, ...]:
    if isinstance(content, Archive):
        return (Sample(),)
    return event_log.samples_of(content.once(lambda: _sessions(content, name=name)))


def pick(content: Lines | Archive, index: int, sample: Sample, *, name: str) -> Picked:
    if isinstance(content, Archive):
        return Picked(_session_in(content, name=name), "")
    return Picked(content.once(lambda: _sessions(content, name=name))[index], sample.key)


def _sessions(content: Lines, *, name: str) -> list[Session]:
    """The sessions in a file; one that goes on another, resumed, is part of it.

    Raises:
        UnknownFormatError: none has a message of its own agent.
    """
    found = event_log.split(content, lambda line: line.get("sessionId"), tool=NAME, name=name)
    kept: list[Session] = []
    home: dict[str, Session] = {}
    for session in found:
        parents = (event.fields.get("parentUuid") for event in session.events)
        goes_on = next((home[each] for each in parents if isinstance(each, str) and each in home), None)
        if goes_on is None:
            kept.append(session)
        else:
            goes_on.events = sorted([*goes_on.events, *session.events], key=lambda event: event.line)
        for event in session.events:
            if isinstance(own := event.fields.get("uuid"), str):
                home.setdefault(own, goes_on or session)
    whole = [session for session in kept if any(_is_own(event.fields) for event in session.events)]
    if not whole:
        raise UnknownFormatError(_without_its_session(name))
    return whole


def _is_own(line: dict[str, JsonValue]) -> bool:
    return line.get("type") in _MESSAGES and not line.get("isSidechain")


def _session_in(content: Archive, *, name: str) -> Session:
    """The session in a bundle. Lines of its sub-agents' files keep their order, after its own."""
    content.start()
    (files,) = group(content.names)
    whole = Session(NAME)
    for entry in files.names:
        lines = Lines(content.text(entry), name=name)
        events, faults = event_log.events_of(lines, name=name)
        whole.faults += [with_outer_place(fault, entry) for fault in faults]
        whole.events += events
    return whole


def read(session: Session, *, name: str) -> Trajectory:
    notes = session.notes(name)
    main, left = own_lines(session.events)
    if left:
        one = "{n} answer on a branch that the session left is not read"
        more = "{n} answers on branches that the session left are not read"
        notes.add("", plural(left, one, more))
    conversation = Conversation()
    interrupted = _walk(main, conversation.main, conversation)
    _add_sub_agents(session, main, conversation)
    note_usage(conversation)
    last = main[-1].fields if main else {}
    reason = as_object(last.get("message")).get("stop_reason")
    by_itself = last.get("type") == "assistant" and reason in _OWN_END and not interrupted
    version = next((json_text(each.fields.get("version")) for each in main if each.fields.get("version")), "")
    return trajectory_of(
        conversation,
        Outcome(
            conversation.last_words() if by_itself else "",
            detail="interrupted by the user" if interrupted else json_text(reason),
        ),
        format=NAME,
        agent=f"Claude Code {version}".strip(),
        name=name,
        notes=notes,
    )


def _walk(events: Sequence[Event], agent: Agent, conversation: Conversation) -> bool:
    """Fill the turns of an agent; whether the user interrupted the last one."""
    interrupted = False
    for event in events:
        fields = event.fields
        if fields.get("isMeta") or fields.get("isCompactSummary"):
            continue
        if fields.get("type") == "assistant":
            interrupted = False
            add_answer(fields, agent, conversation)
        else:
            interrupted = add_input(fields, agent, conversation) or interrupted
    return interrupted


def _add_sub_agents(session: Session, main: Sequence[Event], conversation: Conversation) -> None:
    chains = sidechains(session.events)
    agents = [Agent(chain.agent_id or "sub-agent") for chain in chains]
    for chain, agent in zip(chains, agents, strict=True):
        _walk(chain.events, agent, conversation)
    for agent, call in zip(agents, starters(main, chains), strict=True):
        agent.name = conversation.names.get(call, agent.name)
        conversation.start(agent, conversation.find(call))


def _without_its_session(name: str) -> Problem:
    reason = "the log of a sub-agent of Claude Code alone, or a session without a message; not read"
    return Problem(name, "", reason, "give the session's file with it, in the same folder")
