"""A sample of an Inspect log: its messages become steps, and its scores contain the answer."""

from __future__ import annotations

import json
import re
from typing import Final, NamedTuple

from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, Missing, Step, StepKind, Trajectory
from leaderboard.formats import astabench, inspect_steps
from leaderboard.formats.amounts import Usage, amount, count, total
from leaderboard.formats.content import text_of
from leaderboard.formats.documents import Notes, json_text, note_non_finite
from leaderboard.formats.endings import MAX_DETAIL
from leaderboard.formats.inspect_steps import LOG_AGAIN, SENT, Attachments
from leaderboard.formats.shapes import as_object, as_objects, expect
from leaderboard.formats.tool_calls import answer_in

NAME: Final = "Inspect"
PRIORITY: Final = 10
"""Four keys say more than the two of other formats."""

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
    picked = document if isinstance(document, InspectSample) else InspectSample(document)
    sentence = "the sample is {}, not an object"
    sample = expect(dict, picked.document, sentence, name=name, place="$", remedy=LOG_AGAIN)
    notes = Notes(name)
    if not picked.finished:
        notes.add("", "the log is unfinished", "check whether samples are missing")
    attachments = Attachments(sample.get("attachments"), picked.attachments, name=name)
    events = as_objects(sample.get("events"))
    conversation = inspect_steps.walk(sample, events, attachments, name=name)
    steps = _embedded_steps(events, attachments, name=name, notes=notes)
    steps = steps or conversation.build(name=name, place="$.messages")
    answer = _answer(sample, attachments)
    if answer is MISSING and steps[-1].kind is StepKind.SUBMIT:
        answer = conversation.answer() if conversation.last else answer_in(steps[-1].action)
    note_non_finite(answer, place="$.scores", notes=notes)
    ending, detail = _ending(sample, steps[-1], answered=answer is not MISSING)
    asked = attachments.resolve(sample.get("input"))
    query = asked if isinstance(asked, str) else _user_text(asked)
    return Trajectory(
        steps=steps,
        format=NAME,
        query=query or conversation.query,
        prompt=conversation.prompt,
        answer=answer,
        ending=ending,
        ending_detail=detail,
        **_usage(sample, notes=notes)._asdict(),
        warnings=notes.all(),
    )


def _embedded_steps(
    events: list[dict[str, JsonValue]], attachments: Attachments, *, name: str, notes: Notes
) -> tuple[Step, ...]:
    """The steps of a trajectory that another program made and the log contains, or none."""
    for index, event in enumerate(events):
        data = attachments.resolve(event.get("data")) if event.get("event") == "info" else None
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
    for score in as_objects([*as_object(sample.get("scores")).values(), sample.get("score")]):
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
    texts = [text_of(one.get("content")) for one in as_objects(messages) if one.get("role") == "user"]
    return "\n\n".join(texts)


def _usage(sample: dict[str, JsonValue], *, notes: Notes) -> Usage:
    """Summed over all models; cached tokens count as sent."""
    models = as_objects(list(as_object(sample.get("model_usage")).values()))

    def summed(*keys: str) -> float | None:
        return total((model.get(key) for model in models for key in keys), negative=True)

    place = "$.model_usage"
    return Usage(
        amount(summed("total_cost"), place=place, notes=notes),
        count(summed(*SENT), place=place, notes=notes),
        count(summed("output_tokens"), place=place, notes=notes),
    )
