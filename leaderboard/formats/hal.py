"""HAL's uploads, ``{config, raw_eval_results, raw_logging_results}``: the conversations at a run's tasks."""

from __future__ import annotations

from typing import Final, NoReturn

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.amounts import turn_usage
from leaderboard.formats.conversations import AGENT, Conversation, Turn
from leaderboard.formats.documents import as_number, kind_of_json
from leaderboard.formats.hal_calls import calls_by_task, conversation_of_calls, lost_calls
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
    tasks = calls_by_task(logged)
    if not tasks:
        _refuse(
            name, PLACE, "none of its calls names a task", "give an upload with weave_task_id in its calls"
        )
    return tuple(Sample(task, as_task_id(task)) for task in tasks)


def pick(content: dict[str, JsonValue], index: int, sample: Sample, *, name: str) -> Picked:
    logged, task = content["raw_logging_results"], sample.key
    config = as_object(content["config"])
    model = name_in(as_object(config.get("agent_args")).get("model_name"))
    facts = {"agent": name_in(config.get("agent_name")), "elapsed": _elapsed(content, task)}
    if isinstance(logged, list):
        calls = calls_by_task(logged)[task]
        return Picked(conversation_of_calls(calls, name=name, model=model, **facts), _place(task))
    entry = as_object(logged[task])
    messages, calls = entry.get("messages"), as_objects(entry.get("call_metadata"))
    turns = [number for number, message in enumerate(as_objects(messages)) if message.get("role") == AGENT]
    made = [Turn(usage_of(call.get("usage")), call.get("started_at")) for call in calls]
    count = turn_usage(None, entry.get("call_count"), None).prompt_tokens or len(calls)
    conversation = Conversation(
        messages,
        model=name_in(entry.get("model")) or model,
        usage=add_usage(turn.usage for turn in made),
        turns=dict(zip(turns, made, strict=True)) if len(turns) == len(made) else {},
        warnings=lost_calls(count - len(turns), name=name, place="$.messages"),
        **facts,
    )
    return Picked(conversation, _place(task))


def _sample(task: str, value: JsonValue, name: str) -> Sample:
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        return Sample(task, as_task_id(task))
    what = "an object without messages" if isinstance(value, dict) else kind_of_json(value)
    problem = Problem(name, _place(task), f"the transcript is {what}", "leave the task out")
    return Sample(task, as_task_id(task), problem=problem)


def _elapsed(content: dict[str, JsonValue], task: str) -> float | None:
    seconds = as_number(as_object(content.get("wall_clock_times")).get(task))
    return turn_usage(seconds, None, None).cost


def _place(task: str) -> str:
    return f"{PLACE}.{task[:80]}"


def _refuse(name: str, place: str, reason: str, remedy: str) -> NoReturn:
    raise InputError(Problem(name, place, reason, remedy))
