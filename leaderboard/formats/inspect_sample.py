"""A sample of an Inspect log: its messages become steps, and its scores contain the answer."""

from __future__ import annotations

import json
import re
from typing import Final, NamedTuple

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, Missing, Step, StepKind, Trajectory
from leaderboard.formats import astabench, inspect_steps
from leaderboard.formats.amounts import amount, count, total
from leaderboard.formats.content import text_of
from leaderboard.formats.documents import Notes, as_number, json_text, kind_of_json, note_non_finite
from leaderboard.formats.endings import MAX_DETAIL
from leaderboard.formats.inspect_steps import Attachments
from leaderboard.formats.tool_calls import answer_in

NAME: Final = "Inspect"

_LOADED: Final = re.compile(r"\s*Loaded trajectory:\s*```json\s*\n(.*?)\n?```\s*", re.DOTALL)
_LIMITS: Final = {
    "context": Ending.CONTEXT,
    "token": Ending.CONTEXT,
    "message": Ending.STEPS,
    "turn": Ending.STEPS,
    "time": Ending.TIME,
    "working": Ending.TIME,
    "cost": Ending.COST,
}
_SENT: Final = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")


class InspectSample(NamedTuple):
    """A sample picked from a log; ``attachments``, by index, are those of a chunked sample."""

    document: JsonValue
    attachments: tuple[JsonValue, ...] = ()
    finished: bool = True


def detect(document: object) -> bool:
    """Whether this is a sample picked from a log, or a file of one sample."""
    if isinstance(document, dict):
        return all(key in document for key in ("id", "epoch", "input", "messages"))
    return isinstance(document, InspectSample)


def read(document: InspectSample | dict[str, JsonValue], *, name: str) -> Trajectory:
    """The trajectory in a sample.

    Raises:
        InputError: it is not an object, its messages are not a list of objects, or the agent took no step.
    """
    picked = document if isinstance(document, InspectSample) else InspectSample(document)
    sample = picked.document
    if not isinstance(sample, dict):
        reason = f"the sample is {kind_of_json(sample)}, not an object"
        raise InputError(Problem(name, "$", reason, "export the log again"))
    notes = Notes(name)
    if not picked.finished:
        notes.add("", "the log is unfinished", "check whether samples are missing")
    attachments = Attachments(sample.get("attachments"), picked.attachments, name=name)
    events = _objects(sample.get("events"))
    conversation = inspect_steps.walk(sample, events, attachments, name=name)
    steps = _embedded_steps(events, attachments, name=name, notes=notes) or conversation.steps.build(
        name=name, place="$.messages"
    )
    answer = _answer(sample, attachments)
    if answer is MISSING and steps[-1].kind is StepKind.SUBMIT:
        answer = conversation.steps.answer() if conversation.steps else answer_in(steps[-1].action)
    note_non_finite(None if answer is MISSING else answer, place="$.scores", notes=notes)
    ending, detail = _ending(sample, steps[-1], answered=answer is not MISSING)
    asked = attachments.resolve(sample.get("input"))
    query = asked if isinstance(asked, str) else _user_text(asked)
    cost, sent, received = _cost_and_tokens(sample, notes=notes)
    return Trajectory(
        steps=steps,
        format=NAME,
        query=query or conversation.query,
        prompt=conversation.prompt,
        answer=answer,
        ending=ending,
        ending_detail=detail,
        cost=cost,
        prompt_tokens=sent,
        response_tokens=received,
        warnings=notes.all(),
    )


def _embedded_steps(
    events: list[dict[str, JsonValue]], attachments: Attachments, *, name: str, notes: Notes
) -> tuple[Step, ...]:
    """The steps of a trajectory that another program made and the log contains, or none."""
    for index, event in enumerate(events):
        if event.get("event") != "info":
            continue
        data = attachments.resolve(event.get("data"))
        found = _LOADED.fullmatch(data) if isinstance(data, str) else None
        if not found:
            continue
        place = f"$.events[{index}].data"
        try:
            items = json.loads(found[1])
        except (ValueError, RecursionError):
            notes.add(place, "the trajectory in the log is not JSON; the log's messages are shown instead")
            continue
        return astabench.steps_of(items, place=place, name=name, notes=notes)
    return ()


def _answer(sample: dict[str, JsonValue], attachments: Attachments) -> JsonValue | Missing:
    """The first answer in the scores; older logs have one score only."""
    scores = sample.get("scores")
    found = list(scores.values()) if isinstance(scores, dict) else []
    for score in (*found, sample.get("score")):
        if isinstance(score, dict):
            answer = answer_in(attachments.resolve(score.get("answer")))
            if answer is not MISSING:
                return answer
    return MISSING


def _ending(sample: dict[str, JsonValue], last: Step, *, answered: bool) -> tuple[Ending, str]:
    if last.kind is StepKind.SUBMIT:
        return Ending.SUBMITTED, last.action_type[:MAX_DETAIL]
    error, limit = sample.get("error"), sample.get("limit")
    if error:
        detail = error.get("message") if isinstance(error, dict) else error
        return Ending.EXCEPTION, json_text(detail).strip()[:MAX_DETAIL]
    if limit:
        kind = json_text(limit.get("type") if isinstance(limit, dict) else limit)
        return _LIMITS.get(kind, Ending.EXCEPTION), f"{kind} limit"[:MAX_DETAIL]
    return (Ending.SUBMITTED, "scored") if answered else (Ending.UNKNOWN, "")


def _user_text(messages: JsonValue) -> str:
    texts = [text_of(one.get("content")) for one in _objects(messages) if one.get("role") == "user"]
    return "\n\n".join(texts)


def _cost_and_tokens(
    sample: dict[str, JsonValue], *, notes: Notes
) -> tuple[float | None, int | None, int | None]:
    """Cost and tokens, summed over all models; cached tokens count as sent."""
    usage = sample.get("model_usage")
    models = _objects(list(usage.values())) if isinstance(usage, dict) else []
    place = "$.model_usage"
    cost = amount(_sum(models, "total_cost"), place=place, notes=notes)
    sent = count(_sum(models, *_SENT), place=place, notes=notes)
    return cost, sent, count(_sum(models, "output_tokens"), place=place, notes=notes)


def _sum(models: list[dict[str, JsonValue]], *keys: str) -> float | None:
    numbers = (as_number(model.get(key)) for model in models for key in keys)
    return total([number for number in numbers if number is not None])


def _objects(items: JsonValue) -> list[dict[str, JsonValue]]:
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
