"""``codex exec --json``: the items of a run, each with its states, and the usage of each turn."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.trajectory import Ending, JsonValue, StepKind, Trajectory
from leaderboard.formats import event_log
from leaderboard.formats.amounts import NO_USAGE, Usage, turn_usage
from leaderboard.formats.codex_calls import script_of, with_exit_code
from leaderboard.formats.content import media_of, text_of
from leaderboard.formats.documents import json_text
from leaderboard.formats.endings import ending_of_status
from leaderboard.formats.event_log import Session
from leaderboard.formats.opening import Lines
from leaderboard.formats.samples import Picked, Sample
from leaderboard.formats.shapes import as_object, as_objects
from leaderboard.formats.step_list import Draft
from leaderboard.formats.tool_calls import Call, call_of
from leaderboard.formats.turns import Conversation, Outcome, Turn, trajectory_of

NAME: Final = "Codex CLI exec --json"
PRIORITY: Final = 15
"""No other tool writes such lines."""

_SIGNS: Final = {"thread.started": "thread_id", "item.started": "item", "item.completed": "item"}
# Items that are no steps: a list of plans is only shown to people.
_PASSED_OVER: Final = ("todo_list", "error")


def detect(content: object) -> bool:
    if isinstance(content, Session):
        return content.tool == NAME
    return isinstance(content, Lines) and any(_is_line(line) for line in content.head)


def _is_line(line: JsonValue) -> bool:
    kind = line.get("type") if isinstance(line, dict) else None
    return isinstance(kind, str) and kind in _SIGNS and isinstance(line.get(_SIGNS[kind]), str | dict)


def samples(content: Lines, *, name: str) -> tuple[Sample, ...]:
    return event_log.samples_of(content.once(lambda: _sessions(content, name=name)))


def pick(content: Lines, index: int, sample: Sample, *, name: str) -> Picked:
    return Picked(content.once(lambda: _sessions(content, name=name))[index], sample.key)


def _sessions(content: Lines, *, name: str) -> list[Session]:
    return event_log.split(content, lambda line: line.get("thread_id"), tool=NAME, name=name)


def read(session: Session, *, name: str) -> Trajectory:
    notes = session.notes(name)
    conversation = Conversation()
    items, usage, failure, done = _last_states(session)
    turn: Turn | None = None
    for item in items:
        kind = item.get("type")
        if kind in _PASSED_OVER:
            continue
        speaks = kind in ("reasoning", "agent_message")
        if turn is None or turn.calls or (speaks and turn.texts):
            turn = conversation.main.turn(None)
        if speaks:
            (turn.reasoning if kind == "reasoning" else turn.texts).append(text_of(item.get("text")))
        else:
            _add_call(item, turn, conversation)
    ending, detail = ending_of_status(failure)
    if failure:
        outcome = Outcome("", Ending.EXCEPTION if ending is Ending.SUBMITTED else ending, detail)
    else:
        outcome = Outcome(conversation.last_words() if done else "", detail="turn.completed" if done else "")
    return trajectory_of(
        conversation, outcome, format=NAME, agent="Codex CLI", name=name, notes=notes, usage=usage
    )


def _last_states(session: Session) -> tuple[list[dict[str, JsonValue]], Usage, str, bool]:
    """Each item's last state, the usage of all turns, an error, and whether the last turn is complete."""
    items: dict[str, dict[str, JsonValue]] = {}
    totals = [NO_USAGE]
    failure, done, turn = "", False, 0
    for event in session.events:
        kind, fields = event.fields.get("type"), event.fields
        item = fields.get("item")
        if isinstance(item, dict):
            # Ids start again in each turn of a resumed thread.
            items[f"{turn} {json_text(item.get('id')) or event.line}"] = item
        elif kind == "turn.started":
            failure, done, turn = "", False, turn + 1
        elif kind == "turn.completed":
            totals.append(_usage(as_object(fields.get("usage"))))
            done = True
        elif kind == "turn.failed":
            failure = json_text(as_object(fields.get("error")).get("message")) or "turn.failed"
        elif kind == "error":
            failure = json_text(fields.get("message")) or "error"
    return list(items.values()), _added(totals), failure, done


def _usage(fields: dict[str, JsonValue]) -> Usage:
    keys = "input_tokens", "output_tokens", "cached_input_tokens", "reasoning_output_tokens"
    return turn_usage(None, *(fields.get(key) for key in keys))


def _added(totals: list[Usage]) -> Usage:
    """The sum of the turns' usages, of each amount where any turn has it."""
    known = [[one for one in column if one is not None] for column in zip(*totals, strict=True)]
    return Usage(*(sum(column) if column else None for column in known))


def _add_call(item: dict[str, JsonValue], turn: Turn, conversation: Conversation) -> None:
    kind = item.get("type")
    draft = conversation.call(turn, Draft(_call(item)), item.get("id"))
    status = item.get("status")
    if kind == "command_execution" and status != "in_progress":
        code, output = item.get("exit_code"), text_of(item.get("aggregated_output"))
        output = output or (json_text(status) if status == "declined" else "")
        draft.observe(with_exit_code(output, code if type(code) is int else None))
    elif kind == "file_change" and status == "failed":
        draft.observe("failed")
    elif kind == "mcp_tool_call":
        content = as_object(item.get("result")).get("content")
        text = text_of(content) or json_text(as_object(item.get("error")).get("message"))
        if text or status in ("completed", "failed"):
            draft.observe(text, media=media_of(content))


def _call(item: dict[str, JsonValue]) -> Call:
    kind = json_text(item.get("type"))
    if kind == "command_execution":
        return Call(StepKind.EXECUTE, kind, script_of(json_text(item.get("command"))))
    if kind == "file_change":
        changes = as_objects(item.get("changes"))
        lines = (f"{json_text(each.get('kind'))} {json_text(each.get('path'))}" for each in changes)
        return Call(StepKind.EDIT, kind, "\n".join(lines))
    if kind == "mcp_tool_call":
        return call_of(json_text(item.get("tool")), item.get("arguments") or {})
    if kind == "web_search":
        return Call(StepKind.SEARCH, kind, json_text(item.get("query")))
    rest = {key: value for key, value in item.items() if key not in ("id", "type", "status")}
    return Call(StepKind.OTHER, kind, json_text(rest))
