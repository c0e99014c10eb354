"""SUPER's ``history.json``: a query and a list of thoughts, actions and observations."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import MISSING, JsonValue, Missing, Step, StepKind, Trajectory
from leaderboard.formats.amounts import amount, count, seconds_between
from leaderboard.formats.documents import Notes, json_text, kind_of_json, note_non_finite
from leaderboard.formats.super_steps import ending_of, is_pre_executed, kind_of

NAME: Final = "SUPER history.json"


def detect(document: JsonValue) -> bool:
    """Whether the document has SUPER's query and history."""
    return isinstance(document, dict) and "query" in document and "history" in document


def read(document: JsonValue, *, name: str) -> Trajectory:
    """The trajectory in a parsed ``history.json``.

    Raises:
        InputError: there is no list of steps, no step, or a step is not an object.
    """
    history = document["history"]
    if not isinstance(history, list):
        reason = f"the history is {kind_of_json(history)}, not a list of steps"
        raise InputError(Problem(name, "$.history", reason, "export the run again"))
    if not history:
        reason = "the history has no steps"
        raise InputError(Problem(name, "$.history", reason, "leave out attempts that never began"))
    notes = Notes(name)
    steps = tuple(_step(item, number, name=name, notes=notes) for number, item in enumerate(history, start=1))
    answer = _answer(history[-1], steps[-1], notes=notes)
    ending, detail = ending_of(steps[-1])
    return Trajectory(
        steps=steps,
        format=NAME,
        query=_text(document["query"], "$.query", notes),
        answer=answer,
        ending=ending,
        ending_detail=detail,
        cost=amount(document.get("total_cost"), place="$.total_cost", notes=notes),
        prompt_tokens=_count(document, "total_context_tokens_count", notes),
        response_tokens=_count(document, "total_response_tokens_count", notes),
        warnings=notes.all(),
    )


def _step(item: JsonValue, number: int, *, name: str, notes: Notes) -> Step:
    place = f"$.history[{number - 1}]"
    if not isinstance(item, dict):
        reason = f"step {number:,} is {kind_of_json(item)}, not an object"
        raise InputError(Problem(name, place, reason, "export the run again"))
    action_type, action = _action(item.get("action"), number, place=f"{place}.action", notes=notes)
    thought = _text(item.get("thought"), f"{place}.thought", notes)
    observation = item.get("observation")
    if observation is None:
        notes.add(f"{place}.observation", f"step {number:,} has no observation")
    else:
        observation = _text(observation, f"{place}.observation", notes)
    started, duration = _times(item, number, place=place, notes=notes)
    return Step(
        number=number,
        kind=kind_of(action_type, thought),
        action_type=action_type,
        action=action,
        thought=thought,
        observation=observation,
        duration=duration,
        started=started,
        pre_executed=is_pre_executed(thought),
    )


def _action(action: JsonValue, number: int, *, place: str, notes: Notes) -> tuple[str, str]:
    """The action's type and content; any other value becomes the content of an action without type."""
    if not isinstance(action, dict):
        if action is None:
            notes.add(place, f"step {number:,} has no action")
        else:
            found = kind_of_json(action)
            notes.add(place, f"the action of step {number:,} is {found}, not an object")
        return "", json_text(action)
    if "type" not in action:
        notes.add(place, f"the action of step {number:,} has no type")
    kind = action.get("type", "")
    if kind is not None and not isinstance(kind, str):
        reason = f"the action's type is {kind_of_json(kind)}, not a string"
        notes.add(f"{place}.type", reason)
    # The published notebooks write a null type as None: both files of a run must read the same.
    return "None" if kind is None else json_text(kind), json_text(action.get("content"))


def _answer(item: dict[str, JsonValue], step: Step, *, notes: Notes) -> JsonValue | Missing:
    """The submission; its content is already parsed, so a string stays a string."""
    if step.kind is not StepKind.SUBMIT:
        return MISSING
    place = f"$.history[{step.number - 1}].action.content"
    if "content" not in item["action"]:
        notes.add(place, "the submission has no content")
        return MISSING
    answer = item["action"]["content"]
    note_non_finite(answer, place=place, notes=notes)
    return answer


def _text(value: JsonValue, place: str, notes: Notes) -> str:
    if value is not None and not isinstance(value, str):
        reason = f"{kind_of_json(value)} where text was expected; kept as JSON text"
        notes.add(place, reason)
    return json_text(value)


def _times(item: dict[str, JsonValue], number: int, *, place: str, notes: Notes) -> tuple[str, float | None]:
    """The start as in the file, and the duration in seconds if both times are known."""
    start, end = item.get("execution_start_time"), item.get("execution_end_time")
    started = start if isinstance(start, str) else ""
    if start is None and end is None:
        return started, None
    duration = seconds_between(start, end) if isinstance(start, str) and isinstance(end, str) else None
    if duration is None:
        reason = f"the times of step {number:,} give no duration"
        notes.add(f"{place}.execution_start_time", reason)
    return started, duration


def _count(document: dict[str, JsonValue], key: str, notes: Notes) -> int | None:
    return count(document.get(key), place=f"$.{key}", notes=notes)
