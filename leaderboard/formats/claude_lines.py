"""Which lines of a Claude Code session are the agent's own, which are a sub-agent's, and who started it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.claude_messages import STARTERS, results_in
from leaderboard.formats.content import text_of
from leaderboard.formats.event_log import Event
from leaderboard.formats.shapes import as_object, as_objects

_MESSAGES: Final = ("user", "assistant")


class Sidechain(NamedTuple):
    """A sub-agent's lines; ``agent_id`` is empty in old sessions, ``parent`` the uuid of the line before."""

    agent_id: str
    parent: JsonValue
    events: list[Event]

    @property
    def prompt(self) -> str:
        """What the sub-agent was asked."""
        return text_of(as_object(self.events[0].fields.get("message")).get("content"))


def own_lines(events: Sequence[Event]) -> tuple[list[Event], int]:
    """The messages of the session's own agent in its last branch, and how many answers are not in it."""
    return _branch(events, [not event.fields.get("isSidechain") for event in events])


def sidechains(events: Sequence[Event]) -> list[Sidechain]:
    """The sub-agents' lines, each one's last branch."""
    groups: dict[str, list[Event]] = {}
    chain_of: dict[str, str] = {}
    for event in events:
        fields = event.fields
        if not fields.get("isSidechain"):
            continue
        key, parent, own = fields.get("agentId"), fields.get("parentUuid"), fields.get("uuid")
        if not isinstance(key, str):
            known = chain_of.get(parent) if isinstance(parent, str) else None
            key = known or f"\0{len(groups)}"
        if isinstance(own, str):
            chain_of.setdefault(own, key)
        groups.setdefault(key, []).append(event)
    found = []
    for key, lines in groups.items():
        kept, _left = _branch(lines, [True] * len(lines))
        if kept:
            agent_id = "" if key.startswith("\0") else key
            found.append(Sidechain(agent_id, lines[0].fields.get("parentUuid"), kept))
    return found


def starters(events: Sequence[Event], chains: Sequence[Sidechain]) -> list[str]:
    """For each chain the id of the call that started it; empty if none is known."""
    if not chains:
        return []
    messages = [*events, *(event for chain in chains for event in chain.events)]
    by_agent: dict[str, str] = {}
    calls: dict[str, str] = {}
    by_line: dict[str, str] = {}
    for event in messages:
        agent = as_object(event.fields.get("toolUseResult")).get("agentId")
        if isinstance(agent, str) and (results := results_in(event.fields)):
            by_agent.setdefault(agent, results[0])
        own = event.fields.get("uuid")
        for call, prompt in _starts_in(event.fields):
            calls.setdefault(call, prompt)
            if isinstance(own, str):
                by_line.setdefault(own, call)
    free = dict.fromkeys(call for call in calls if call not in by_agent.values())
    found = []
    for chain in chains:
        call = by_agent.get(chain.agent_id, "")
        if not call:
            asked = (each for each in free if calls[each] == chain.prompt)
            before = by_line.get(chain.parent) if isinstance(chain.parent, str) else None
            call = before if before in free else next(asked, next(iter(free), ""))
        free.pop(call, None)
        found.append(call)
    return found


def _starts_in(fields: dict[str, JsonValue]) -> Iterator[tuple[str, str]]:
    """Id and prompt of each call in a line that starts a sub-agent."""
    if fields.get("type") == "assistant":
        for block in as_objects(as_object(fields.get("message")).get("content")):
            starts = block.get("type") == "tool_use" and block.get("name") in STARTERS
            if starts and isinstance(block.get("id"), str):
                yield block["id"], text_of(as_object(block.get("input")).get("prompt"))


def _branch(events: Sequence[Event], wanted: Sequence[bool]) -> tuple[list[Event], int]:
    """The wanted messages from the last of them back to the first, and how many answers are not among them.

    Results of parallel calls are siblings, and so are the blocks of one answer: these belong to the branch.
    """
    at: dict[str, int] = {}
    before: list[int | None] = []
    last: int | None = None
    seen: set[int] = set()
    for index, event in enumerate(events):
        before.append(last)
        own = event.fields.get("uuid")
        if isinstance(own, str) and at.setdefault(own, index) != index:
            if wanted[index]:
                seen.add(index)  # repeated by a session that was resumed
        elif wanted[index] and event.fields.get("type") in _MESSAGES:
            last = index
    chain: set[int] = set()
    while last is not None and last not in chain:
        chain.add(last)
        last = _parent(events[last].fields, at, before[last])
    messages = [
        index
        for index, event in enumerate(events)
        if wanted[index] and index not in seen and event.fields.get("type") in _MESSAGES
    ]
    if chain.issuperset(messages):
        return [events[index] for index in messages], 0
    answers = {_message_id(events[index]) for index in messages if index in chain} - {None}
    kept = [index for index in messages if index in chain or _message_id(events[index]) in answers]
    calls = {call for index in kept for call in _calls_in(events[index].fields)}
    whole = set(kept)
    whole |= {index for index in messages if not calls.isdisjoint(results_in(events[index].fields))}
    left = {_message_id(events[index]) for index in messages if index not in whole} - {None}
    return [events[index] for index in messages if index in whole], len(left)


def _parent(fields: dict[str, JsonValue], at: dict[str, int], before: int | None) -> int | None:
    """The line that a line goes on; the message before it if the file lacks the one that it names."""
    parent = fields.get("parentUuid") or fields.get("logicalParentUuid")
    if isinstance(parent, str):
        return at.get(parent, before)
    compacted = fields.get("isCompactSummary") or fields.get("subtype") == "compact_boundary"
    return before if compacted or "uuid" not in fields else None


def _message_id(event: Event) -> str | None:
    found = as_object(event.fields.get("message")).get("id")
    return found if isinstance(found, str) else None


def _calls_in(fields: dict[str, JsonValue]) -> Iterator[str]:
    for block in as_objects(as_object(fields.get("message")).get("content")):
        if isinstance(block.get("id"), str):
            yield block["id"]
