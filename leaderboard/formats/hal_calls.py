"""The calls of a model that Weave recorded: HAL's older uploads have all of a run's in one list."""

from __future__ import annotations

from leaderboard.domain.errors import Problem
from leaderboard.domain.text import plural
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.amounts import Usage
from leaderboard.formats.conversations import AGENT, Conversation, Turn, answer_message
from leaderboard.formats.shapes import as_object, as_objects, name_in
from leaderboard.formats.token_usage import add_usage, usage_of


def tasks_of(calls: list[JsonValue]) -> list[str]:
    """The tasks that the calls are of, in the order of their first calls."""
    found = (_task(call) for call in sorted(as_objects(calls), key=_started))
    return list(dict.fromkeys(task for task in found if isinstance(task, str)))


def calls_of(task: str, calls: list[JsonValue]) -> list[dict[str, JsonValue]]:
    """The calls of a task in the order of their start."""
    return sorted((call for call in as_objects(calls) if _task(call) == task), key=_started)


def conversation_of_calls(calls: list[dict[str, JsonValue]], *, name: str) -> Conversation:
    """The conversation of a task's calls: the one with most messages, and its output after them.

    A call was asked with the messages before its answer, so their number tells which message it answered
    with. Answers that are not in the longest conversation are lost, and noted.
    """
    longest = max(reversed(calls), key=lambda call: len(_asked(call)))
    output = answer_message(longest.get("output"))
    messages = [*_asked(longest), *([output] if output else [])]
    turns: dict[int, Turn] = {}
    for call in calls:
        index = len(_asked(call))
        if index < len(messages) and as_object(messages[index]).get("role") == AGENT:
            turns[index] = Turn(_usage(call), call.get("started_at"))
    lost = sum(answer_message(call.get("output")) is not None for call in calls) - len(turns)
    inputs = as_object(longest.get("inputs"))
    return Conversation(
        messages,
        place="$.inputs.messages",
        model=name_in(inputs.get("model")),
        usage=add_usage(_usage(call) for call in calls),
        turns=turns,
        warnings=lost_calls(lost, name=name, place="$.inputs.messages"),
    )


def lost_calls(count: int, *, name: str, place: str) -> tuple[Problem, ...]:
    """A warning where ``count`` answers of the model are in no conversation that is read."""
    if count <= 0:
        return ()
    reason = plural(
        count,
        "{n} answer of the model is not in the longest conversation, so its steps are missing",
        "{n} answers of the model are not in the longest conversation, so their steps are missing",
    )
    return (Problem(name, place, f"{reason}: the agent shortened its history, or had several"),)


def _asked(call: dict[str, JsonValue]) -> list[JsonValue]:
    messages = as_object(call.get("inputs")).get("messages")
    return messages if isinstance(messages, list) else []


def _task(call: dict[str, JsonValue]) -> JsonValue:
    return call.get("weave_task_id") or as_object(call.get("attributes")).get("weave_task_id")


def _started(call: dict[str, JsonValue]) -> str:
    started = call.get("started_at")
    return started if isinstance(started, str) else ""


def _usage(call: dict[str, JsonValue]) -> Usage:
    """The usage that the API told, else the sum by model that Weave wrote."""
    told = as_object(call.get("output")).get("usage")
    if isinstance(told, dict):
        return usage_of(told)
    by_model = as_object(as_object(call.get("summary")).get("usage"))
    return add_usage(usage_of(each) for each in by_model.values())
