"""Reads a thought and an action from a model's reply, tolerant of differences from the format."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from typing import Any

from runner.agents.base import SUBMIT, WHILE_RUNNING, Action, Reply

# A heading may be bold, a Markdown title, and in any case: "**Action**:", "### action :".
_HEADING = r"(?im)^[ \t]*(?:#{1,6}[ \t]*)?[*_]{0,3}%s[*_]{0,3}[ \t]*:[ \t]*[*_]{0,3}[ \t]*"
_THOUGHT = re.compile(_HEADING % "thoughts?")
_ACTION = re.compile(_HEADING % "action(?:[ \t]*type)?")
_NEXT_TURN = re.compile(_HEADING % "(?:observation|thoughts?|action)")
_TYPE = re.compile(
    r"[ \t\r\n]*(?:<(?:type|action)>)?[`*\"' \t]*([A-Za-z_]+)[`*\"' \t.]*(?:</(?:type|action)>)?"
)
_THINKING = re.compile(r"(?is)\A\s*<think(?:ing)?>.*?</think(?:ing)?>")
_OPEN = re.compile(r"(?i)<content>[ \t]*\r?\n?")
# First look for a closing tag at the end of a line: one in the middle is more likely part of the content.
_CLOSE_AT_END = re.compile(r"(?im)\r?\n?[ \t]*</content>[ \t]*$")
_CLOSE = re.compile(r"(?i)</content>")
_FENCED = re.compile(r"(?s)\A\s*(`{3,}|~{3,})[^\n`]*\n(.*?)\n?[ \t]*\1\s*\Z")
_FENCE = re.compile(r"(?ms)^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)\n?^[ \t]*\1[ \t]*$")


class Unreadable(ValueError):
    """A reply can't be read. The message is for the agent."""


def no_action(actions: Sequence[str]) -> str:
    """The message for a reply without a known action: lists the actions."""
    listed = f"{', '.join(actions[:-1])} or {actions[-1]}" if len(actions) > 1 else actions[0]
    return f"an action needs a type ({listed}) and a content."


def parse_reply(text: str, actions: Sequence[str], *, cut_off: bool = False) -> Reply:
    """Reads a reply. Only its first action counts: the model wrote the others before it saw any result.

    ``actions`` are the types that the agent knows, beside those for a running cell. With ``cut_off`` the
    reply reached its longest length, so an action without an end is refused.
    """
    said = _THINKING.sub("", text)
    heading = _ACTION.search(said)
    if not heading:
        problem = f"there is no line that starts with Action: ; {no_action(actions)}"
        return Reply(_thought(said), problem=problem, text=text)
    thought, rest = _thought(said[: heading.start()]), said[heading.end() :]
    try:
        return Reply(thought, _action(rest, actions, cut_off=cut_off), text=text)
    except Unreadable as error:
        return Reply(thought, problem=str(error), text=text)


def parse_answer(content: str) -> Any:
    """The value of a submission: JSON, or a Python literal, which models write instead.

    Raises:
        Unreadable: it is neither.
    """
    text = _without_fence(content).strip()
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        # Through JSON, so that a set or bytes are refused and a tuple becomes a list.
        return json.loads(json.dumps(ast.literal_eval(text)))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise Unreadable("the content of submit must be one JSON value, and this is not one.") from None


def _thought(text: str) -> str:
    heading = _THOUGHT.search(text)
    return (text[heading.end() :] if heading else text).strip()


def _action(rest: str, actions: Sequence[str], *, cut_off: bool) -> Action:
    as_json = _json_action(rest)
    if as_json:
        kind, content = as_json
    else:
        found = _TYPE.match(rest)
        kind = found[1].lower() if found else ""
        content = ""
    known = (*actions, *WHILE_RUNNING)
    if kind not in known:
        raise Unreadable(no_action(actions))
    if kind in WHILE_RUNNING:
        return Action(kind, "")
    if not as_json and found:
        content = _content(rest[found.end() :], cut_off=cut_off)
    if not content.strip():
        raise Unreadable(f"the action {kind} has no content; put it between <content> and </content>.")
    return Action(kind, content.strip() if kind == SUBMIT else content)


def _json_action(rest: str) -> tuple[str, str] | None:
    text = rest.lstrip().removeprefix("```json").lstrip()
    if not text.startswith("{"):
        return None
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return None
    kind, content = value.get("type"), value.get("content", "")
    if not isinstance(kind, str):
        return None
    return kind.lower(), content if isinstance(content, str) else json.dumps(content)


def _content(rest: str, *, cut_off: bool) -> str:
    opened = _OPEN.search(rest)
    if opened:
        inner = rest[opened.end() :]
        closed = _CLOSE_AT_END.search(inner) or _CLOSE.search(inner)
        if not closed and cut_off:
            raise Unreadable(
                "it was cut off in the middle of its action, because it got too long; nothing was executed. "
                "Write less at once."
            )
        return _without_fence(inner[: closed.start()] if closed else inner.rstrip())
    following = _NEXT_TURN.search(rest)
    rest = rest[: following.start()] if following else rest
    fenced = _FENCE.search(rest)
    if fenced:
        return fenced[2]
    if cut_off:
        raise Unreadable(
            "it was cut off before its action was complete; nothing was executed. Write less at once."
        )
    return rest.strip()


def _without_fence(content: str) -> str:
    fenced = _FENCED.match(content)
    return fenced[2] if fenced else content
