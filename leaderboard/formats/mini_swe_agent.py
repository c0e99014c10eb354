"""mini-SWE-agent's ``.traj.json`` of versions 2 and 1, and the older list of messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, Missing, Step, StepKind, Trajectory
from leaderboard.formats.amounts import Usage, amount, seconds_between, turn_usage
from leaderboard.formats.chat_calls import reasoning_in, words_in
from leaderboard.formats.content import join_thoughts, media_of, text_of
from leaderboard.formats.conversations import AGENT, answer_message, has_calls, is_message
from leaderboard.formats.documents import Notes, as_number, json_text, note_non_finite
from leaderboard.formats.endings import ending_of_status
from leaderboard.formats.responses import is_response, thought_of
from leaderboard.formats.shapes import (
    as_object,
    as_object_or_note,
    as_objects,
    expect_objects,
    name_in,
)
from leaderboard.formats.shown import shown_of
from leaderboard.formats.step_list import Draft, StepList
from leaderboard.formats.token_usage import add_usage, usage_of
from leaderboard.formats.tool_calls import Call, answer_in

NAME: Final = "mini-SWE-agent .traj.json"
PRIORITY: Final = 20
"""A document that names its format is of that format, whatever else it has."""

_BLOCK: Final = re.compile(r"```(?:bash|sh|shell|mswea_bash_command)[ \t]*\n(.*?)\n?```", re.DOTALL)
# The agent submits by printing one of these; the rest of the output is the answer.
_SUBMIT_MARKS: Final = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
# A tuple, not a set: an untrusted role may not be hashable.
_INPUT_ROLES: Final = ("user", "tool", "exit", "human")


_OUTPUT: Final = "function_call_output"
_NO_ACTION: Final = Call(StepKind.FORMAT_ERROR, "", "")


class _File(NamedTuple):
    messages: JsonValue
    info: dict[str, JsonValue]
    place: str


def detect(document: JsonValue) -> bool:
    """Whether the document names this format, or is a list of messages with commands as it writes them."""
    if isinstance(document, list):
        return bool(document) and all(map(is_message, document[:2])) and _has_commands(document)
    if not isinstance(document, dict):
        return False
    named = document.get("trajectory_format")
    info = document.get("info")
    return (isinstance(named, str) and named.startswith("mini-swe-agent")) or (
        "messages" in document and isinstance(info, dict) and "mini_version" in info
    )


def _has_commands(messages: list[JsonValue]) -> bool:
    """Whether a bare list has its commands in ``extra`` or in blocks of text; calls alone are a chat."""
    items = as_objects(messages)
    if any("actions" in as_object(item.get("extra")) for item in items):
        return True
    texts = (item.get("content") for item in items if item.get("role") == AGENT)
    return not has_calls(messages) and any(isinstance(text, str) and _BLOCK.search(text) for text in texts)


def read(document: JsonValue, *, name: str) -> Trajectory:
    notes = Notes(name)
    file = _open(document, notes=notes)
    steps = StepList()
    last_input = _walk(file, steps, name=name, notes=notes)
    answer = _answer(file.info, steps, last_input)
    note_non_finite(answer, place="$.info.submission", notes=notes)
    built = steps.build(name=name, place=file.place)
    usage = _usage(file, built, notes=notes)
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
        agent=_agent(file.info),
        model=name_in(_at(file.info, "config", "model", "model_name")),
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
        said = message.get("output" if message.get("type") == _OUTPUT else "content")
        role, text = message.get("role"), text_of(said)
        if role == AGENT or is_response(message):
            clock = extra.get("timestamp")
            waiting = iter(_turn(message, extra, steps))
        elif role == "system":
            steps.prompt = steps.prompt or text
        elif role not in _INPUT_ROLES and message.get("type") != _OUTPUT:
            notes.add(f"{place}.role", "unknown role; the message is left out")
        else:
            if refused := _add_refused(extra, steps):
                waiting, clock = iter([refused]), refused.started
            last_input = text
            call_id = message.get("tool_call_id") or message.get("call_id")
            draft = steps.find(call_id) or next(waiting, None) or steps.last
            if draft is None:
                steps.query = steps.query or text
            elif text or role != "exit":
                _observe(draft, said, extra, clock)
                clock = extra.get("timestamp") or clock
    return last_input


def _observe(draft: Draft, said: JsonValue, extra: dict[str, JsonValue], clock: JsonValue) -> None:
    """Add an output to its step: the whole of it where the file has that beside what the model was shown."""
    raw, text = extra.get("raw_output"), text_of(said)
    draft.observe(raw if isinstance(raw, str) else text, media=media_of(said))
    draft.shown = shown_of(raw, text) if isinstance(raw, str) else None
    failure = extra.get("exception_info")
    if isinstance(failure, str) and failure and failure not in draft.observations[-1]:
        draft.observe(failure)
    draft.duration = draft.duration or seconds_between(clock, extra.get("timestamp"))


def _add_refused(extra: dict[str, JsonValue], steps: StepList) -> Draft | None:
    """The step of an answer that the tool could not use, kept in the message that tells the agent so."""
    response = extra.get("response")
    if extra.get("interrupt_type") != "FormatError" or not isinstance(response, dict):
        return None
    message = response if is_response(response) else answer_message(response) or {}
    usage = usage_of(response.get("usage"))._replace(cost=turn_usage(extra.get("cost"), None, None).cost)
    return steps.add(Draft(_NO_ACTION, _thought(message), response.get("created_at"), usage=usage))


def _thought(message: dict[str, JsonValue]) -> str:
    if is_response(message):
        return thought_of(message)
    return join_thoughts(reasoning_in(message), words_in(message))


def _turn(message: dict[str, JsonValue], extra: dict[str, JsonValue], steps: StepList) -> list[Draft]:
    """The steps of one agent message: one for each command, or one without a command."""
    text = text_of(message.get("content"))
    started = extra.get("timestamp")
    usage = _turn_usage(message, extra)
    actions = extra.get("actions")
    if not isinstance(actions, list):
        # Version 1: the one command is in a block of the text.
        blocks = list(_BLOCK.finditer(text))
        actions = [blocks[0][1]] if len(blocks) == 1 else []
    if not actions:
        return [steps.add(Draft(_NO_ACTION, _thought(message), started, usage=usage))]
    thought = _thought(message)
    if not is_response(message):
        thought = join_thoughts(reasoning_in(message), _BLOCK.sub("", words_in(message)).strip())
    drafts = []
    for number, action in enumerate(actions):
        fields = action if isinstance(action, dict) else {"command": action}
        draft = Draft(_call(json_text(fields.get("command"))), "" if number else thought, started)
        drafts.append(steps.add(draft, call_id=fields.get("tool_call_id")))
    drafts[0].usage = usage
    return drafts


def _turn_usage(message: dict[str, JsonValue], extra: dict[str, JsonValue]) -> Usage:
    """The usage of an answer; the tool's own cost comes before the API's."""
    usage = usage_of(message.get("usage") or _at(extra, "response", "usage"))
    cost = turn_usage(extra.get("cost"), None, None).cost
    return usage if cost is None else usage._replace(cost=cost)


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


def _usage(file: _File, steps: tuple[Step, ...], *, notes: Notes) -> Usage:
    """The sums over the turns; of the cost, the file's own total where there is one."""
    place = "$.info.model_stats.instance_cost"
    cost = amount(_at(file.info, "model_stats", "instance_cost"), place=place, notes=notes)
    summed = add_usage(
        Usage(step.cost, step.prompt_tokens, step.response_tokens, step.cached_tokens, step.reasoning_tokens)
        for step in steps
    )
    return summed if cost is None else summed._replace(cost=cost)


def _agent(info: dict[str, JsonValue]) -> str:
    version = name_in(info.get("mini_version"))
    return f"mini-swe-agent {version}" if version else ""


def _at(value: Any, *keys: str) -> JsonValue:
    """The nested value under these keys, or None."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
