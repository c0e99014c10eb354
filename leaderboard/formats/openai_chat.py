"""Chats of OpenAI's API and of the many that took over its form: lists of messages with calls of tools."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.errors import InputError
from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, StepKind, Trajectory
from leaderboard.formats.amounts import turn_usage
from leaderboard.formats.chat_steps import ChatSteps
from leaderboard.formats.content import text_of
from leaderboard.formats.conversations import (
    AGENT,
    Conversation,
    Turn,
    answer_message,
    batch_fault,
    is_conversation,
    no_agent,
)
from leaderboard.formats.documents import Notes, note_non_finite
from leaderboard.formats.endings import MAX_DETAIL
from leaderboard.formats.samples import Sample, sample_of
from leaderboard.formats.shapes import as_object, as_objects, expect_objects, name_in
from leaderboard.formats.token_usage import add_usage, usage_of

NAME: Final = "OpenAI chat"
PRIORITY: Final = -10
"""After the frameworks that keep such messages with more beside them; before answers."""

_UNKNOWN: Final = Turn()
_COSTS: Final = ("cost", "total_cost")
# What an API answered, beside the messages that it was asked with.
_ANSWERS: Final = ("response", "output")


def detect(document: object) -> bool:
    """Whether this is a conversation, or a line of OpenAI's batch files, which `refuse` names."""
    if isinstance(document, Conversation):
        return True
    return is_conversation(document) or batch_fault(document, name="") is not None


def sample(document: JsonValue, *, name: str) -> Sample:
    """The attempt in a file; `InputError` for a batch file, and for a conversation without an agent."""
    _refuse(document, name=name)
    return sample_of(document, name=name)


def _refuse(document: JsonValue | Conversation, *, name: str) -> None:
    if fault := batch_fault(document, name=name):
        raise InputError(fault)
    conversation = _conversation(document)
    if not any(item.get("role") == AGENT for item in as_objects(conversation.messages)):
        raise InputError(no_agent(name, conversation.place))


def read(document: JsonValue | Conversation, *, name: str) -> Trajectory:
    _refuse(document, name=name)
    conversation = _conversation(document)
    notes = Notes(name)
    chat = ChatSteps(notes, prompt=conversation.prompt)
    texts = "the messages are {}, not a list", "the message is {}, not an object"
    found = expect_objects(conversation.messages, *texts, name=name, place=conversation.place)
    for index, (place, message) in enumerate(found):
        own_place = conversation.places[index] if conversation.places else place
        chat.add(message, conversation.turns.get(index, _UNKNOWN), place=own_place)
    built = chat.steps.build(name=name, place=conversation.place)
    submitted = built[-1].kind is StepKind.SUBMIT
    answer = chat.steps.answer() if submitted else chat.final_answer()
    note_non_finite(answer, place=conversation.place, notes=notes)
    usage = conversation.usage
    if usage.prompt_tokens is None and usage.response_tokens is None:
        summed = add_usage(chat.usages)
        usage = summed if usage.cost is None else summed._replace(cost=usage.cost)
    return Trajectory(
        steps=built,
        format=NAME,
        query=chat.query,
        prompt=chat.prompt,
        answer=answer,
        ending=Ending.SUBMITTED if submitted or answer is not MISSING else Ending.UNKNOWN,
        ending_detail=built[-1].action_type[:MAX_DETAIL] if submitted else "",
        **usage._asdict(),
        warnings=(*conversation.warnings, *notes.all()),
        agent=conversation.agent,
        model=conversation.model or chat.model,
        elapsed=conversation.elapsed,
    )


def _conversation(document: JsonValue | Conversation) -> Conversation:
    if isinstance(document, Conversation):
        return document
    if isinstance(document, list):
        return Conversation(document, place="$")
    messages = document["messages"]
    if as_object(messages[-1] if messages else None).get("role") != AGENT:
        said = (answer_message(each) for each in (*(document.get(key) for key in _ANSWERS), document))
        messages = [*messages, *(message for message in said if message)][: len(messages) + 1]
    usage = usage_of(document.get("usage"))
    if usage.cost is None:
        usage = usage._replace(cost=_cost(document))
    return Conversation(
        messages,
        prompt=text_of(document.get("system")),
        model=name_in(document.get("model")) or name_in(as_object(document.get("metadata")).get("model")),
        usage=usage,
    )


def _cost(document: dict[str, JsonValue]) -> float | None:
    found = (turn_usage(document.get(key), None, None).cost for key in _COSTS)
    return next((cost for cost in found if cost is not None), None)
