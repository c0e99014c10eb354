"""OpenHands' second generation of events: each has a ``kind``, observations name the action they answer."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.trajectory import JsonValue, StepKind
from leaderboard.formats.amounts import seconds_between, shown_moment
from leaderboard.formats.content import join_thoughts, text_of
from leaderboard.formats.documents import json_text
from leaderboard.formats.openhands_v0 import Heard
from leaderboard.formats.step_list import Draft, StepList, talk
from leaderboard.formats.tool_calls import Call, call_of

# Arguments that say how, not what.
_ASIDE: Final = frozenset({"kind", "is_input", "timeout", "reset", "security_risk", "summary", "view_range"})


def walk(events: list[dict[str, JsonValue]], steps: StepList) -> Heard:
    """Fill the steps, and give what else there is."""
    heard = Heard()
    times: dict[int, JsonValue] = {}
    for event in events:
        kind = event.get("kind")
        if kind == "ActionEvent":
            draft = _act(event, steps)
            times[id(draft)] = event.get("timestamp")
        elif kind == "MessageEvent":
            _hear(event, steps, heard)
        elif kind == "SystemPromptEvent":
            heard.prompt = heard.prompt or text_of(event.get("system_prompt"))
        elif kind == "ConversationErrorEvent":
            heard.error = json_text(event.get("detail")) or json_text(event.get("code"))
        elif kind == "ConversationStateUpdateEvent":
            _note_state(event, heard)
        else:
            _observe(event, steps, times)
    return heard


def _act(event: dict[str, JsonValue], steps: StepList) -> Draft:
    tool = json_text(event.get("tool_name"))
    action = event.get("action")
    thought = join_thoughts(json_text(event.get("reasoning_content")), text_of(event.get("thought")))
    if isinstance(action, dict):
        tool = tool or json_text(action.get("kind"))
        told = {key: value for key, value in action.items() if key not in _ASIDE and value is not None}
        call = call_of(tool, told)
        if tool == "think":
            call = Call(StepKind.OTHER, tool, json_text(told.get("thought")))
    else:
        # The call did not fit its tool, so there is only what the model wrote.
        call = Call(StepKind.FORMAT_ERROR, tool, json_text(_arguments(event.get("tool_call"))))
    draft = steps.add(Draft(call, thought, shown_moment(event.get("timestamp"))), call_id=event.get("id"))
    steps.know(draft, event.get("tool_call_id"))
    return draft


def _arguments(call: JsonValue) -> JsonValue:
    if not isinstance(call, dict):
        return call
    function = call.get("function")
    return function.get("arguments") if isinstance(function, dict) else call.get("arguments")


def _hear(event: dict[str, JsonValue], steps: StepList, heard: Heard) -> None:
    message = event.get("llm_message")
    message = message if isinstance(message, dict) else {}
    text = text_of(message.get("content"))
    if event.get("source") == "agent":
        thought = join_thoughts(json_text(message.get("reasoning_content")), text)
        steps.add(talk(thought, started=shown_moment(event.get("timestamp"))))
    elif steps.last is None:
        heard.query = heard.query or text
    elif text:
        steps.last.seen.append(text)


def _note_state(event: dict[str, JsonValue], heard: Heard) -> None:
    key, value = event.get("key"), event.get("value")
    if key == "execution_status":
        heard.state = json_text(value)
    elif key == "full_state" and isinstance(value, dict):
        heard.state = json_text(value.get("execution_status")) or heard.state


def _observe(event: dict[str, JsonValue], steps: StepList, times: dict[int, JsonValue]) -> None:
    """What an action led to: an observation, an error of the agent's, a refusal by the user."""
    draft = steps.find(event.get("action_id")) or steps.find(event.get("tool_call_id"))
    if draft is None:
        return
    observation = event.get("observation")
    if isinstance(observation, dict):
        text = text_of(observation.get("content")) or text_of(observation.get("output"))
    else:
        text = text_of(observation)
    text = text or json_text(event.get("error")) or json_text(event.get("rejection_reason"))
    draft.seen.append(text)
    if draft.duration is None:
        draft.duration = seconds_between(times.get(id(draft)), event.get("timestamp"))
