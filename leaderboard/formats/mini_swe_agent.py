"""mini-SWE-agent's ``.traj.json`` of versions 2 and 1, and the older list of messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, Missing, StepKind, Trajectory
from leaderboard.formats.amounts import Usage, amount, count, seconds_between, total, turn_usage
from leaderboard.formats.content import join_thoughts, media_of, reasoning_of, text_of
from leaderboard.formats.documents import Notes, as_number, json_text, note_non_finite
from leaderboard.formats.endings import ending_of_status
from leaderboard.formats.shapes import as_object, as_object_or_note, expect_objects
from leaderboard.formats.shown import shown_of
from leaderboard.formats.step_list import Draft, StepList
from leaderboard.formats.tool_calls import Call, answer_in

NAME: Final = "mini-SWE-agent .traj.json"
PRIORITY: Final = 20
"""A document that names its format is of that format, whatever else it has."""

_BLOCK: Final = re.compile(r"```(?:bash|sh|shell|mswea_bash_command)[ \t]*\n(.*?)\n?```", re.DOTALL)
# The agent submits by printing one of these; the rest of the output is the answer.
_SUBMIT_MARKS: Final = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
# A tuple, not a set: an untrusted role may not be hashable.
_INPUT_ROLES: Final = ("user", "tool", "exit", "human")


class _File(NamedTuple):
    messages: JsonValue
    info: dict[str, JsonValue]
    place: str


def detect(document: JsonValue) -> bool:
    """Whether the document names this format, or is a list of messages with roles."""
    if isinstance(document, list):
        return bool(document) and all(isinstance(item, dict) and "role" in item for item in document[:2])
    if not isinstance(document, dict):
        return False
    named = document.get("trajectory_format")
    info = document.get("info")
    return (isinstance(named, str) and named.startswith("mini-swe-agent")) or (
        "messages" in document and isinstance(info, dict) and "mini_version" in info
    )


def read(document: JsonValue, *, name: str) -> Trajectory:
    notes = Notes(name)
    file = _open(document, notes=notes)
    steps = StepList()
    last_input = _walk(file, steps, name=name, notes=notes)
    answer = _answer(file.info, steps, last_input)
    note_non_finite(answer, place="$.info.submission", notes=notes)
    built = steps.build(name=name, place=file.place)
    usage = _usage(file, notes=notes)
    last_status = _at(file.messages[-1], "extra", "exit_status")
    ending, detail = ending_of_status(file.info.get("exit_status", last_status))
    if ending is Ending.UNKNOWN and not detail and built[-1].kind is StepKind.SUBMIT:
        ending = Ending.SUBMITTED
    return Trajectory(
        steps=built,
        format=NAME,
        query=steps.query,
        prompt=steps.prompt,
        answer=answer,
        ending=_limit(file.info, usage.cost, detail) or ending,
        ending_detail=detail,
        **usage._asdict(),
        warnings=notes.all(),
    )


def _open(document: JsonValue, *, notes: Notes) -> _File:
    if isinstance(document, list):
        return _File(document, {}, "$")
    info = as_object_or_note(document.get("info"), place="$.info", notes=notes)
    return _File(document.get("messages"), info, "$.messages")


def _walk(file: _File, steps: StepList, *, name: str, notes: Notes) -> str:
    """Fill ``steps``; return the last message to the agent."""
    last_input = ""
    waiting: Iterator[Draft] = iter(())
    clock: JsonValue = None
    texts = "the messages are {}, not a list", "the message is {}, not an object"
    for place, message in expect_objects(file.messages, *texts, name=name, place=file.place):
        extra = as_object(message.get("extra"))
        role, text = message.get("role"), text_of(message.get("content"))
        if role == "assistant":
            clock = extra.get("timestamp")
            waiting = iter(_turn(message, extra, steps))
        elif role == "system":
            steps.prompt = steps.prompt or text
        elif role not in _INPUT_ROLES:
            notes.add(f"{place}.role", "unknown role; the message is left out")
        elif steps.last is None:
            steps.query = steps.query or text
        else:
            last_input = text
            draft = steps.find(message.get("tool_call_id")) or next(waiting, None) or steps.last
            if text or role != "exit":
                raw = extra.get("raw_output")
                draft.observe(raw if isinstance(raw, str) else text, media=media_of(message.get("content")))
                draft.shown = shown_of(raw, text) if isinstance(raw, str) else None
                draft.duration = draft.duration or seconds_between(clock, extra.get("timestamp"))
                clock = extra.get("timestamp") or clock
    return last_input


def _turn(message: dict[str, JsonValue], extra: dict[str, JsonValue], steps: StepList) -> list[Draft]:
    """The steps of one agent message: one for each command, or one without a command."""
    content = message.get("content")
    text = text_of(content)
    reasoning = json_text(message.get("reasoning_content")) or reasoning_of(content)
    started = extra.get("timestamp")
    usage = turn_usage(
        extra.get("cost"),
        _at(extra, "response", "usage", "prompt_tokens"),
        _at(extra, "response", "usage", "completion_tokens"),
    )
    actions = extra.get("actions")
    if not isinstance(actions, list):
        # Version 1: the one command is in a block of the text.
        blocks = list(_BLOCK.finditer(text))
        actions = [blocks[0][1]] if len(blocks) == 1 else []
    if not actions:
        none = Call(StepKind.FORMAT_ERROR, "", "")
        return [steps.add(Draft(none, join_thoughts(reasoning, text), started, usage=usage))]
    drafts = []
    for number, action in enumerate(actions):
        fields = action if isinstance(action, dict) else {"command": action}
        thought = join_thoughts(reasoning, _BLOCK.sub("", text).strip()) if number == 0 else ""
        draft = Draft(_call(json_text(fields.get("command"))), thought, started)
        drafts.append(steps.add(draft, call_id=fields.get("tool_call_id")))
    drafts[0].usage = usage
    return drafts


def _call(command: str) -> Call:
    submits = any(mark in command for mark in _SUBMIT_MARKS)
    return Call(StepKind.SUBMIT if submits else StepKind.EXECUTE, "bash", command)


def _answer(info: dict[str, JsonValue], steps: StepList, last_input: str) -> JsonValue | Missing:
    if "submission" in info:
        return answer_in(info["submission"])
    last = steps.last
    if last is None or last.call.kind is not StepKind.SUBMIT:
        return MISSING
    text = last_input
    for mark in _SUBMIT_MARKS:
        text = text.removeprefix(mark)
    return answer_in(text.strip("\n"))


def _limit(info: dict[str, JsonValue], cost: float | None, detail: str) -> Ending | None:
    """Which limit was exceeded: one status is used for both the cost and the step limit."""
    if detail != "LimitsExceeded":
        return None
    most = as_number(_at(info, "config", "agent", "cost_limit"))
    return Ending.COST if cost is not None and most and cost >= most else Ending.STEPS


def _usage(file: _File, *, notes: Notes) -> Usage:
    """The file's totals, else summed over the messages."""
    place = "$.info.model_stats.instance_cost"
    cost = amount(_at(file.info, "model_stats", "instance_cost"), place=place, notes=notes)

    def summed(*keys: str) -> float | None:
        return total(_at(message, "extra", *keys) for message in file.messages)

    return Usage(
        summed("cost") if cost is None else cost,
        count(summed("response", "usage", "prompt_tokens"), place="$.messages", notes=notes),
        count(summed("response", "usage", "completion_tokens"), place="$.messages", notes=notes),
    )


def _at(value: Any, *keys: str) -> JsonValue:
    """The nested value under these keys, or None."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
