"""HAL's uploads, ``{config, raw_eval_results, raw_logging_results}``: the conversations at a run's tasks."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NoReturn

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.amounts import turn_usage
from leaderboard.formats.conversations import AGENT, Conversation, Turn
from leaderboard.formats.documents import kind_of_json
from leaderboard.formats.hal_calls import calls_of, conversation_of_calls, lost_calls, tasks_of
from leaderboard.formats.samples import Picked, Sample, as_task_id
from leaderboard.formats.shapes import as_object, as_objects, name_in
from leaderboard.formats.token_usage import add_usage, usage_of

NAME: Final = "a HAL upload"
PLACE: Final = "$.raw_logging_results"

_KEYS: Final = ("config", "raw_eval_results", "raw_logging_results")
_ENCRYPTED: Final = ("encrypted_data", "salt")


def detect(content: object) -> bool:
    """Whether this is an upload, or one that HAL's tool encrypted, which is refused by name."""
    if not isinstance(content, dict):
        return False
    return all(key in content for key in _KEYS) or content.keys() == set(_ENCRYPTED)


def samples(content: dict[str, JsonValue], *, name: str) -> tuple[Sample, ...]:
    """A sample for each task, with its id as the key.

    Raises:
        InputError: the upload is encrypted, or has no transcripts.
    """
    if "raw_logging_results" not in content:
        _refuse(name, "$", "this HAL upload is encrypted", "decrypt it with HAL's own tool first")
    logged = content["raw_logging_results"]
    if isinstance(logged, str) and logged:
        reason = "HAL kept no transcript in it, only a text: the agent ran in Inspect"
        _refuse(name, PLACE, reason, "give Inspect's own log of the run")
    if not logged or not isinstance(logged, dict | list):
        _refuse(name, PLACE, "there is no transcript in it", "give the whole upload, not the slim one")
    if isinstance(logged, dict):
        return tuple(_sample(task, value, name) for task, value in logged.items())
    tasks = tasks_of(logged)
    if not tasks:
        _refuse(
            name, PLACE, "none of its calls names a task", "give an upload with weave_task_id in its calls"
        )
    return tuple(Sample(task, as_task_id(task)) for task in tasks)


def pick(content: dict[str, JsonValue], index: int, sample: Sample, *, name: str) -> Picked:
    logged, task = content["raw_logging_results"], sample.key
    config = as_object(content["config"])
    model = name_in(as_object(config.get("agent_args")).get("model_name"))
    if isinstance(logged, list):
        conversation = conversation_of_calls(calls_of(task, logged), name=name)
    else:
        conversation = _conversation(as_object(logged[task]), name=name)
    seconds = as_object(content.get("wall_clock_times")).get(task)
    known = replace(
        conversation,
        model=conversation.model or model,
        agent=name_in(config.get("agent_name")),
        elapsed=turn_usage(seconds, None, None).cost,
    )
    return Picked(known, _place(task))


def _conversation(entry: dict[str, JsonValue], *, name: str) -> Conversation:
    """The conversation at a task. Its calls are those of its answers, in order, if there are as many."""
    messages, calls = entry.get("messages"), as_objects(entry.get("call_metadata"))
    answers = [number for number, message in enumerate(as_objects(messages)) if message.get("role") == AGENT]
    turns = [Turn(usage_of(call.get("usage")), call.get("started_at")) for call in calls]
    count = entry.get("call_count")
    made = count if type(count) is int else len(calls)
    return Conversation(
        messages,
        model=name_in(entry.get("model")),
        usage=add_usage(turn.usage for turn in turns),
        turns=dict(zip(answers, turns, strict=True)) if len(answers) == len(turns) else {},
        warnings=lost_calls(made - len(answers), name=name, place="$.messages"),
    )


def _sample(task: str, value: JsonValue, name: str) -> Sample:
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        return Sample(task, as_task_id(task))
    what = "an object without messages" if isinstance(value, dict) else kind_of_json(value)
    problem = Problem(name, _place(task), f"the transcript is {what}", "leave the task out")
    return Sample(task, as_task_id(task), problem=problem)


def _place(task: str) -> str:
    return f"{PLACE}.{task[:80]}"


def _refuse(name: str, place: str, reason: str, remedy: str) -> NoReturn:
    raise InputError(Problem(name, place, reason, remedy))
