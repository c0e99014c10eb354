"""Turns the messages of a chat into steps: each call with the result that has its id."""

from __future__ import annotations

from itertools import islice
from typing import Final

from leaderboard.domain.trajectory import MISSING, JsonValue, Missing
from leaderboard.formats.amounts import NO_USAGE, Usage
from leaderboard.formats.chat_calls import action_of, calls_in, is_refusal, reasoning_in, words_in
from leaderboard.formats.content import join_thoughts, text_beside_media, text_of
from leaderboard.formats.conversations import AGENT, Turn
from leaderboard.formats.documents import Notes, kind_of_json
from leaderboard.formats.step_list import Draft, StepList, message_step
from leaderboard.formats.token_usage import usage_of
from leaderboard.formats.tool_calls import answer_in

_SYSTEM: Final = ("system", "developer")
_RESULT: Final = ("tool", "function")
_TOOL_RESULT: Final = "tool_result"
_MOST_WAITING: Final = 100
"""Calls at once among which that of a result without an id is looked for."""

_NO_CALL: Final = "a result without a call before it; left out"


class ChatSteps:
    """The steps of a conversation, from its messages in order.

    ``usages`` are those of the model's answers; ``model`` is the first that a message names.
    """

    def __init__(self, notes: Notes, *, prompt: str = "") -> None:
        self.steps = StepList()
        self._prompts, self._asked = [prompt], [""]
        self.usages: list[Usage] = []
        self.model = ""
        self._notes = notes
        # Calls that have no result yet, with their tools' names: those of the last turn.
        self._waiting: dict[int, tuple[str, Draft]] = {}
        self._last_words: tuple[Draft, str] | None = None

    def add(self, message: dict[str, JsonValue], turn: Turn, *, place: str) -> None:
        """Add a message; ``turn`` is what is known of it if it is an answer of the model."""
        role = message.get("role")
        if role == AGENT:
            self._turn(message, turn, place=place)
        elif role in _RESULT:
            self._result(message, message.get("tool_call_id"), place=place)
        elif role in _SYSTEM and self.steps.last is None:
            self._prompts.append(text_of(message.get("content")))
        elif role == "user" or role in _SYSTEM:
            self._told(message, place=place)
        else:
            self._notes.add(f"{place}.role", "unknown role; the message is left out")

    @property
    def prompt(self) -> str:
        return join_thoughts(*self._prompts)

    @property
    def query(self) -> str:
        """All that a user said before the first step."""
        return join_thoughts(*self._asked)

    def final_answer(self) -> JsonValue | Missing:
        """The answer in the last message, if the agent ended with a text and no call; else MISSING."""
        if self._last_words is None or self._last_words[0] is not self.steps.last:
            return MISSING
        draft, text = self._last_words
        return MISSING if draft.observations else answer_in(text)

    def _turn(self, message: dict[str, JsonValue], turn: Turn, *, place: str) -> None:
        """The steps of one answer of the model: one for each call, or one without a call."""
        text = words_in(message)
        thought = join_thoughts(reasoning_in(message), text)
        given = message.get("tool_calls")
        if given is not None and not isinstance(given, list):
            self._notes.add(f"{place}.tool_calls", f"{kind_of_json(given)}, not a list; left out")
        started = turn.started or message.get("timestamp")
        self._waiting = {}
        first: Draft | None = None
        for call in calls_in(message):
            draft = Draft(action_of(call), "" if first else thought, started)
            self.steps.add(draft, call_id=call.id)
            self._waiting[id(draft)] = (call.tool, draft)
            first = first or draft
        if first is None:
            first = self.steps.add(message_step(thought, started=started))
            self._last_words = None if is_refusal(message) else (first, text)
        usage = turn.usage if "usage" not in message else usage_of(message["usage"])
        if usage is not NO_USAGE:
            first.usage = usage
            self.usages.append(usage)
        model = message.get("model")
        self.model = self.model or (model if isinstance(model, str) else "")

    def _result(self, message: dict[str, JsonValue], call_id: JsonValue, *, place: str) -> None:
        """A result: of the call with this id, else of the next one that waits, else of the last step."""
        draft = self.steps.find(call_id) or self._next_waiting(message.get("name")) or self.steps.last
        if draft is None:
            self._notes.add(place, _NO_CALL)
            return
        text, media = text_beside_media(message.get("content"))
        draft.observe(text, media=media, ended=message.get("timestamp"))
        self._waiting.pop(id(draft), None)

    def _next_waiting(self, tool: JsonValue) -> Draft | None:
        waiting = list(islice(self._waiting.values(), _MOST_WAITING))
        of_tool = (draft for name, draft in waiting if name == tool)
        return next(of_tool, waiting[0][1] if waiting else None)

    def _told(self, message: dict[str, JsonValue], *, place: str) -> None:
        """What a user says; results of tools may be parts of it, as in Anthropic's messages."""
        content: JsonValue = message.get("content")
        if isinstance(content, list):
            for part in filter(_is_result, content):
                self._result(part, part.get("tool_use_id"), place=place)
            content = [part for part in content if not _is_result(part)]
        text, media = text_beside_media(content)
        if self.steps.last is None:
            self._asked.append(text_of(content))
        elif text or media:
            self.steps.last.observe(text, media=media)


def _is_result(part: JsonValue) -> bool:
    return isinstance(part, dict) and part.get("type") == _TOOL_RESULT
