"""ATIF, the interchange format of Harbor and Terminal-Bench, versions 1.0 to 1.8."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, StepKind, Trajectory
from leaderboard.formats.amounts import Usage, count, total, turn_usage, usage_in
from leaderboard.formats.content import join_thoughts, media_of, text_of
from leaderboard.formats.documents import Notes, json_text, kind_of_json, note_non_finite
from leaderboard.formats.endings import MAX_DETAIL
from leaderboard.formats.shapes import as_object, as_objects, expect_objects
from leaderboard.formats.step_list import Draft, StepList, message_step
from leaderboard.formats.tool_calls import call_of

NAME: Final = "ATIF"
PRIORITY: Final = 20
"""A document that names its format is of that format, whatever else it has."""

_METRICS: Final = ("cost_usd", "prompt_tokens", "completion_tokens")
_PREFIX: Final = "ATIF-v"
_KNOWN: Final = frozenset(f"{_PREFIX}1.{minor}" for minor in range(9))


def detect(document: JsonValue) -> bool:
    version = document.get("schema_version") if isinstance(document, dict) else None
    return isinstance(version, str) and version.startswith(_PREFIX)


def read(document: JsonValue, *, name: str) -> Trajectory:
    notes = Notes(name)
    version = document["schema_version"]
    if version not in _KNOWN:
        notes.add("$.schema_version", f"the version {version[:20]} is unknown; read as 1.8")
    steps = StepList()
    first_texts: dict[str, str] = {}
    items = document.get("steps")
    of_list, of_item = "the steps are {}, not a list", "the step is {}, not an object"
    for place, item in expect_objects(items, of_list, of_item, name=name, place="$.steps"):
        _add_item(item, steps, first_texts, place=place, notes=notes)
    built = steps.build(name=name, place="$.steps")
    answer = steps.answer()
    note_non_finite(answer, place="$.steps", notes=notes)
    last = built[-1]
    return Trajectory(
        steps=built,
        format=NAME,
        query=first_texts.get("user", ""),
        prompt=first_texts.get("system", ""),
        answer=answer,
        ending=Ending.UNKNOWN if answer is MISSING else Ending.SUBMITTED,
        ending_detail=last.action_type[:MAX_DETAIL] if last.kind is StepKind.SUBMIT else "",
        **_usage(document, items, notes=notes)._asdict(),
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
    contents = [item.get("message"), *(one.get("content") for one in _results(item))]
    for content in contents:
        if said := text_of(content):
            last.observe(said, media=media_of(content))


def _turn(item: dict[str, JsonValue], steps: StepList, *, place: str, notes: Notes) -> None:
    """Add the steps of one agent turn: one for each call, or one without a call."""
    thought = join_thoughts(json_text(item.get("reasoning_content")), text_of(item.get("message")))
    started = item.get("timestamp")
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
    metrics = as_object(item.get("metrics"))
    drafts[0].usage = turn_usage(*(metrics.get(key) for key in _METRICS))
    for result in _results(item):
        # A result without a call's id belongs to the turn's last step.
        draft = steps.find(result.get("source_call_id")) or drafts[-1]
        content = result.get("content")
        draft.observe(text_of(content), media=media_of(content))


def _results(item: dict[str, JsonValue]) -> list[dict[str, JsonValue]]:
    return as_objects(as_object(item.get("observation")).get("results"))


def _usage(document: dict[str, JsonValue], items: list[dict[str, JsonValue]], *, notes: Notes) -> Usage:
    """The file's totals, else summed over the steps."""
    keys = "total_cost_usd", "total_prompt_tokens", "total_completion_tokens"
    final = as_object(document.get("final_metrics"))
    cost, sent, received, *_rest = usage_in(final, *keys, place="$.final_metrics", notes=notes)
    metrics = as_objects([item.get("metrics") for item in items])
    if cost is None:
        cost = total(one.get("cost_usd") for one in metrics)
    if sent is None:
        sent = count(total(one.get("prompt_tokens") for one in metrics), place="$.steps", notes=notes)
    if received is None:
        received = count(total(one.get("completion_tokens") for one in metrics), place="$.steps", notes=notes)
    return Usage(cost, sent, received)
