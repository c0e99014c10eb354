"""OpenHands V1 events: each has a ``kind``, and an observation has its action's id."""

from __future__ import annotations

import re
from typing import Final

from leaderboard.domain.media import from_base64
from leaderboard.domain.trajectory import JsonValue, StepKind
from leaderboard.formats.amounts import NO_USAGE, Usage, turn_usage
from leaderboard.formats.content import join_thoughts, media_of, reasoning_of, text_beside_media, text_of
from leaderboard.formats.documents import json_text
from leaderboard.formats.openhands_v0 import EventSummary
from leaderboard.formats.shapes import as_object, as_objects
from leaderboard.formats.step_list import Draft, StepList, message_step
from leaderboard.formats.tool_calls import Call, call_of

# Arguments that are options of a call, not its content.
_MINOR_ARGUMENTS: Final = frozenset(
    {"kind", "is_input", "timeout", "reset", "security_risk", "summary", "view_range"}
)

_THINKING: Final = re.compile(r"\s*<think>(.*?)</think>", re.DOTALL)


def walk(
    events: list[dict[str, JsonValue]], steps: StepList, state: dict[str, JsonValue] | None = None
) -> EventSummary:
    """Fill ``steps``, and return what else the events contain.

    ``state`` is the conversation's, where it is stored beside the events: what it says of the end counts.
    """
    summary = EventSummary()
    final = state or {}
    of_response = _usage_by_response(final.get("stats"))
    for event in events:
        kind = event.get("kind")
        if kind == "ActionEvent":
            _act(event, steps, of_response)
        elif kind == "ACPToolCallEvent":
            _external_call(event, steps)
        elif kind == "MessageEvent":
            _add_message(event, steps)
        elif kind == "SystemPromptEvent":
            steps.prompt = steps.prompt or text_of(event.get("system_prompt"))
        elif kind == "ConversationErrorEvent":
            # The code tells a limit, the detail its value.
            said = (json_text(event.get(key)) for key in ("code", "detail"))
            summary.error = ": ".join(filter(None, said))
        elif kind == "ConversationStateUpdateEvent":
            _note_state(event, summary)
        else:
            _observe(event, steps)
    _note_stats(final.get("stats"), summary)
    summary.state = json_text(final.get("execution_status")) or summary.state
    model = as_object(as_object(final.get("agent")).get("llm")).get("model")
    summary.model = json_text(model) or summary.model
    return summary


def _usage_by_response(stats: JsonValue) -> dict[str, Usage]:
    """The usage of each of the model's responses, by its id, where the state lists them."""
    found: dict[str, Usage] = {}
    for use in as_object(as_object(stats).get("usage_to_metrics")).values():
        for one in as_objects(as_object(use).get("token_usages")):
            key = one.get("response_id")
            if isinstance(key, str) and key:
                found[key] = turn_usage(
                    None,
                    one.get("prompt_tokens"),
                    one.get("completion_tokens"),
                    one.get("cache_read_tokens"),
                    one.get("reasoning_tokens"),
                )
    return found


def _act(event: dict[str, JsonValue], steps: StepList, of_response: dict[str, Usage]) -> None:
    tool = json_text(event.get("tool_name"))
    action = event.get("action")
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
    draft = steps.add(Draft(call, _thought(event), event.get("timestamp")), call_id=event.get("id"))
    steps.add_id(draft, event.get("tool_call_id"))
    response = event.get("llm_response_id")
    if isinstance(response, str):
        # Several calls of one response: the first has its usage.
        draft.usage = of_response.pop(response, NO_USAGE)


def _thought(event: dict[str, JsonValue]) -> str:
    """The model's reasoning and its text, which may repeat the reasoning between tags."""
    reasoning = json_text(event.get("reasoning_content")) or reasoning_of(event.get("thinking_blocks"))
    text = text_of(event.get("thought"))
    repeated = _THINKING.match(text) if reasoning else None
    if repeated and repeated[1].strip() == reasoning.strip():
        return join_thoughts(reasoning.strip(), text[repeated.end() :].strip())
    return join_thoughts(reasoning, text)


def _external_call(event: dict[str, JsonValue], steps: StepList) -> None:
    """A call of an agent behind the Agent Client Protocol: told several times, the last one whole."""
    key = event.get("tool_call_id")
    tool = json_text(event.get("tool_kind")) or json_text(event.get("title"))
    call = call_of(tool, event.get("raw_input"))
    draft = steps.find(key) or steps.add(Draft(call, "", event.get("timestamp")), call_id=key)
    draft.call = call
    if event.get("raw_output") is not None:
        draft.observations.clear()
        draft.observe(text_of(event["raw_output"]), ended=event.get("timestamp"))


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
    if key == "stats":
        _note_stats(value, summary)
    elif key == "execution_status":
        summary.state = json_text(value)
    elif key == "full_state" and isinstance(value, dict):
        summary.state = json_text(value.get("execution_status")) or summary.state
        _note_stats(value.get("stats"), summary)
        model = as_object(as_object(value.get("agent")).get("llm")).get("model")
        summary.model = json_text(model) or summary.model


def _note_stats(stats: JsonValue, summary: EventSummary) -> None:
    """The totals of each use of a model so far, and the first use's model."""
    uses = as_objects(list(as_object(as_object(stats).get("usage_to_metrics")).values()))
    summary.metrics = list(uses) or summary.metrics
    summary.model = summary.model or next((json_text(use.get("model_name")) for use in uses), "")


def _observe(event: dict[str, JsonValue], steps: StepList) -> None:
    """Add the result of an action: an observation, an agent error, or a rejection by the user."""
    draft = steps.find(event.get("action_id")) or steps.find(event.get("tool_call_id"))
    if draft is None:
        return
    observation = event.get("observation")
    if isinstance(observation, dict):
        content = observation.get("content")
        text, media = text_beside_media(content)
        text = text or text_of(observation.get("output"))
        screenshot = observation.get("screenshot_data")
        if isinstance(screenshot, str) and screenshot:
            # Bare base64, often of a picture that is in the content, too.
            media.append(from_base64("image/png", screenshot))
    else:
        text, media = text_beside_media(observation)
    text = text or json_text(event.get("error")) or json_text(event.get("rejection_reason"))
    draft.observe(text, media=dict.fromkeys(media), ended=event.get("timestamp"))
