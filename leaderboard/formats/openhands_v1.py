"""OpenHands V1 events: each has a ``kind``, and an observation has its action's id."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.media import from_base64
from leaderboard.domain.trajectory import JsonValue, StepKind
from leaderboard.formats.content import join_thoughts, media_of, text_of
from leaderboard.formats.documents import json_text
from leaderboard.formats.openhands_v0 import EventSummary
from leaderboard.formats.shapes import as_object
from leaderboard.formats.step_list import Draft, StepList, message_step
from leaderboard.formats.tool_calls import Call, call_of

# Arguments that are options of a call, not its content.
_MINOR_ARGUMENTS: Final = frozenset(
    {"kind", "is_input", "timeout", "reset", "security_risk", "summary", "view_range"}
)


def walk(events: list[dict[str, JsonValue]], steps: StepList) -> EventSummary:
    """Fill ``steps``, and return what else the events contain."""
    summary = EventSummary()
    for event in events:
        kind = event.get("kind")
        if kind == "ActionEvent":
            _act(event, steps)
        elif kind == "MessageEvent":
            _add_message(event, steps)
        elif kind == "SystemPromptEvent":
            steps.prompt = steps.prompt or text_of(event.get("system_prompt"))
        elif kind == "ConversationErrorEvent":
            summary.error = json_text(event.get("detail")) or json_text(event.get("code"))
        elif kind == "ConversationStateUpdateEvent":
            _note_state(event, summary)
        else:
            _observe(event, steps)
    return summary


def _act(event: dict[str, JsonValue], steps: StepList) -> None:
    tool = json_text(event.get("tool_name"))
    action = event.get("action")
    thought = join_thoughts(json_text(event.get("reasoning_content")), text_of(event.get("thought")))
    if isinstance(action, dict):
        tool = tool or json_text(action.get("kind"))
        arguments = {
            key: value for key, value in action.items() if key not in _MINOR_ARGUMENTS and value is not None
        }
        call = call_of(tool, arguments)
        if tool == "think":
            call = Call(StepKind.OTHER, tool, json_text(arguments.get("thought")))
    else:
        # The call was invalid for its tool: there is only the model's text.
        call = Call(StepKind.FORMAT_ERROR, tool, json_text(_arguments(event.get("tool_call"))))
    draft = steps.add(Draft(call, thought, event.get("timestamp")), call_id=event.get("id"))
    steps.add_id(draft, event.get("tool_call_id"))


def _arguments(call: JsonValue) -> JsonValue:
    if not isinstance(call, dict):
        return call
    function = call.get("function")
    return function.get("arguments") if isinstance(function, dict) else call.get("arguments")


def _add_message(event: dict[str, JsonValue], steps: StepList) -> None:
    message = as_object(event.get("llm_message"))
    text = text_of(message.get("content"))
    if event.get("source") == "agent":
        thought = join_thoughts(json_text(message.get("reasoning_content")), text)
        steps.add(message_step(thought, started=event.get("timestamp")))
    else:
        steps.tell(text, media_of(message.get("content")))


def _note_state(event: dict[str, JsonValue], summary: EventSummary) -> None:
    key, value = event.get("key"), event.get("value")
    if key == "execution_status":
        summary.state = json_text(value)
    elif key == "full_state" and isinstance(value, dict):
        summary.state = json_text(value.get("execution_status")) or summary.state


def _observe(event: dict[str, JsonValue], steps: StepList) -> None:
    """Add the result of an action: an observation, an agent error, or a rejection by the user."""
    draft = steps.find(event.get("action_id")) or steps.find(event.get("tool_call_id"))
    if draft is None:
        return
    observation = event.get("observation")
    if isinstance(observation, dict):
        text = text_of(observation.get("content")) or text_of(observation.get("output"))
        media = media_of(observation.get("content"))
        screenshot = observation.get("screenshot_data")
        if isinstance(screenshot, str) and screenshot:
            # Bare base64, often of a picture that is in the content, too.
            media.append(from_base64("image/png", screenshot))
    else:
        text, media = text_of(observation), media_of(observation)
    text = text or json_text(event.get("error")) or json_text(event.get("rejection_reason"))
    draft.observe(text, media=dict.fromkeys(media), ended=event.get("timestamp"))
