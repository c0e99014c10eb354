"""SUPER's ``history.json``: a query and a list of thoughts, actions and observations."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.trajectory import MISSING, JsonValue, Missing, Shown, Step, StepKind, Trajectory
from leaderboard.formats.amounts import NO_USAGE, Usage, seconds_between, turn_usage, usage_in
from leaderboard.formats.content import media_of
from leaderboard.formats.documents import Notes, as_number, json_text, kind_of_json, note_non_finite
from leaderboard.formats.shapes import as_object, name_in
from leaderboard.formats.super_steps import ending_of, history_items, is_pre_executed, kind_of

NAME: Final = "SUPER history.json"
OWN: Final = "runner"
"""The key under which our runner adds what other readers ignore: `runner.execution.history`."""


def detect(document: JsonValue) -> bool:
    return isinstance(document, dict) and "query" in document and "history" in document


def read(document: JsonValue, *, name: str) -> Trajectory:
    items = history_items(document["history"], name=name, place="$.history")
    notes = Notes(name)
    own = as_object(document.get(OWN))
    sizes = as_object(own.get("settings"))
    steps = tuple(
        _step(item, n, sizes, place=place, notes=notes) for n, (place, item) in enumerate(items, start=1)
    )
    answer = _answer(*items[-1], steps[-1], notes=notes)
    ending, detail = ending_of(steps[-1])
    usage = "total_cost", "total_context_tokens_count", "total_response_tokens_count"
    return Trajectory(
        steps=steps,
        format=NAME,
        query=_text(document["query"], "$.query", notes),
        answer=answer,
        ending=ending,
        ending_detail=detail,
        **usage_in(document, *usage, place="$", notes=notes)._asdict(),
        warnings=notes.all(),
        agent=name_in(own.get("agent")),
        model=name_in(sizes.get("model")),
        elapsed=seconds_between(own.get("started"), own.get("ended")),
    )


def _step(
    item: dict[str, JsonValue], number: int, sizes: dict[str, JsonValue], *, place: str, notes: Notes
) -> Step:
    """A step; ``sizes`` are the settings of an agent of our runner, or empty."""
    action_type, action = _action(item.get("action"), number, place=f"{place}.action", notes=notes)
    thought = _text(item.get("thought"), f"{place}.thought", notes)
    observation = item.get("observation")
    if observation is None:
        notes.add(f"{place}.observation", f"step {number:,} has no observation")
    else:
        observation = _text(observation, f"{place}.observation", notes)
    started, duration = _times(item, number, place=place, notes=notes)
    return Step(
        number=number,
        kind=kind_of(action_type, thought),
        action_type=action_type,
        action=action,
        thought=thought,
        observation=observation,
        duration=duration,
        started=started,
        pre_executed=is_pre_executed(thought),
        # Our runner writes the images that a cell displayed, as data URLs.
        media=tuple(media_of({"type": "image", "image_urls": item.get("images")})),
        shown=_shown(observation, sizes),
        **_usage(as_object(item.get(OWN)))._asdict(),
    )


def _usage(own: dict[str, JsonValue]) -> Usage:
    """What our runner noted of the model's calls for a step; nothing where it called none."""
    if not own.get("calls"):
        return NO_USAGE
    return turn_usage(own.get("cost"), own.get("prompt_tokens"), own.get("response_tokens"))


def _shown(observation: str | None, sizes: dict[str, JsonValue]) -> Shown | None:
    """What our runner's agents were shown of a long observation: its end, and later less of it."""
    newest, older = as_number(sizes.get("newest_observation")), as_number(sizes.get("older_observation"))
    if not observation or newest is None or older is None or not 0 <= newest < len(observation):
        return None
    where = f"the last {int(newest):,}, and of older observations the last {int(older):,}"
    return Shown(int(newest), len(observation), where)


def _action(action: JsonValue, number: int, *, place: str, notes: Notes) -> tuple[str, str]:
    """The action's type and content; any other value becomes the content of an action without type."""
    if not isinstance(action, dict):
        if action is None:
            notes.add(place, f"step {number:,} has no action")
        else:
            found = kind_of_json(action)
            notes.add(place, f"the action of step {number:,} is {found}, not an object")
        return "", json_text(action)
    if "type" not in action:
        notes.add(place, f"the action of step {number:,} has no type")
    kind = action.get("type", "")
    if kind is not None and not isinstance(kind, str):
        notes.add(f"{place}.type", f"the action's type is {kind_of_json(kind)}, not a string")
    # The published notebooks write a null type as None: both files of a run must read the same.
    return "None" if kind is None else json_text(kind), json_text(action.get("content"))


def _answer(place: str, item: dict[str, JsonValue], step: Step, *, notes: Notes) -> JsonValue | Missing:
    """The submission; its content is already parsed, so a string stays a string."""
    if step.kind is not StepKind.SUBMIT:
        return MISSING
    place = f"{place}.action.content"
    if "content" not in item["action"]:
        notes.add(place, "the submission has no content")
        return MISSING
    answer = item["action"]["content"]
    note_non_finite(answer, place=place, notes=notes)
    return answer


def _text(value: JsonValue, place: str, notes: Notes) -> str:
    if value is not None and not isinstance(value, str):
        notes.add(place, f"{kind_of_json(value)} where text was expected; kept as JSON text")
    return json_text(value)


def _times(item: dict[str, JsonValue], number: int, *, place: str, notes: Notes) -> tuple[str, float | None]:
    """The start as in the file, and the duration in seconds if both times are known."""
    start, end = item.get("execution_start_time"), item.get("execution_end_time")
    started = start if isinstance(start, str) else ""
    if start is None and end is None:
        return started, None
    duration = seconds_between(start, end) if isinstance(start, str) and isinstance(end, str) else None
    if duration is None:
        notes.add(f"{place}.execution_start_time", f"the times of step {number:,} give no duration")
    return started, duration
