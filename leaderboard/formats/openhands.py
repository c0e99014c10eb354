"""OpenHands: V0 or V1 events in a list, an object, a line of ``output.jsonl``, or as they are stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, StepKind, Trajectory
from leaderboard.formats import openhands_stored, openhands_v0, openhands_v1
from leaderboard.formats.amounts import Usage, amount, count
from leaderboard.formats.bundles import Group
from leaderboard.formats.documents import Notes, json_text, note_non_finite
from leaderboard.formats.endings import MAX_DETAIL, ending_of_status
from leaderboard.formats.openhands_v0 import EventSummary
from leaderboard.formats.shapes import as_object, as_objects, expect, name_in
from leaderboard.formats.step_list import StepList

NAME: Final = "OpenHands"
PRIORITY: Final = -10
"""One key, which SWE-agent's files have as well, is enough for it."""

# States in which an agent has ended or waits, without a fault.
_QUIET: Final = frozenset({
    *("awaiting_user_input", "awaiting_user_confirmation", "waiting_for_confirmation"),
    *("paused", "stopped", "idle", "init", "loading"),
})  # fmt: skip
_TOKENS: Final = ("prompt_tokens", "completion_tokens", "cache_read_tokens", "reasoning_tokens")


def detect(content: Any) -> bool:
    """Whether it is a list of events, an object or line with one, or a conversation as it is stored."""
    if isinstance(content, dict) and ("trajectory" in content or _is_line(content)):
        return True
    if isinstance(content, list):
        events = _flatten(content)[:3]
        return bool(events) and all(_is_event(event) for event in events)
    return openhands_stored.is_stored(content)


def group(names: Sequence[str]) -> Iterable[Group]:
    return openhands_stored.group(names)


def read(content: Any, *, name: str) -> Trajectory:
    notes = Notes(name)
    if openhands_stored.is_stored(content):
        conversation = openhands_stored.conversation_in(content, notes=notes)
        return _read_events(conversation.events, {}, conversation.state, place="", notes=notes)
    line, place, events = as_object(content), "$", content
    if line:
        key = "trajectory" if "trajectory" in line else "history"
        place, events = f"$.{key}", line[key]
    flat = _flatten(expect(list, events, "the events are {}, not a list", name=name, place=place))
    for number, event in enumerate(flat, start=1):
        expect(dict, event, f"event {number:,} is {{}}, not an object", name=name, place=place)
    return _read_events(flat, line, {}, place=place, notes=notes)


def _read_events(
    events: list[dict[str, JsonValue]],
    line: dict[str, JsonValue],
    state: dict[str, JsonValue],
    *,
    place: str,
    notes: Notes,
) -> Trajectory:
    """The trajectory of events, with what a line of output.jsonl or a conversation's state says beside."""
    steps = StepList()
    newer = any("kind" in event for event in events)
    summary = openhands_v1.walk(events, steps, state) if newer else openhands_v0.walk(events, steps)
    built = steps.build(name=notes.name, place=place)
    answer = steps.answer()
    note_non_finite(answer, place=place, notes=notes)
    ending, detail = _unfinished_ending(line, summary)
    last = next((step for step in reversed(built) if not step.agent), built[-1])
    if last.kind is StepKind.SUBMIT:
        ending, detail = Ending.UNKNOWN if answer is MISSING else Ending.SUBMITTED, "finish"
    asked = line.get("instruction")
    metadata = as_object(line.get("metadata"))
    model = name_in(as_object(metadata.get("llm_config")).get("model")) or name_in(summary.model)
    agent = name_in(metadata.get("agent_class")) or summary.agent
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
        agent=name_in(f"{NAME} {agent}"),
        model=model,
        patch=json_text(line.get("git_patch") or as_object(line.get("test_result")).get("git_patch")),
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


def _is_line(document: dict[str, JsonValue]) -> bool:
    """Whether an object is a line of output.jsonl, of a benchmark or of the resolver of issues."""
    return "history" in document and ("instance_id" in document or {"issue", "git_patch"} <= document.keys())


def _is_event(event: JsonValue) -> bool:
    if not isinstance(event, dict):
        return False
    return "kind" in event or (("action" in event or "observation" in event) and "source" in event)


def _unfinished_ending(line: dict[str, JsonValue], summary: EventSummary) -> tuple[Ending, str]:
    """The ending of a run that the agent did not finish."""
    for words in (line.get("error"), summary.error, summary.state):
        if isinstance(words, str) and words.lower() in _QUIET:
            return Ending.UNKNOWN, words[:MAX_DETAIL]
        ending, detail = ending_of_status(words)
        if detail:
            # "finished" without a finish action: the agent stopped without a submission.
            return Ending.UNKNOWN if ending is Ending.SUBMITTED else ending, detail
    return Ending.UNKNOWN, ""


def _usage(line: dict[str, JsonValue], summary: EventSummary, *, notes: Notes) -> Usage:
    """From the line, else from the last event or the state that has it; several uses of models are added."""
    metrics, place = line.get("metrics"), "$.metrics"
    found = [metrics] if isinstance(metrics, dict) else as_objects(summary.metrics)
    place = place if isinstance(metrics, dict) else "$"
    costs = [_read(amount, one, "accumulated_cost", place, notes) for one in found]
    totals: list[int | None] = []
    for key in _TOKENS:
        uses = (as_object(one.get("accumulated_token_usage")) for one in found)
        counted = [_read(count, use, key, f"{place}.accumulated_token_usage", notes) for use in uses]
        totals.append(_sum(counted))
    return Usage(_sum(costs), *totals)


def _read(how: Any, fields: dict[str, JsonValue], key: str, place: str, notes: Notes) -> Any:
    return how(fields.get(key), place=f"{place}.{key}", notes=notes)


def _sum(values: list[Any]) -> Any:
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if known else None
