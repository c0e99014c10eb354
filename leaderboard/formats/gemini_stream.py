"""Gemini CLI's ``--output-format stream-json``: messages in pieces, calls, and a result at the end."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.trajectory import Ending, JsonValue, Trajectory
from leaderboard.formats import event_log
from leaderboard.formats.amounts import amount, turn_usage
from leaderboard.formats.content import text_of
from leaderboard.formats.documents import json_text
from leaderboard.formats.endings import ending_of_status
from leaderboard.formats.event_log import Session
from leaderboard.formats.opening import Lines
from leaderboard.formats.samples import Picked, Sample
from leaderboard.formats.shapes import as_object
from leaderboard.formats.step_list import Draft
from leaderboard.formats.tool_calls import call_of
from leaderboard.formats.turns import Conversation, Outcome, Turn, trajectory_of

NAME: Final = "Gemini CLI stream-json"
PRIORITY: Final = 15
"""No other tool writes such lines."""

_SIGNS: Final = {"init": "session_id", "message": "role", "tool_use": "tool_id", "tool_result": "tool_id"}


def detect(content: object) -> bool:
    if isinstance(content, Session):
        return content.tool == NAME
    return isinstance(content, Lines) and any(_is_line(line) for line in content.head)


def _is_line(line: JsonValue) -> bool:
    kind = line.get("type") if isinstance(line, dict) else None
    return (
        isinstance(kind, str)
        and kind in _SIGNS
        and isinstance(line.get(_SIGNS[kind]), str)
        and isinstance(line.get("timestamp"), str)
        and "sessionId" not in line
    )


def samples(content: Lines, *, name: str) -> tuple[Sample, ...]:
    return event_log.samples_of(content.once(lambda: _sessions(content, name=name)))


def pick(content: Lines, index: int, sample: Sample, *, name: str) -> Picked:
    return Picked(content.once(lambda: _sessions(content, name=name))[index], sample.key)


def _sessions(content: Lines, *, name: str) -> list[Session]:
    def session_of(line: dict[str, JsonValue]) -> JsonValue:
        return line.get("session_id") if line.get("type") == "init" else None

    return event_log.split(content, session_of, tool=NAME, name=name)


def read(session: Session, *, name: str) -> Trajectory:
    notes = session.notes(name)
    conversation = Conversation()
    model, failure, stats, status, place = "", "", {}, "", "$"
    turn: Turn | None = None
    for event in session.events:
        kind, fields = event.fields.get("type"), event.fields
        if kind == "init":
            model = json_text(fields.get("model"))
        elif kind == "message" and fields.get("role") == "user":
            conversation.main.tell(text_of(fields.get("content")))
            turn = None
        elif kind in ("message", "tool_use"):
            if turn is None or (kind == "message" and turn.calls):
                turn = conversation.main.turn(None, fields.get("timestamp"))
            _add(fields, turn, conversation)
        elif kind == "tool_result":
            _observe(fields, conversation)
            turn = None
        elif kind == "error":
            failure = json_text(fields.get("message")) or failure
        elif kind == "result":
            stats, status, place = (
                as_object(fields.get("stats")),
                json_text(fields.get("status")),
                f"line {event.line}, $.stats",
            )
            failure = json_text(as_object(fields.get("error")).get("message")) or failure
    elapsed = amount(stats.get("duration_ms"), place=f"{place}.duration_ms", notes=notes)
    keys = "input_tokens", "output_tokens", "cached"
    return trajectory_of(
        conversation,
        _outcome(status, failure, conversation),
        format=NAME,
        agent="Gemini CLI",
        name=name,
        notes=notes,
        model=model,
        usage=turn_usage(None, *(stats.get(key) for key in keys)),
        elapsed=None if elapsed is None else elapsed / 1000,
    )


def _add(fields: dict[str, JsonValue], turn: Turn, conversation: Conversation) -> None:
    if fields.get("type") == "tool_use":
        call = call_of(json_text(fields.get("tool_name")), fields.get("parameters") or {})
        conversation.call(turn, Draft(call, started=fields.get("timestamp")), fields.get("tool_id"))
        return
    text = text_of(fields.get("content"))
    if fields.get("delta") and turn.texts:
        turn.texts[-1] += text
    else:
        turn.texts.append(text)


def _observe(fields: dict[str, JsonValue], conversation: Conversation) -> None:
    draft = conversation.find(fields.get("tool_id"))
    if draft is not None:
        text = text_of(fields.get("output")) or json_text(as_object(fields.get("error")).get("message"))
        draft.observe(text, ended=fields.get("timestamp"))


def _outcome(status: str, failure: str, conversation: Conversation) -> Outcome:
    if status == "success":
        return Outcome(conversation.last_words(), Ending.SUBMITTED, status)
    if not status and not failure:
        return Outcome()
    ending, detail = ending_of_status(failure or status)
    return Outcome("", Ending.EXCEPTION if ending is Ending.SUBMITTED else ending, detail)
