"""OpenHands: a list of V0 or V1 events, an object that contains it, or a line of ``output.jsonl``."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, StepKind, Trajectory
from leaderboard.formats import openhands_v0, openhands_v1
from leaderboard.formats.amounts import Usage, amount, count
from leaderboard.formats.documents import Notes, note_non_finite
from leaderboard.formats.endings import ending_of_status
from leaderboard.formats.openhands_v0 import EventSummary
from leaderboard.formats.shapes import as_object, expect
from leaderboard.formats.step_list import StepList

NAME: Final = "OpenHands"
PRIORITY: Final = -10
"""One key, which SWE-agent's files have as well, is enough for it."""


def detect(document: JsonValue) -> bool:
    """Whether the document is a list of events, an object with such a list, or a line of output.jsonl."""
    if isinstance(document, dict):
        return "trajectory" in document or ("instance_id" in document and "history" in document)
    events = _flatten(document)[:3] if isinstance(document, list) else []
    return bool(events) and all(_is_event(event) for event in events)


def read(document: JsonValue, *, name: str) -> Trajectory:
    line, place, events = as_object(document), "$", document
    if line:
        key = "trajectory" if "trajectory" in line else "history"
        place, events = f"$.{key}", line[key]
    flat = _flatten(expect(list, events, "the events are {}, not a list", name=name, place=place))
    for number, event in enumerate(flat, start=1):
        expect(dict, event, f"event {number:,} is {{}}, not an object", name=name, place=place)
    notes = Notes(name)
    steps = StepList()
    newer = any("kind" in event for event in flat)
    summary = (openhands_v1 if newer else openhands_v0).walk(flat, steps)
    built = steps.build(name=name, place=place)
    answer = steps.answer()
    note_non_finite(answer, place=place, notes=notes)
    ending, detail = _unfinished_ending(line, summary)
    if built[-1].kind is StepKind.SUBMIT:
        ending, detail = Ending.UNKNOWN if answer is MISSING else Ending.SUBMITTED, "finish"
    asked = line.get("instruction")
    return Trajectory(
        steps=built,
        format=f"{NAME} V1" if newer else f"{NAME} V0",
        query=steps.query or (asked if isinstance(asked, str) else ""),
        prompt=steps.prompt,
        answer=answer,
        ending=ending,
        ending_detail=detail,
        **_usage(line, summary, notes=notes)._asdict(),
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
        if detail:
            # "finished" without a finish action: the agent stopped without a submission.
            return Ending.UNKNOWN if ending is Ending.SUBMITTED else ending, detail
    return Ending.UNKNOWN, ""


def _usage(line: dict[str, JsonValue], summary: EventSummary, *, notes: Notes) -> Usage:
    """From the line, else from the last event that has it."""
    metrics, place = line.get("metrics"), "$.metrics"
    if not isinstance(metrics, dict):
        metrics, place = summary.metrics, "$"
    cost = amount(metrics.get("accumulated_cost"), place=f"{place}.accumulated_cost", notes=notes)
    usage, place = as_object(metrics.get("accumulated_token_usage")), f"{place}.accumulated_token_usage"
    return Usage(
        cost,
        count(usage.get("prompt_tokens"), place=f"{place}.prompt_tokens", notes=notes),
        count(usage.get("completion_tokens"), place=f"{place}.completion_tokens", notes=notes),
    )
