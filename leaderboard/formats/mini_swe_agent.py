"""mini-SWE-agent's ``.traj.json`` of versions 2 and 1, and the older list of messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, Missing, StepKind, Trajectory
from leaderboard.formats.amounts import amount, count, seconds_between, time_text, total
from leaderboard.formats.content import join_thoughts, reasoning_of, text_of
from leaderboard.formats.documents import Notes, as_number, json_text, kind_of_json, note_non_finite
from leaderboard.formats.endings import ending_of_status
from leaderboard.formats.step_list import Draft, StepList
from leaderboard.formats.tool_calls import Call, answer_in

NAME: Final = "mini-SWE-agent .traj.json"

_BLOCK: Final = re.compile(r"```(?:bash|sh|shell|mswea_bash_command)[ \t]*\n(.*?)\n?```", re.DOTALL)
# The agent submits by printing one of these; the rest of the output is the answer.
_SUBMIT_MARKS: Final = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
# A tuple, not a set: an untrusted role may not be hashable.
_INPUT_ROLES: Final = ("user", "tool", "exit", "human")


class _File(NamedTuple):
    messages: list[JsonValue]
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
    """The trajectory in a parsed ``.traj.json``.

    Raises:
        InputError: there is no list of messages, a message is not an object, or the agent took no step.
    """
    notes = Notes(name)
    file = _open(document, name=name, notes=notes)
    steps = StepList()
    prompt, query, last_input = _walk(file, steps, name=name, notes=notes)
    answer = _answer(file.info, steps, last_input)
    note_non_finite(None if answer is MISSING else answer, place="$.info.submission", notes=notes)
    built = steps.build(name=name, place=file.place)
    cost, tokens = _cost_and_tokens(file, notes=notes)
    ending, detail = ending_of_status(_status(file))
    if ending is Ending.UNKNOWN and not detail and built[-1].kind is StepKind.SUBMIT:
        ending = Ending.SUBMITTED
    return Trajectory(
        steps=built,
        format=NAME,
        query=query,
        prompt=prompt,
        answer=answer,
        ending=_limit(file.info, cost, detail) or ending,
        ending_detail=detail,
        cost=cost,
        prompt_tokens=tokens[0],
        response_tokens=tokens[1],
        warnings=notes.all(),
    )


def _open(document: JsonValue, *, name: str, notes: Notes) -> _File:
    if isinstance(document, list):
        return _File(document, {}, "$")
    messages, info = document.get("messages"), document.get("info")
    if not isinstance(messages, list):
        reason = f"the messages are {kind_of_json(messages)}, not a list"
        raise InputError(Problem(name, "$.messages", reason, "export the run again"))
    if not isinstance(info, dict):
        notes.add("$.info", f"{kind_of_json(info)} where an object was expected; left out")
        info = {}
    return _File(messages, info, "$.messages")


def _walk(file: _File, steps: StepList, *, name: str, notes: Notes) -> tuple[str, str, str]:
    """Fill ``steps``; return the system prompt, the query, and the last message to the agent."""
    prompt = query = last_input = ""
    waiting: Iterator[Draft] = iter(())
    clock: JsonValue = None
    for index, message in enumerate(file.messages):
        place = f"{file.place}[{index}]"
        if not isinstance(message, dict):
            reason = f"the message is {kind_of_json(message)}, not an object"
            raise InputError(Problem(name, place, reason, "export the run again"))
        role, extra, text = message.get("role"), _extra(message), text_of(message.get("content"))
        if role == "assistant":
            clock = extra.get("timestamp")
            waiting = iter(_turn(message, extra, steps))
        elif role == "system":
            prompt = prompt or text
        elif not len(steps) and role in _INPUT_ROLES:
            query = query or text
        elif role in _INPUT_ROLES:
            last_input = text
            draft = steps.find(message.get("tool_call_id")) or next(waiting, None) or steps.last
            if draft is not None and (text or role != "exit"):
                draft.observations.append(_output(extra, text))
                draft.duration = draft.duration or seconds_between(clock, extra.get("timestamp"))
                clock = extra.get("timestamp") or clock
        else:
            notes.add(f"{place}.role", "unknown role; the message is left out")
    return prompt, query, last_input


def _turn(message: dict[str, JsonValue], extra: dict[str, JsonValue], steps: StepList) -> list[Draft]:
    """The steps of one agent message: one for each command, or one without a command."""
    content = message.get("content")
    text = text_of(content)
    reasoning = json_text(message.get("reasoning_content")) or reasoning_of(content)
    started = time_text(extra.get("timestamp"))
    actions = extra.get("actions")
    if not isinstance(actions, list):
        # Version 1: the one command is in a block of the text.
        blocks = list(_BLOCK.finditer(text))
        actions = [blocks[0][1]] if len(blocks) == 1 else []
    if not actions:
        none = Call(StepKind.FORMAT_ERROR, "", "")
        return [steps.add(Draft(none, join_thoughts(reasoning, text), started))]
    drafts = []
    for number, action in enumerate(actions):
        fields = action if isinstance(action, dict) else {"command": action}
        thought = join_thoughts(reasoning, _BLOCK.sub("", text).strip()) if number == 0 else ""
        draft = Draft(_call(json_text(fields.get("command"))), thought, started)
        drafts.append(steps.add(draft, call_id=fields.get("tool_call_id")))
    return drafts


def _call(command: str) -> Call:
    submits = any(mark in command for mark in _SUBMIT_MARKS)
    return Call(StepKind.SUBMIT if submits else StepKind.EXECUTE, "bash", command)


def _output(extra: dict[str, JsonValue], text: str) -> str:
    raw = extra.get("raw_output")
    return raw if isinstance(raw, str) else text


def _extra(message: dict[str, JsonValue]) -> dict[str, JsonValue]:
    extra = message.get("extra")
    return extra if isinstance(extra, dict) else {}


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


def _status(file: _File) -> JsonValue:
    if "exit_status" in file.info:
        return file.info["exit_status"]
    last = file.messages[-1] if file.messages else None
    return _extra(last).get("exit_status") if isinstance(last, dict) else None


def _limit(info: dict[str, JsonValue], cost: float | None, detail: str) -> Ending | None:
    """Which limit was exceeded: one status is used for both the cost and the step limit."""
    if detail != "LimitsExceeded":
        return None
    most = as_number(_at(info, "config", "agent", "cost_limit"))
    return Ending.COST if cost is not None and most and cost >= most else Ending.STEPS


def _cost_and_tokens(file: _File, *, notes: Notes) -> tuple[float | None, tuple[int | None, int | None]]:
    """The cost, and the tokens sent and received: the file's totals, else summed over the messages."""
    place = "$.info.model_stats.instance_cost"
    cost = amount(_at(file.info, "model_stats", "instance_cost"), place=place, notes=notes)
    costs: list[float] = []
    sent: list[float] = []
    received: list[float] = []
    for message in file.messages:
        extra = _extra(message) if isinstance(message, dict) else {}
        usage = _at(extra, "response", "usage")
        for found, value in (
            (costs, extra.get("cost")),
            (sent, _at(usage, "prompt_tokens")),
            (received, _at(usage, "completion_tokens")),
        ):
            number = as_number(value)
            if number is not None and number >= 0:
                found.append(number)
    tokens = [count(total(values), place="$.messages", notes=notes) for values in (sent, received)]
    return (total(costs) if cost is None else cost), (tokens[0], tokens[1])


def _at(value: Any, *keys: str) -> JsonValue:
    """The nested value under these keys, or None."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
