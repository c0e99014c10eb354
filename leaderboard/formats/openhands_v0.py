"""OpenHands V0 events: an ``action`` with ``args``, an ``observation`` with ``content``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from leaderboard.domain.media import Media, from_url
from leaderboard.domain.trajectory import JsonValue, StepKind
from leaderboard.formats.amounts import NO_USAGE, Usage, turn_usage
from leaderboard.formats.content import join_thoughts, media_of, text_of
from leaderboard.formats.documents import json_text
from leaderboard.formats.shapes import as_object, name_in
from leaderboard.formats.step_list import Draft, StepList, message_step
from leaderboard.formats.tool_calls import Call, call_of

# Actions and observations of the framework itself, which are not steps of the agent.
_INTERNAL_EVENTS: Final = frozenset(
    {"change_agent_state", "agent_state_changed", "null", "recall", "system", "condensation"}
)
# Arguments that are options of a call, not its content.
_MINOR_ARGUMENTS: Final = frozenset(
    {
        *("thought", "is_input", "blocking", "hidden", "keep_prompt", "confirmation_state", "security_risk"),
        *("timeout", "cwd", "is_static", "include_extra", "kernel_init_code", "impl_source", "start", "end"),
        *("translated_ipython_code", "task_completed", "view_range", "return_axtree"),
    }
)
# Values of unused arguments, which are left out.
_EMPTY: tuple[JsonValue, ...] = (None, "", [], {})


@dataclass(slots=True)
class EventSummary:
    """What the events contain besides steps.

    ``metrics`` are the totals of each use of a model, as last said; ``answers`` the ids of the model's
    answers so far; ``delegate`` is the sub-agent that is at work.
    """

    state: str = ""
    error: str = ""
    metrics: list[JsonValue] = field(default_factory=list)
    answers: set[str] = field(default_factory=set)
    agent: str = ""
    model: str = ""
    delegate: str = ""


def walk(events: list[dict[str, JsonValue]], steps: StepList) -> EventSummary:
    """Fill ``steps``, and return what else the events contain."""
    summary = EventSummary()
    for event in events:
        metrics = event.get("llm_metrics")
        if isinstance(metrics, dict):
            summary.metrics = [metrics]
        if "observation" in event:
            _observe(event, steps, summary)
        elif "action" in event:
            _act(event, steps, summary)
    return summary


def _act(event: dict[str, JsonValue], steps: StepList, summary: EventSummary) -> None:
    """Add a step, or something that was text to the agent."""
    word, args = json_text(event.get("action")), as_object(event.get("args"))
    text = text_of(args.get("content")) or json_text(event.get("message"))
    if word == "system":
        steps.prompt = steps.prompt or text
        name = (json_text(args.get(key)) for key in ("agent_class", "openhands_version"))
        summary.agent = summary.agent or " ".join(filter(None, name))
    if word in _INTERNAL_EVENTS:
        return
    if event.get("source") != "agent":
        if word == "message":
            steps.tell(text, media_of(args.get("content")) + _pictures(args.get("image_urls")))
        return
    started = event.get("timestamp")
    # The thought of "think" is its action.
    thought = "" if word == "think" else _thought(args)
    if word == "message":
        draft = message_step(join_thoughts(thought, text), started=started)
    else:
        draft = Draft(_call(word, args), thought, started)
    draft.usage = _usage(event, summary)
    draft.agent = summary.delegate
    steps.add(draft, call_id=event.get("id"))
    if word == "delegate":
        # What follows until its result is the sub-agent's.
        summary.delegate = name_in(args.get("agent")) or "sub-agent"


def _usage(event: dict[str, JsonValue], summary: EventSummary) -> Usage:
    """The usage of the model's answer that the event is from; each answer counts for its first event."""
    answer = as_object(as_object(event.get("tool_call_metadata")).get("model_response"))
    key, usage = answer.get("id"), as_object(answer.get("usage"))
    summary.model = summary.model or json_text(answer.get("model"))
    if isinstance(key, str):
        if key in summary.answers:
            return NO_USAGE
        summary.answers.add(key)
    sent, received = usage.get("prompt_tokens"), usage.get("completion_tokens")
    cached = as_object(usage.get("prompt_tokens_details")).get("cached_tokens")
    reasoning = as_object(usage.get("completion_tokens_details")).get("reasoning_tokens")
    return turn_usage(None, sent, received, cached, reasoning)


def _call(word: str, args: dict[str, JsonValue]) -> Call:
    if word == "edit" and isinstance(args.get("command"), str) and args["command"]:
        return call_of("str_replace_editor", args)._replace(action_type=f"edit {args['command']}")
    if word == "think":
        return Call(StepKind.OTHER, word, json_text(args.get("thought")))
    if word in ("mcp", "call_tool_mcp") and isinstance(args.get("name"), str):
        return call_of(args["name"], args.get("arguments"))
    content = {
        key: value for key, value in args.items() if key not in _MINOR_ARGUMENTS and value not in _EMPTY
    }
    return call_of(word, content)


def _thought(args: dict[str, JsonValue]) -> str:
    thought = args.get("thought")
    if isinstance(thought, dict):  # newer: a text, and the model's reasoning
        return join_thoughts(json_text(thought.get("reasoning_content")), json_text(thought.get("text")))
    return json_text(thought)


def _observe(event: dict[str, JsonValue], steps: StepList, summary: EventSummary) -> None:
    word, extras = json_text(event.get("observation")), as_object(event.get("extras"))
    if word == "agent_state_changed":
        summary.state = json_text(extras.get("agent_state"))
        summary.error = json_text(extras.get("reason")) or summary.error
    if word in _INTERNAL_EVENTS:
        return
    if word == "delegate":
        summary.delegate = ""
    text = text_of(event.get("content"))
    if word == "error":
        summary.error = text
    cause = event.get("cause")
    draft = steps.find(cause) if cause is not None else steps.last
    if draft is not None:
        pictures = _pictures([extras.get("screenshot"), *_list(extras.get("image_urls"))])
        media = media_of(event.get("content")) + pictures
        draft.observe(text, media=dict.fromkeys(media), ended=event.get("timestamp"))


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _pictures(addresses: JsonValue) -> list[Media]:
    return [from_url(address) for address in _list(addresses) if isinstance(address, str) and address]
