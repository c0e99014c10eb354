"""OpenHands: a list of V0 or V1 events, an object that contains it, or a line of ``output.jsonl``."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, Missing, StepKind, Trajectory
from leaderboard.formats import openhands_v0, openhands_v1
from leaderboard.formats.amounts import amount, count
from leaderboard.formats.documents import Notes, kind_of_json, note_non_finite
from leaderboard.formats.endings import ending_of_status
from leaderboard.formats.openhands_v0 import EventSummary
from leaderboard.formats.step_list import StepList

NAME: Final = "OpenHands"


def detect(document: JsonValue) -> bool:
    """Whether the document is a list of events, an object with such a list, or a line of output.jsonl."""
    if isinstance(document, dict):
        return "trajectory" in document or ("instance_id" in document and "history" in document)
    events = _flatten(document)[:3] if isinstance(document, list) else []
    return bool(events) and all(_is_event(event) for event in events)


def read(document: JsonValue, *, name: str) -> Trajectory:
    """The trajectory in a parsed file, or in one line of it.

    Raises:
        InputError: there is no list of events, an event is not an object, or the agent took no step.
    """
    line, place = {}, "$"
    events = document
    if isinstance(document, dict):
        line = document
        key = "trajectory" if "trajectory" in document else "history"
        events, place = document[key], f"$.{key}"
    if not isinstance(events, list):
        reason = f"the events are {kind_of_json(events)}, not a list"
        raise InputError(Problem(name, place, reason, "export the run again"))
    notes = Notes(name)
    flat = _flatten(events)
    for index, event in enumerate(flat):
        if not isinstance(event, dict):
            reason = f"event {index + 1:,} is {kind_of_json(event)}, not an object"
            raise InputError(Problem(name, place, reason, "export the run again"))
    steps = StepList()
    newer = any("kind" in event for event in flat)
    summary = (openhands_v1 if newer else openhands_v0).walk(flat, steps)
    built = steps.build(name=name, place=place)
    answer = steps.answer()
    note_non_finite(None if answer is MISSING else answer, place=place, notes=notes)
    ending, detail = _unfinished_ending(line, summary)
    if built[-1].kind is StepKind.SUBMIT:
        ending, detail = Ending.UNKNOWN if answer is MISSING else Ending.SUBMITTED, "finish"
    cost, sent, received = _cost_and_tokens(line, summary, notes=notes)
    return Trajectory(
        steps=built,
        format=f"{NAME} V1" if newer else f"{NAME} V0",
        query=summary.query or _text(line.get("instruction")),
        prompt=summary.prompt,
        answer=answer,
        ending=ending,
        ending_detail=detail,
        cost=cost,
        prompt_tokens=sent,
        response_tokens=received,
        warnings=notes.all(),
    )


def _flatten(events: list[JsonValue]) -> list[JsonValue]:
    """The events in one list; older files group them in pairs of action and observation."""
    flat: list[JsonValue] = []
    for event in events:
        if isinstance(event, list) and len(event) == 2 and isinstance(event[0], dict):
            # The observation of a pair may be empty.
            flat += [event[0], event[1]] if event[1] else [event[0]]
        else:
            flat.append(event)
    return flat


def _is_event(event: JsonValue) -> bool:
    if not isinstance(event, dict):
        return False
    return "kind" in event or (("action" in event or "observation" in event) and "source" in event)


def _unfinished_ending(line: dict[str, JsonValue], summary: EventSummary) -> tuple[Ending, str]:
    """The ending of a run that the agent did not finish."""
    for words in (line.get("error"), summary.error, summary.state):
        ending, detail = ending_of_status(words)
        if ending is Ending.SUBMITTED:
            # "finished" without a finish action: the agent stopped without a submission.
            return Ending.UNKNOWN, detail
        if detail:
            return ending, detail
    return Ending.UNKNOWN, ""


def _cost_and_tokens(
    line: dict[str, JsonValue], summary: EventSummary, *, notes: Notes
) -> tuple[float | None, int | None, int | None]:
    """Cost and tokens: from the line, else from the last event that has them."""
    metrics, place = line.get("metrics"), "$.metrics"
    if not isinstance(metrics, dict):
        metrics, place = summary.metrics, "$"
    usage = metrics.get("accumulated_token_usage")
    usage = usage if isinstance(usage, dict) else {}
    inner = f"{place}.accumulated_token_usage"
    return (
        amount(metrics.get("accumulated_cost"), place=f"{place}.accumulated_cost", notes=notes),
        count(usage.get("prompt_tokens"), place=f"{inner}.prompt_tokens", notes=notes),
        count(usage.get("completion_tokens"), place=f"{inner}.completion_tokens", notes=notes),
    )


def _text(value: JsonValue | Missing) -> str:
    return value if isinstance(value, str) else ""
