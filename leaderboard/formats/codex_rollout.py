"""Codex CLI's rollouts (``~/.codex/sessions``): lines with ``timestamp``, ``type``, ``payload``.

Steps are the response items; the events repeat them for the screen, and have the tokens and how it ended.
Until September 2025 the items were the lines themselves, after one with ``id`` and ``instructions``.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Final

from leaderboard.domain.errors import Problem, UnknownFormatError
from leaderboard.domain.trajectory import Ending, JsonValue, Trajectory
from leaderboard.formats import event_log
from leaderboard.formats.amounts import NO_USAGE, Usage, turn_usage
from leaderboard.formats.codex_calls import add_call, add_output
from leaderboard.formats.content import media_of, text_of
from leaderboard.formats.documents import json_text
from leaderboard.formats.endings import ending_of_status
from leaderboard.formats.event_log import Session
from leaderboard.formats.opening import Lines
from leaderboard.formats.samples import Picked, Sample
from leaderboard.formats.shapes import as_object, as_objects
from leaderboard.formats.turns import Conversation, Outcome, Turn, trajectory_of

NAME: Final = "Codex CLI rollout"
PRIORITY: Final = 15
"""No other tool writes such lines."""

_TYPES: Final = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_ITEMS: Final = ("message", "reasoning", "function_call", "local_shell_call", "function_call_output")
# What Codex puts into messages of the user.
_WRAPPED: Final = ("<environment_context>", "<user_instructions>", "<user_action>", "<turn_aborted>")
_SETTINGS: Final = ("# AGENTS.md instructions",)


def detect(content: object) -> bool:
    if isinstance(content, Session):
        return content.tool == NAME
    return isinstance(content, Lines) and _is_rollout(content.head)


def _is_rollout(head: list[JsonValue]) -> bool:
    lines = [line for line in head if isinstance(line, dict)]
    if any(line.get("type") in _TYPES and isinstance(line.get("payload"), dict) for line in lines):
        return True
    # Old: the items themselves, after a line about the session.
    first, *rest = lines or [{}]
    is_meta = "id" in first and "timestamp" in first and "instructions" in first
    return is_meta and all(line.get("type") in _ITEMS or "record_type" in line for line in rest)


def samples(content: Lines, *, name: str) -> tuple[Sample, ...]:
    return event_log.samples_of(content.once(lambda: _sessions(content, name=name)))


def pick(content: Lines, index: int, sample: Sample, *, name: str) -> Picked:
    return Picked(content.once(lambda: _sessions(content, name=name))[index], sample.key)


def _sessions(content: Lines, *, name: str) -> list[Session]:
    forked: set[str] = set()

    def session_of(line: dict[str, JsonValue]) -> JsonValue:
        if line.get("type") != "session_meta":
            return None
        meta = as_object(line.get("payload"))
        if isinstance(origin := meta.get("forked_from_id"), str):
            forked.add(origin)
        key = meta.get("id")
        # A fork repeats the session that it is from, with that one's first line.
        return key if isinstance(key, str) and key not in forked else None

    sessions = event_log.split(content, session_of, tool=NAME, name=name)
    own = [session for session in sessions if not _is_of_sub_agent(session)]
    if not own:
        raise UnknownFormatError(_of_sub_agent(name))
    return own


def _is_of_sub_agent(session: Session) -> bool:
    metas = (
        event.fields.get("payload") for event in session.events if event.fields.get("type") == "session_meta"
    )
    return "subagent" in as_object(as_object(next(metas, None)).get("source"))


class _Reading:
    """What was read of a rollout so far."""

    def __init__(self) -> None:
        self.conversation = Conversation()
        self.turn: Turn | None = None
        self.meta: dict[str, JsonValue] = {}
        self.model = self.failure = self.aborted = ""
        self.counted: JsonValue = None
        self.done = False

    def now(self, started: JsonValue) -> Turn:
        """The model's turn that goes on, or a new one."""
        if self.turn is None:
            self.turn = self.conversation.main.turn(None, started)
            self.turn.model = self.model
        return self.turn


def read(session: Session, *, name: str) -> Trajectory:
    notes = session.notes(name)
    reading = _Reading()
    for event in session.events:
        kind, payload = event.fields.get("type"), event.fields.get("payload")
        if not isinstance(payload, dict):
            if kind in _ITEMS or isinstance(kind, str):
                _add_item(event.fields, reading, event.fields.get("timestamp"))
            elif "instructions" in event.fields:
                reading.meta = reading.meta or event.fields
        elif kind == "response_item":
            _add_item(payload, reading, event.fields.get("timestamp"))
        elif kind == "session_meta":
            reading.meta = reading.meta or payload
        elif kind == "turn_context":
            reading.model = json_text(payload.get("model")) or reading.model
        elif kind == "event_msg":
            _note_event(payload, reading)
    version = json_text(reading.meta.get("cli_version"))
    instructions = as_object(reading.meta.get("base_instructions")).get("text")
    return trajectory_of(
        reading.conversation,
        _outcome(reading),
        format=NAME,
        agent=f"Codex CLI {version}".strip(),
        name=name,
        notes=notes,
        model=reading.conversation.model() or reading.model,
        prompt=json_text(instructions or reading.meta.get("instructions")),
        usage=_usage(reading.counted),
    )


def _add_item(item: dict[str, JsonValue], reading: _Reading, started: JsonValue) -> None:
    """A response item: a message, a thought, a call, or what came of one."""
    kind = json_text(item.get("type"))
    if kind.endswith("_call"):
        add_call(item, reading.now(started), reading.conversation, started)
        return
    # What comes after the calls of an answer is of the next one.
    if reading.turn is not None and reading.turn.calls:
        reading.turn = None
    if kind.endswith("_output"):
        add_output(item, reading.conversation, started)
    elif kind == "reasoning":
        said = as_objects(item.get("summary")) or as_objects(item.get("content"))
        if texts := [text for part in said if (text := text_of(part.get("text")))]:
            reading.now(started).reasoning += texts
    elif kind == "message" and item.get("role") == "assistant":
        if reading.turn is not None and reading.turn.texts:
            reading.turn = None
        reading.now(started).texts.append(text_of(item.get("content")))
    elif kind == "message" and item.get("role") == "user":
        text = text_of(item.get("content"))
        if not text.lstrip().startswith((*_WRAPPED, *_SETTINGS)):
            reading.conversation.main.tell(text, media_of(item.get("content")))
            reading.turn = None


def _note_event(event: dict[str, JsonValue], reading: _Reading) -> None:
    kind = event.get("type")
    if kind == "token_count":
        info = as_object(event.get("info"))
        whole = info.get("total_token_usage")
        # The same count may come twice.
        if whole and whole != reading.counted:
            reading.counted = whole
            _give(reading, _usage(info.get("last_token_usage")))
        reading.turn = None
    elif kind == "turn_aborted":
        reading.aborted = json_text(event.get("reason")) or "aborted"
    elif kind in ("error", "stream_error"):
        reading.failure = json_text(event.get("message"))
    elif kind in ("task_started", "user_message"):
        reading.aborted = reading.failure = ""
        reading.done = False
    elif kind == "task_complete":
        reading.done = True


def _give(reading: _Reading, used: Usage) -> None:
    """Put what the model used since the last count on the first turn since then."""
    since = [*takewhile(lambda turn: turn.usage == NO_USAGE, reversed(reading.conversation.main.turns))]
    if since:
        since[-1].usage = used


def _usage(count: JsonValue) -> Usage:
    get = as_object(count).get
    return turn_usage(
        None,
        get("input_tokens"),
        get("output_tokens"),
        get("cached_input_tokens"),
        get("reasoning_output_tokens"),
    )


def _outcome(reading: _Reading) -> Outcome:
    words = reading.conversation.last_words()
    if reading.aborted:
        return Outcome(detail=f"aborted: {reading.aborted}")
    if reading.failure and not (reading.done and words):
        ending, detail = ending_of_status(reading.failure)
        return Outcome("", Ending.EXCEPTION if ending is Ending.SUBMITTED else ending, detail)
    return Outcome(words, detail="task_complete" if reading.done else "")


def _of_sub_agent(name: str) -> Problem:
    reason = "the rollout of a sub-agent of Codex CLI, which is no attempt by itself; not read"
    return Problem(name, "", reason, "give the rollout of the session that started it")
