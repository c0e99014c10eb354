"""A sample of an Inspect log: its events and messages become steps, and its scores are rewards."""

from __future__ import annotations

import json
import re
from typing import Final, NamedTuple

from leaderboard.domain.trajectory import MISSING, Ending, JsonValue, Missing, Step, StepKind, Trajectory
from leaderboard.formats import astabench
from leaderboard.formats.amounts import Usage, amount, count, total
from leaderboard.formats.content import text_of
from leaderboard.formats.documents import Notes, json_text, note_non_finite
from leaderboard.formats.endings import MAX_DETAIL
from leaderboard.formats.inspect_steps import LOG_AGAIN, Attachments, Conversation
from leaderboard.formats.inspect_turns import SENT
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


# A model's reasons to stop, other than that it was done.
_STOPS: Final = {
    "model_length": Ending.CONTEXT,
    "max_tokens": Ending.CONTEXT,
    "content_filter": Ending.EXCEPTION,
}
_DONE: Final = ("stop", "unknown", "tool_calls", "")
_NO_MODEL: Final = ("", "none", "none/none")
# Logs list the solvers that this one is made of; the loop is the last.
_LOOP: Final = "basic_agent_loop"


class InspectSample(NamedTuple):
    """A sample picked from a log; ``attachments``, by index, are those of a chunked sample.

    ``header`` has what the log says of the whole run, in ``eval`` and ``plan``.
    """

    document: JsonValue
    attachments: tuple[JsonValue, ...] = ()
    finished: bool = True
    header: JsonValue = None


class _Outcome(NamedTuple):
    answer: JsonValue | Missing
    ending: Ending
    detail: str


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
    conversation = Conversation(sample, attachments, name=name)
    embedded = _embedded_steps(as_objects(sample.get("events")), attachments, name=name, notes=notes)
    steps = embedded or conversation.steps.build(name=name, place="$.messages")
    if embedded:
        outcome = _outcome_of_embedded(sample, embedded[-1], attachments)
    else:
        outcome = _outcome(sample, conversation, attachments)
    note_non_finite(outcome.answer, place="$.scores", notes=notes)
    asked = attachments.resolve(sample.get("input"))
    query = asked if isinstance(asked, str) else _user_text(asked)
    return Trajectory(
        steps=steps,
        format=NAME,
        query=query or conversation.steps.query,
        prompt=conversation.steps.prompt,
        answer=outcome.answer,
        ending=outcome.ending,
        ending_detail=outcome.detail[:MAX_DETAIL],
        **_usage(sample, conversation.judged, notes=notes)._asdict(),
        warnings=notes.all(),
        agent=_agent(as_object(picked.header)),
        model=_model(as_object(picked.header), sample),
        elapsed=amount(sample.get("total_time"), place="$.total_time", notes=notes),
        rewards=_rewards(sample, attachments),
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


def _outcome(sample: dict[str, JsonValue], conversation: Conversation, attachments: Attachments) -> _Outcome:
    """The agent's own submission comes first, then its last words, then what a scorer took for its answer.

    Last words are an answer if the agent ended by itself and had no tool to submit one. Where it had and was
    cut off before, a scorer can't know an answer either.
    """
    submitted, cut_off = conversation.submitted, _cut_off(sample)
    answer: JsonValue | Missing = MISSING
    if submitted is not None:
        answer = answer_in(submitted.call.submitted)
        answer = "" if answer is MISSING else answer
        if conversation.is_done:
            return _Outcome(answer, Ending.SUBMITTED, submitted.call.action_type)
    reason = _stop_reason(sample)
    if answer is MISSING and not cut_off and not conversation.can_submit and reason in _DONE:
        words = _last_words(sample, conversation, attachments)
        if words:
            return _Outcome(answer_in(words), Ending.SUBMITTED, reason or "stop")
    if answer is MISSING and not (cut_off and conversation.can_submit):
        answer = _scored_answer(sample, attachments)
        if not cut_off and answer is not MISSING:
            return _Outcome(answer, Ending.SUBMITTED, "scored")
    return _Outcome(answer, *(cut_off or _ending_of_stop(reason)))


def _last_words(sample: dict[str, JsonValue], conversation: Conversation, attachments: Attachments) -> str:
    """The text that the agent ended with, as a solver may have changed it; empty if it ended with a call."""
    completion = attachments.resolve(as_object(sample.get("output")).get("completion"))
    words = conversation.last_words.strip()
    return completion if words and isinstance(completion, str) and completion.strip() else words


def _outcome_of_embedded(sample: dict[str, JsonValue], last: Step, attachments: Attachments) -> _Outcome:
    """That of a trajectory that another program made: its submission is code, and a scorer has the value."""
    answer = _scored_answer(sample, attachments)
    if last.kind is StepKind.SUBMIT:
        answer = answer_in(last.action) if answer is MISSING else answer
        return _Outcome(answer, Ending.SUBMITTED, last.action_type)
    if cut_off := _cut_off(sample):
        return _Outcome(answer, *cut_off)
    return _Outcome(answer, *((Ending.UNKNOWN, "") if answer is MISSING else (Ending.SUBMITTED, "scored")))


def _scored_answer(sample: dict[str, JsonValue], attachments: Attachments) -> JsonValue | Missing:
    """The first answer in the scores; older logs have one score only."""
    for score in as_objects([*as_object(sample.get("scores")).values(), sample.get("score")]):
        answer = answer_in(attachments.resolve(score.get("answer")))
        if answer is not MISSING:
            return answer
    return MISSING


def _cut_off(sample: dict[str, JsonValue]) -> tuple[Ending, str] | None:
    """The error or the limit that ended the sample, if one did."""
    error, limit = sample.get("error"), sample.get("limit")
    if error:
        detail = error.get("message") if isinstance(error, dict) else error
        return Ending.EXCEPTION, json_text(detail).strip()
    if limit:
        kind = json_text(limit.get("type") if isinstance(limit, dict) else limit)
        return _LIMITS.get(kind, Ending.EXCEPTION), f"{kind} limit"
    return None


def _stop_reason(sample: dict[str, JsonValue]) -> str:
    choices = as_objects(as_object(sample.get("output")).get("choices"))
    return json_text(choices[0].get("stop_reason")) if choices else ""


def _ending_of_stop(reason: str) -> tuple[Ending, str]:
    return (_STOPS[reason], reason) if reason in _STOPS else (Ending.UNKNOWN, "")


def _rewards(sample: dict[str, JsonValue], attachments: Attachments) -> tuple[tuple[str, JsonValue], ...]:
    """Each score's value as the log has it, by its scorer's name."""
    scores = as_object(sample.get("scores")) or {"score": sample.get("score")}
    found = ((name, score) for name, score in scores.items() if isinstance(score, dict) and "value" in score)
    return tuple((name, attachments.resolve(score["value"])) for name, score in found)


def _agent(header: dict[str, JsonValue]) -> str:
    """The solver's name: the one that was chosen, else the last of the task's own."""
    chosen = as_object(header.get("eval")).get("solver")
    steps = as_objects(as_object(header.get("plan")).get("steps"))
    found = chosen or (steps[-1].get("solver") if steps else None)
    return "basic_agent" if found == _LOOP else json_text(found)


def _model(header: dict[str, JsonValue], sample: dict[str, JsonValue]) -> str:
    """The run's model; a solver that brings its own leaves that empty."""
    models = (as_object(header.get("eval")).get("model"), as_object(sample.get("output")).get("model"))
    return next((one for one in models if isinstance(one, str) and one not in _NO_MODEL), "")


def _user_text(messages: JsonValue) -> str:
    texts = [text_of(one.get("content")) for one in as_objects(messages) if one.get("role") == "user"]
    return "\n\n".join(texts)


def _usage(sample: dict[str, JsonValue], judged: list[Usage], *, notes: Notes) -> Usage:
    """The sample's, over all models, without what scorers used; cached tokens count as sent."""
    models = as_objects(list(as_object(sample.get("model_usage")).values()))

    def used(field: str, *keys: str) -> float | None:
        summed = total((model.get(key) for model in models for key in keys), negative=True)
        others = total(getattr(usage, field) for usage in judged)
        return summed if summed is None or others is None or others > summed else summed - others

    place = "$.model_usage"
    return Usage(
        amount(used("cost", "total_cost"), place=place, notes=notes),
        count(used("prompt_tokens", *SENT), place=place, notes=notes),
        count(used("response_tokens", "output_tokens"), place=place, notes=notes),
        count(used("cached_tokens", "input_tokens_cache_read"), place=place, notes=notes),
        count(used("reasoning_tokens", "reasoning_tokens"), place=place, notes=notes),
    )
