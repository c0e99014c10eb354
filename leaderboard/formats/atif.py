"""ATIF, the interchange format of Harbor and Terminal-Bench, versions 1.0 to 1.8."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, StepKind, Trajectory
from leaderboard.formats.amounts import amount, count, time_text, total
from leaderboard.formats.content import join_thoughts, text_of
from leaderboard.formats.documents import Notes, as_number, json_text, kind_of_json, note_non_finite
from leaderboard.formats.endings import MAX_DETAIL
from leaderboard.formats.step_list import Draft, StepList, message_step
from leaderboard.formats.tool_calls import call_of

NAME: Final = "ATIF"

_PREFIX: Final = "ATIF-v"
_KNOWN: Final = frozenset(f"{_PREFIX}1.{minor}" for minor in range(9))


def detect(document: JsonValue) -> bool:
    """Whether the document's schema is ATIF, any version."""
    version = document.get("schema_version") if isinstance(document, dict) else None
    return isinstance(version, str) and version.startswith(_PREFIX)


def read(document: JsonValue, *, name: str) -> Trajectory:
    """The trajectory in a parsed ATIF file.

    Raises:
        InputError: there is no list of steps, a step is not an object, or none of them is the agent's.
    """
    items = document.get("steps")
    if not isinstance(items, list):
        reason = f"the steps are {kind_of_json(items)}, not a list"
        raise InputError(Problem(name, "$.steps", reason, "export the run again"))
    notes = Notes(name)
    version = document["schema_version"]
    if version not in _KNOWN:
        reason = f"the version {version[:20]} is unknown; read as 1.8"
        notes.add("$.schema_version", reason)
    steps = StepList()
    first_texts: dict[str, str] = {}
    for index, item in enumerate(items):
        place = f"$.steps[{index}]"
        if not isinstance(item, dict):
            reason = f"the step is {kind_of_json(item)}, not an object"
            raise InputError(Problem(name, place, reason, "export the run again"))
        _add_item(item, steps, first_texts, place=place, notes=notes)
    built = steps.build(name=name, place="$.steps")
    answer = steps.answer()
    note_non_finite(None if answer is MISSING else answer, place="$.steps", notes=notes)
    last = built[-1]
    cost, sent, received = _cost_and_tokens(document, items, notes=notes)
    return Trajectory(
        steps=built,
        format=NAME,
        query=first_texts.get("user", ""),
        prompt=first_texts.get("system", ""),
        answer=answer,
        ending=Ending.UNKNOWN if answer is MISSING else Ending.SUBMITTED,
        ending_detail=last.action_type[:MAX_DETAIL] if last.kind is StepKind.SUBMIT else "",
        cost=cost,
        prompt_tokens=sent,
        response_tokens=received,
        warnings=notes.all(),
    )


def _add_item(
    item: dict[str, JsonValue], steps: StepList, first_texts: dict[str, str], *, place: str, notes: Notes
) -> None:
    """Add one item: the prompt, the task, a later message to the agent, or a turn of the agent."""
    source = item.get("source")
    if source == "agent":
        _turn(item, steps, place=place, notes=notes)
        return
    if source not in ("user", "system"):
        notes.add(f"{place}.source", "unknown source; the step is left out")
        return
    text = text_of(item.get("message"))
    last = steps.last
    if last is None:
        first_texts.setdefault(source, text)
        return
    last.observations += [
        part for part in (text, *(text_of(one.get("content")) for one in _results(item))) if part
    ]


def _turn(item: dict[str, JsonValue], steps: StepList, *, place: str, notes: Notes) -> None:
    """Add the steps of one agent turn: one for each call, or one without a call."""
    thought = join_thoughts(json_text(item.get("reasoning_content")), text_of(item.get("message")))
    started = time_text(item.get("timestamp"))
    calls = item.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        notes.add(f"{place}.tool_calls", f"{kind_of_json(calls)}, not a list; left out")
        calls = None
    drafts: list[Draft] = []
    for index, call in enumerate(calls or []):
        if not isinstance(call, dict):
            reason = f"{kind_of_json(call)} where an object was expected; left out"
            notes.add(f"{place}.tool_calls[{index}]", reason)
            continue
        action = call_of(json_text(call.get("function_name")), call.get("arguments"))
        draft = Draft(action, "" if drafts else thought, started)
        drafts.append(steps.add(draft, call_id=call.get("tool_call_id")))
    if not drafts:
        drafts = [steps.add(message_step(thought, started=started))]
    for result in _results(item):
        text = text_of(result.get("content"))
        found = steps.find(result.get("source_call_id"))
        # A result without a call's id belongs to the turn's last step.
        (found or drafts[-1]).observations.append(text)


def _results(item: dict[str, JsonValue]) -> list[dict[str, JsonValue]]:
    observation = item.get("observation")
    results = observation.get("results") if isinstance(observation, dict) else None
    return [result for result in results if isinstance(result, dict)] if isinstance(results, list) else []


def _cost_and_tokens(
    document: dict[str, JsonValue], items: list[JsonValue], *, notes: Notes
) -> tuple[float | None, int | None, int | None]:
    """Cost and tokens: the file's totals, else summed over the steps."""
    final = document.get("final_metrics")
    final = final if isinstance(final, dict) else {}
    place = "$.final_metrics"
    metrics = [item["metrics"] for item in items if isinstance(item.get("metrics"), dict)]
    cost = amount(final.get("total_cost_usd"), place=f"{place}.total_cost_usd", notes=notes)
    sent = count(final.get("total_prompt_tokens"), place=f"{place}.total_prompt_tokens", notes=notes)
    received = count(
        final.get("total_completion_tokens"), place=f"{place}.total_completion_tokens", notes=notes
    )
    if cost is None:
        cost = _sum(metrics, "cost_usd")
    if sent is None:
        sent = count(_sum(metrics, "prompt_tokens"), place="$.steps", notes=notes)
    if received is None:
        received = count(_sum(metrics, "completion_tokens"), place="$.steps", notes=notes)
    return cost, sent, received


def _sum(metrics: list[dict[str, JsonValue]], key: str) -> float | None:
    numbers = (as_number(one.get(key)) for one in metrics)
    return total([number for number in numbers if number is not None and number >= 0])
