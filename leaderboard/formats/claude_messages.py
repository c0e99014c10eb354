"""Messages of Claude Code, as its sessions and its stream-json have them: blocks of Anthropic's API.

One answer of the model is several lines with the same message id, a block each; each repeats its usage.
"""

from __future__ import annotations

import re
from typing import Final

from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.amounts import NO_USAGE, Usage, turn_usage
from leaderboard.formats.content import media_of, text_of
from leaderboard.formats.documents import json_text
from leaderboard.formats.shapes import as_object, as_objects
from leaderboard.formats.step_list import Draft
from leaderboard.formats.tool_calls import call_of
from leaderboard.formats.turns import Agent, Conversation

STARTERS: Final = ("Task", "Agent")
"""The tools that start a sub-agent."""

_CALLS: Final = ("tool_use", "server_tool_use", "mcp_tool_use")
_NOT_A_MODEL: Final = "<synthetic>"
# What Claude Code puts into messages of the user.
_WRAPPED: Final = re.compile(
    r"\s*<(command-name|command-message|command-args|local-command-stdout|local-command-stderr"
    r"|system-reminder|bash-input|bash-stdout|bash-stderr|ide_opened_file|task-notification)\b"
)
_AGENT_ID: Final = re.compile(r"\s*agentId: ")
_INTERRUPTED: Final = "[Request interrupted by user"


def add_answer(fields: dict[str, JsonValue], agent: Agent, conversation: Conversation) -> None:
    """A line of an answer of the model."""
    message = as_object(fields.get("message"))
    model = message.get("model")
    if model == _NOT_A_MODEL or fields.get("isApiErrorMessage"):
        return
    turn = agent.turn(message.get("id"), fields.get("timestamp"))
    turn.raw_usage = message.get("usage") or turn.raw_usage
    turn.model = turn.model or (model if isinstance(model, str) else "")
    content = message.get("content")
    for block in content if isinstance(content, list) else [content]:
        if not isinstance(block, dict):
            turn.texts.append(text_of(block))
            continue
        kind = block.get("type")
        if kind in _CALLS:
            call = call_of(json_text(block.get("name")), block.get("input"))
            conversation.call(turn, Draft(call, started=fields.get("timestamp")), block.get("id"))
            named = as_object(block.get("input")).get("subagent_type")
            if isinstance(block.get("id"), str) and isinstance(named, str) and named.strip():
                conversation.names[block["id"]] = named
        elif kind == "thinking":
            turn.reasoning.append(json_text(block.get("thinking")))
        elif isinstance(kind, str) and kind.endswith("_tool_result"):
            _observe(block, fields, conversation)
        elif text := text_of(block) if kind == "text" else "":
            turn.texts.append(text)


def add_input(fields: dict[str, JsonValue], agent: Agent, conversation: Conversation) -> bool:
    """A line of what the agent was told; whether it was interrupted there."""
    content = as_object(fields.get("message")).get("content")
    interrupted = False
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, dict) and block.get("type") == "tool_result":
            _observe(block, fields, conversation)
            continue
        text = text_of(block)
        interrupted = interrupted or text.startswith(_INTERRUPTED)
        if not _WRAPPED.match(text):
            agent.tell(text, media_of(block))
    return interrupted


def results_in(fields: dict[str, JsonValue]) -> list[str]:
    """The ids of the calls that a line has results of."""
    blocks = as_objects(as_object(fields.get("message")).get("content"))
    found = (block.get("tool_use_id") for block in blocks if block.get("type") == "tool_result")
    return [each for each in found if isinstance(each, str)]


def _observe(block: dict[str, JsonValue], fields: dict[str, JsonValue], conversation: Conversation) -> None:
    draft = conversation.find(block.get("tool_use_id"))
    if draft is None:
        return
    content = block.get("content")
    if draft.call.action_type in STARTERS and isinstance(content, list):
        # The tool's own note beside the sub-agent's words.
        content = [part for part in content if not _AGENT_ID.match(text_of(part))]
    draft.observe(text_of(content), media=media_of(content), ended=fields.get("timestamp"))


def note_usage(conversation: Conversation) -> None:
    """Give each answer its usage: each of its lines has what was used up to it, so the last one's counts."""
    for agent in conversation.agents:
        for turn in agent.turns:
            turn.usage = usage_of(turn.raw_usage)


def usage_of(usage: JsonValue, cost: JsonValue = None) -> Usage:
    """Anthropic's usage: what came from the cache, or was written to it, counts into the prompt."""
    fields = as_object(usage)
    if not fields:
        return NO_USAGE._replace(cost=turn_usage(cost, None, None).cost)
    cached = fields.get("cache_read_input_tokens")
    parts = (fields.get("input_tokens"), fields.get("cache_creation_input_tokens"), cached)
    known = [part for part in parts if type(part) is int and part >= 0]
    return turn_usage(cost, sum(known) if known else None, fields.get("output_tokens"), cached)
