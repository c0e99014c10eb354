"""Turns an Inspect sample's turns and messages into steps: a tool call and its result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import JsonValue, Shown, StepKind
from leaderboard.formats.amounts import seconds_between
from leaderboard.formats.content import join_thoughts, reasoning_of, text_beside_media, text_of
from leaderboard.formats.documents import MAX_BYTES, as_number, json_text
from leaderboard.formats.inspect_turns import (
    ToolCall,
    Turn,
    all_turns,
    is_written,
    turns_in,
    turns_of_messages,
)
from leaderboard.formats.shapes import as_object, as_objects, expect_objects
from leaderboard.formats.step_list import Draft, StepList, message_step
from leaderboard.formats.tool_calls import Call, call_of, kind_of_tool

LOG_AGAIN: Final = "export the log again"

_REFERENCES: Final = ("attachment://", "tc://")
# What Inspect tells a model of the tool that takes its submission, whatever the tool's name.
_SUBMIT_TOOL: Final = "Submit an answer for evaluation."


class Attachments:
    """Texts that a sample stores separately and refers to by hash or index.

    A text can be referred to many times, so all resolved texts together have at most `MAX_BYTES` characters.
    """

    def __init__(self, texts: JsonValue, by_index: tuple[JsonValue, ...], *, name: str) -> None:
        self._texts = as_object(texts)
        self._by_index = by_index
        self._name = name
        self._left = MAX_BYTES

    def resolve(self, value: JsonValue) -> JsonValue:
        """The value with every reference replaced by its text; an unknown reference is kept.

        Raises:
            InputError: the resolved texts are too large.
        """
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self.resolve(item) for item in value]
        if isinstance(value, dict):
            return {key: self.resolve(item) for key, item in value.items()}
        return value

    def _text(self, value: str) -> str:
        for start in _REFERENCES:
            if value.startswith(start):
                found = self._find(value.removeprefix(start))
                if isinstance(found, str):
                    self._left -= len(found)
                    if self._left < 0:
                        reason = f"the resolved attachments have more than {MAX_BYTES >> 20:,} MB"
                        remedy = "shorten the observations"
                        raise InputError(Problem(self._name, "$.attachments", reason, remedy))
                    return found
        return value

    def _find(self, key: str) -> JsonValue:
        if key.isdecimal() and len(key) < 12 and int(key) < len(self._by_index):
            return self._by_index[int(key)]
        return self._texts.get(key)


@dataclass(slots=True)
class _Made:
    """A step, its call if it has one, and the messages with what came of it."""

    draft: Draft
    call: ToolCall | None = None
    told: list[dict[str, JsonValue]] = field(default_factory=list)

    def failed(self) -> bool:
        results = [self.call.event if self.call else {}, *self.told]
        return any(result.get("error") for result in results)


class Conversation:
    """The prompt, the query and the steps of a sample, and how its own agent ended.

    ``can_submit`` says whether the agent was seen to have a tool for that; ``submitted`` is the step of its
    last submission; ``is_done`` whether nothing but words came after it; ``last_words`` is the text of its
    last turn if that called no tool. ``judged`` is what the scorers' models used.
    """

    def __init__(self, sample: dict[str, JsonValue], attachments: Attachments, *, name: str) -> None:
        self.steps = StepList()
        self.submitted: Draft | None = None
        self.is_done = False
        self.last_words = ""
        self._attachments = attachments
        self._sample = sample
        texts = "the messages are {}, not a list", "the message is {}, not an object"
        items, place = sample.get("messages"), "$.messages"
        found = expect_objects(items, *texts, name=name, place=place, remedy=LOG_AGAIN)
        self._messages = [message for _place, message in found]
        events = as_objects(sample.get("events"))
        turns, self.judged = turns_in(events)
        if not _cover(list(all_turns(turns)), self._messages):
            turns = turns_of_messages(self._messages, events)
        self._submit_tools = _submit_tools(turns, self._messages)
        self.can_submit = any(
            self._takes_answers(tool.get("name")) for turn in turns for tool in turn.offered
        )
        self._made: list[_Made] = []
        own = [self._add(turn) for turn in turns]
        self._hear(turns, own)
        for made in self._made:
            self._observe(made)
        self._end(turns, own)

    def _takes_answers(self, tool: JsonValue) -> bool:
        if not isinstance(tool, str):
            return False
        return tool in self._submit_tools or kind_of_tool(tool) is StepKind.SUBMIT

    def _add(self, turn: Turn) -> list[_Made]:
        """Add and return a turn's steps: one for each call, or one without; sub-agents' stand between."""
        content = self._attachments.resolve(turn.message.get("content"))
        calls = [self._call(made) for made in turn.calls]
        said = _without_answer(text_of(content), calls)
        thought = join_thoughts(json_text(turn.message.get("reasoning")), reasoning_of(content), said)
        added: list[_Made] = []
        for call, made in zip(calls, turn.calls, strict=True):
            own = "" if added else thought
            draft = Draft(call, own, made.event.get("timestamp"), _seconds(made.event), agent=turn.agent)
            draft.shown = _shown(made.event)
            added.append(self._keep(draft, made))
            for inner in made.inner:
                self._add(inner)
        if not added:
            draft = message_step(thought)
            draft.agent = turn.agent
            added.append(self._keep(draft, None))
        added[0].draft.usage = turn.usage
        return added

    def _keep(self, draft: Draft, call: ToolCall | None) -> _Made:
        made = _Made(self.steps.add(draft), call)
        self._made.append(made)
        return made

    def _call(self, made: ToolCall) -> Call:
        tool = json_text(made.fields.get("function"))
        arguments = self._attachments.resolve(made.fields.get("arguments"))
        if made.fields.get("parse_error"):
            return Call(StepKind.FORMAT_ERROR, tool, json_text(arguments))
        if tool in self._submit_tools:
            return call_of("submit", arguments)._replace(action_type=tool)
        return call_of(tool, arguments)

    def _hear(self, turns: list[Turn], own: list[list[_Made]]) -> None:
        """Give each message of the conversation to the step that it answers.

        What stands after a sub-agent's message is that one's, and its events say it.
        """
        turn_of: dict[str | int, tuple[_Made, dict[str, _Made]]] = {}
        for turn, steps in zip(turns, own, strict=True):
            found = steps[-1], {made.call.key: made for made in steps if made.call and made.call.key}
            turn_of[id(turn.message)] = turn_of[_key(turn.message)] = found
        all_calls = {made.call.key: made for made in self._made if made.call and made.call.key}
        now, has_begun = None, False
        for message in self._messages:
            role = message.get("role")
            if role == "assistant":
                now = turn_of.get(id(message)) or turn_of.get(_key(message))
                has_begun = has_begun or is_written(message)
            elif role == "system":
                self.steps.prompt = self.steps.prompt or self._text(message)
            elif now:
                last, calls = now
                key = json_text(message.get("tool_call_id"))
                (calls.get(key) or all_calls.get(key) or last).told.append(message)
            elif not has_begun:
                self.steps.query = self.steps.query or self._text(message)

    def _text(self, message: dict[str, JsonValue]) -> str:
        return text_of(self._attachments.resolve(message.get("content")))

    def _observe(self, made: _Made) -> None:
        """The result in the conversation, else in the call's event, else in what a model was shown later."""
        told = made.told
        if made.call and not any(message.get("role") == "tool" for message in told):
            event = made.call.event
            # A submission's result is the submission again, and nobody is shown it.
            submits = made.draft.call.kind is StepKind.SUBMIT
            ended = event.get("completed") and not event.get("failed")
            if event.get("error") or (not submits and (event.get("result") or ended)):
                told = [{"content": event.get("result"), "error": event.get("error")}, *told]
            elif not event and made.call.key in self._shown_later:
                told = [self._shown_later[made.call.key], *told]
        for message in told:
            said, media = text_beside_media(self._attachments.resolve(message.get("content")))
            said = said or json_text(as_object(message.get("error")).get("message"))
            made.draft.observe(said, media=media)

    @cached_property
    def _shown_later(self) -> dict[str, dict[str, JsonValue]]:
        """The results among the messages that models were shown, by the id of their call."""
        shown = [as_object(self._sample.get("events_data")).get("messages")]
        shown += [event.get("input") for event in as_objects(self._sample.get("events"))]
        messages = (message for part in shown for message in as_objects(part))
        results = (message for message in messages if message.get("role") == "tool")
        return {key: message for message in results if isinstance(key := message.get("tool_call_id"), str)}

    def _end(self, turns: list[Turn], own: list[list[_Made]]) -> None:
        for steps in own:
            given = [
                made.draft for made in steps if made.draft.call.kind is StepKind.SUBMIT and not made.failed()
            ]
            if given:
                self.submitted, self.is_done = given[-1], True
            elif steps[0].call:
                self.is_done = False
        if turns and not turns[-1].calls:
            self.last_words = self._text(turns[-1].message)


def _cover(turns: list[Turn], messages: list[dict[str, JsonValue]]) -> bool:
    """Whether these turns are the conversation's, and not a few that were made beside it.

    A conversation may have messages of the model that it never wrote: examples, or a beginning.
    """
    keys = {_key(turn.message) for turn in turns}
    calls = {call.key for turn in turns for call in turn.calls}
    found = missing = 0
    for message in messages:
        if is_written(message):
            made = [call.get("id") for call in as_objects(message.get("tool_calls"))]
            if _key(message) in keys or any(key in calls for key in made if isinstance(key, str)):
                found += 1
            elif made:
                return False
            else:
                missing += 1
    return bool(turns) and missing <= found


def _key(message: dict[str, JsonValue]) -> str:
    """What tells a message of the model from others: its id, or that of its first call, or its content."""
    calls = as_objects(message.get("tool_calls"))
    known = message.get("id") or (calls[0].get("id") if calls else None)
    return known if isinstance(known, str) else json_text(message.get("content"))


def _submit_tools(turns: list[Turn], messages: list[dict[str, JsonValue]]) -> set[str]:
    """The names of the tools that take submissions, besides those that everybody knows.

    Inspect describes them with the same sentence; else it is the tool whose call `react()` took out of the
    conversation's last message.
    """
    offered = (tool for turn in all_turns(turns) for tool in turn.offered)
    names = [tool.get("name") for tool in offered if tool.get("description") == _SUBMIT_TOOL]
    if turns and turns[-1].calls:
        key = turns[-1].message.get("id")
        kept = next((one for one in messages if key is not None and one.get("id") == key), None)
        if kept is not None and kept is not turns[-1].message:
            left = [call.get("id") for call in as_objects(kept.get("tool_calls"))]
            names += [call.fields.get("function") for call in turns[-1].calls if call.key not in left]
    return {name for name in names if isinstance(name, str)}


def _without_answer(text: str, calls: Iterable[Call]) -> str:
    """A text without the answer that `react()` pasted to its end."""
    for call in calls:
        answer = call.action.strip() if call.kind is StepKind.SUBMIT else ""
        if answer and text.rstrip().endswith(answer):
            before = text.rstrip().removesuffix(answer)
            if not before or before.endswith("\n"):
                return before.rstrip()
    return text


def _shown(event: dict[str, JsonValue]) -> Shown | None:
    """What the model was shown of a tool's output that was too long; the log has no more of it."""
    sizes = event.get("truncated")
    if not isinstance(sizes, list) or len(sizes) != 2:
        return None
    of, part = (as_number(size) for size in sizes)
    if of is None or part is None or not 0 <= part < of:
        return None
    return Shown(int(part), int(of), "which is all that the log has", "bytes")


def _seconds(event: dict[str, JsonValue]) -> float | None:
    worked = as_number(event.get("working_time"))
    if worked is not None and worked >= 0:
        return worked
    return seconds_between(event.get("timestamp"), event.get("completed"))
