"""AstaBench's results on SUPER: ``{exec_result, history, submitted}``."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, Missing, Step, StepKind, Trajectory
from leaderboard.formats.amounts import seconds_between, time_text
from leaderboard.formats.documents import Notes, json_text, kind_of_json, note_non_finite
from leaderboard.formats.super_steps import ending_of, history_items, is_pre_executed, kind_of
from leaderboard.formats.tool_calls import answer_in

NAME: Final = "AstaBench"


def detect(document: JsonValue) -> bool:
    return isinstance(document, dict) and "history" in document and "submitted" in document


def read(document: JsonValue, *, name: str) -> Trajectory:
    notes = Notes(name)
    steps = steps_of(document["history"], place="$.history", name=name, notes=notes)
    answer: JsonValue | Missing = MISSING
    if document["submitted"] or steps[-1].kind is StepKind.SUBMIT:
        answer = answer_in(document.get("exec_result"))
        if answer is MISSING and steps[-1].kind is StepKind.SUBMIT:
            answer = answer_in(steps[-1].action)
        note_non_finite(answer, place="$.exec_result", notes=notes)
    ending, detail = ending_of(steps[-1])
    if ending is Ending.UNKNOWN and document["submitted"]:
        ending, detail = Ending.SUBMITTED, "submitted"
    query = document.get("query")
    return Trajectory(
        steps=steps,
        format=NAME,
        query=query if isinstance(query, str) else "",
        answer=answer,
        ending=ending,
        ending_detail=detail,
        warnings=notes.all(),
    )


def steps_of(items: JsonValue, *, place: str, name: str, notes: Notes) -> tuple[Step, ...]:
    """The steps in a history; Inspect's logs contain the same list."""
    found = history_items(items, name=name, place=place)
    return tuple(_step(item, n, place=where, notes=notes) for n, (where, item) in enumerate(found, start=1))


def _step(item: dict[str, JsonValue], number: int, *, place: str, notes: Notes) -> Step:
    action = item.get("action")
    if not isinstance(action, dict):
        reason = f"the action of step {number:,} is {kind_of_json(action)}, not an object"
        notes.add(f"{place}.action", reason)
        action = {"type": "", "content": action}
    kind, thought = action.get("type"), json_text(item.get("thought"))
    action_type = "None" if kind is None else json_text(kind)
    start, end = item.get("execution_start_time"), item.get("execution_end_time")
    observation = item.get("observation")
    return Step(
        number=number,
        kind=kind_of(action_type, thought),
        action_type=action_type,
        action=json_text(action.get("content")),
        thought=thought,
        # AstaBench writes null for a step without output.
        observation=None if observation is None else json_text(observation),
        duration=seconds_between(start, end),
        started=time_text(start),
        pre_executed=is_pre_executed(thought),
    )
