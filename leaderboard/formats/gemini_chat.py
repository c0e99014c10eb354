"""Gemini CLI's chats: JSON Lines (``chats/session-….jsonl``), and the one object that they were before.

A message that grows is written again with its id; ``$set`` changes the head, ``$rewindTo`` takes back.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from leaderboard.domain.errors import Problem, UnknownFormatError
from leaderboard.domain.media import Media
from leaderboard.domain.trajectory import JsonValue, Trajectory
from leaderboard.formats import event_log
from leaderboard.formats.amounts import NO_USAGE, Usage, turn_usage
from leaderboard.formats.content import media_of, text_of
from leaderboard.formats.documents import Notes, json_text
from leaderboard.formats.event_log import Session
from leaderboard.formats.opening import Lines
from leaderboard.formats.samples import Picked, Sample
from leaderboard.formats.shapes import as_object, as_objects, expect
from leaderboard.formats.step_list import Draft
from leaderboard.formats.tool_calls import call_of
from leaderboard.formats.turns import Conversation, Outcome, Turn, trajectory_of

NAME: Final = "Gemini CLI chat"
PRIORITY: Final = 15
"""No other tool writes such lines."""

_SPEAKERS: Final = ("user", "gemini")


class _Chat(NamedTuple):
    """The head of a chat, and its messages as they are at its end."""

    head: dict[str, JsonValue]
    messages: list[dict[str, JsonValue]]


def detect(content: object) -> bool:
    if isinstance(content, Session):
        return content.tool == NAME
    if isinstance(content, Lines):
        return any(_is_head(line) for line in content.head)
    return _is_head(content) and isinstance(content, dict) and "messages" in content


def _is_head(line: JsonValue) -> bool:
    return isinstance(line, dict) and "sessionId" in line and "projectHash" in line


def samples(content: Lines | dict[str, JsonValue], *, name: str) -> tuple[Sample, ...]:
    return (
        event_log.samples_of(content.once(lambda: _sessions(content, name=name)))
        if isinstance(content, Lines)
        else (Sample(),)
    )


def pick(content: Lines | dict[str, JsonValue], index: int, sample: Sample, *, name: str) -> Picked:
    if isinstance(content, Lines):
        return Picked(content.once(lambda: _sessions(content, name=name))[index], sample.key)
    return Picked(content, "")


def _sessions(content: Lines, *, name: str) -> list[Session]:
    def session_of(line: dict[str, JsonValue]) -> JsonValue:
        return line.get("sessionId") if _is_head(line) else None

    sessions = event_log.split(content, session_of, tool=NAME, name=name)
    own = [
        each for each in sessions if not any(one.fields.get("kind") == "subagent" for one in each.events[:1])
    ]
    if not own:
        raise UnknownFormatError(_of_sub_agent(name))
    return own


def read(document: Session | dict[str, JsonValue], *, name: str) -> Trajectory:
    if isinstance(document, Session):
        notes, chat = document.notes(name), _replayed(document)
    else:
        notes = Notes(name)
        messages = expect(
            list, document["messages"], "the messages are {}, not a list", name=name, place="$.messages"
        )
        chat = _Chat(document, as_objects(messages))
    conversation = Conversation()
    failure = ""
    for message in chat.messages:
        kind = message.get("type")
        if kind == "user":
            conversation.main.tell(_text(message.get("content")), media_of(message.get("content")))
        elif kind == "gemini":
            _add_turn(message, conversation)
        failure = _text(message.get("content")) if kind == "error" else failure if kind == "info" else ""
    words = "" if failure else conversation.last_words()
    return trajectory_of(
        conversation,
        Outcome(words, detail=failure[:200]),
        format=NAME,
        agent="Gemini CLI",
        name=name,
        notes=notes,
    )


def _replayed(session: Session) -> _Chat:
    """The chat as it is after its last line."""
    head: dict[str, JsonValue] = {}
    messages: dict[str, dict[str, JsonValue]] = {}
    for event in session.events:
        fields = event.fields
        if isinstance(changes := fields.get("$set"), dict):
            head = {**head, **changes}
            if isinstance(changes.get("messages"), list):
                messages = {
                    _id(each, number): each for number, each in enumerate(as_objects(changes["messages"]))
                }
        elif "$rewindTo" in fields:
            keys = list(messages)
            place = (
                keys.index(str(fields["$rewindTo"])) if str(fields["$rewindTo"]) in messages else len(keys)
            )
            messages = {key: messages[key] for key in keys[:place]}
        elif _is_head(fields):
            head = {**head, **fields}
        elif fields.get("type") is not None:
            messages[_id(fields, event.line)] = fields
    return _Chat(head, list(messages.values()))


def _id(message: dict[str, JsonValue], number: int) -> str:
    found = message.get("id")
    return found if isinstance(found, str) else f"\0{number}"


def _add_turn(message: dict[str, JsonValue], conversation: Conversation) -> None:
    turn = conversation.main.turn(None, message.get("timestamp"))
    turn.model = json_text(message.get("model"))
    turn.usage = _usage(as_object(message.get("tokens")))
    for thought in as_objects(message.get("thoughts")):
        parts = (text_of(thought.get("subject")), text_of(thought.get("description")))
        turn.reasoning.append(": ".join(part for part in parts if part))
    turn.texts.append(_text(message.get("content")))
    for call in as_objects(message.get("toolCalls")):
        _add_call(call, turn, conversation)


def _add_call(call: dict[str, JsonValue], turn: Turn, conversation: Conversation) -> None:
    draft = Draft(call_of(json_text(call.get("name")), call.get("args") or {}), started=turn.started)
    conversation.call(turn, draft, call.get("id"))
    result, status = call.get("result"), call.get("status")
    parts = as_objects(result if isinstance(result, list) else [result])
    texts = [text for part in parts if (text := _response(part))]
    media = [one for part in parts for one in _media(part)]
    if not texts:
        texts = [text_of(call.get("resultDisplay"))] if isinstance(call.get("resultDisplay"), str) else []
    if texts or media or status in ("success", "error"):
        draft.observe("\n".join(texts), media=media)
    elif status == "cancelled":
        draft.observe("cancelled")


def _response(part: dict[str, JsonValue]) -> str:
    """The text in a part of a result: what the tool gave, or its error."""
    response = as_object(part.get("functionResponse")).get("response")
    if isinstance(response, dict):
        found = response.get("output") or response.get("error") or response.get("content")
        return text_of(found) if found is not None else json_text(response)
    return text_of(part["text"]) if isinstance(part.get("text"), str) else ""


def _media(part: dict[str, JsonValue]) -> list[Media]:
    parts = as_objects(as_object(part.get("functionResponse")).get("parts"))
    if "inlineData" in part:
        parts.append(part)
    images = [as_object(each.get("inlineData")) for each in parts]
    return [
        one
        for image in images
        if isinstance(image.get("data"), str)
        for one in media_of(
            {"type": "image", "source": {"data": image["data"], "media_type": image.get("mimeType")}}
        )
    ]


def _text(content: JsonValue) -> str:
    """The text of a message: a text, a part, or a list of parts."""
    parts = content if isinstance(content, list) else [content]
    texts = (text_of(part["text"] if isinstance(part, dict) and "text" in part else part) for part in parts)
    return "".join(texts)


def _usage(tokens: dict[str, JsonValue]) -> Usage:
    """What the model thought is not in Gemini's ``output``, but it is part of its response."""
    if not tokens:
        return NO_USAGE
    parts = (tokens.get("output"), tokens.get("thoughts"))
    known = [part for part in parts if type(part) is int and part >= 0]
    return turn_usage(
        None, tokens.get("input"), sum(known) if known else None, tokens.get("cached"), tokens.get("thoughts")
    )


def _of_sub_agent(name: str) -> Problem:
    reason = "the chat of a sub-agent of Gemini CLI, which is no attempt by itself; not read"
    return Problem(name, "", reason, "give the chat of the session that started it")
