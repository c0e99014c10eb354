"""The attempts in a file: one in most files, several in logs and in JSON Lines."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from leaderboard.domain.errors import Problem
from leaderboard.domain.text import storable
from leaderboard.domain.trajectory import JsonValue
from leaderboard.formats.documents import kind_of_json
from leaderboard.formats.shapes import as_object, as_objects

MAX_NUMBER: Final = 9999
"""The highest attempt number that is accepted."""

_TASK_KEYS: Final = ("task_id", "instance_id", "task")
_METADATA_KEYS: Final = ("info", "metadata", "extra")
# SWE-agent's default environment names.
_DEFAULT_ENVIRONMENTS: Final = frozenset({"main", "swe_main"})
_MAX_TASK_ID: Final = 300
_MAX_LISTED: Final = 5
_MAX_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Sample:
    """One attempt in a file.

    Attributes:
        key: identifies it within the file (``conv_graph_epoch_1``, ``line 3``); empty in a file with one.
        task_id: as in the file, or empty.
        attempt: the attempt's number in the file, from 1; None if it has none.
        problem: why it can't be used, if that is known already.
        is_trial: its file says that it is one of several trials, without a number.
        counts_in_file: the number counts the attempts of this file's run; another file may go on from there.
    """

    key: str = ""
    task_id: str = ""
    attempt: int | None = None
    problem: Problem | None = None
    is_trial: bool = False
    counts_in_file: bool = field(default=False, compare=False)


class Picked(NamedTuple):
    """One sample's document, and its ``place`` in the file."""

    document: JsonValue
    place: str


def sample_of(document: JsonValue, *, name: str, key: str = "", place: str = "$") -> Sample:
    """The sample with the task id and attempt number in a document, which is at ``place`` in its file."""
    number = as_object(document).get("attempt")
    fault = attempt_fault(number, name=name, place=f"{place}.attempt")
    return Sample(key, task_id_in(document), as_attempt(number), fault)


def task_id_in(document: JsonValue) -> str:
    """The task id in a document, under one of the usual keys, or an empty string."""
    fields = as_object(document)
    for part in as_objects([fields, *(fields.get(key) for key in _METADATA_KEYS)]):
        for key in _TASK_KEYS:
            found = as_task_id(part.get(key))
            if found:
                return found
    if "messages" in fields and (found := as_task_id(fields.get("id"))):
        return found
    return _task_of_swe_agent(fields)


def as_attempt(number: JsonValue) -> int | None:
    """A number of an attempt, from 1 to `MAX_NUMBER`; None for anything else."""
    return number if type(number) is int and 1 <= number <= MAX_NUMBER else None


def attempt_fault(number: JsonValue, *, name: str, place: str) -> Problem | None:
    """What is wrong with a number of an attempt; nothing if it is one or null."""
    if number is None or as_attempt(number) is not None:
        return None
    shown = kind_of_json(number) if isinstance(number, list | dict) else json.dumps(number)[:_MAX_SHOWN]
    reason = f"the attempt is {shown}, not a whole number from 1 to {MAX_NUMBER:,}"
    return Problem(name, place, reason, "number the attempts at a task from 1")


def with_outer_place(problem: Problem, place: str) -> Problem:
    """A problem in a part of a file, with the part's place put before its own."""
    inner = problem.place
    return replace(problem, place=f"{place}, {inner}" if place and inner else place or inner)


def no_such_sample(known: tuple[Sample, ...], key: str, *, name: str) -> Problem:
    """The problem for an unknown sample key, or an empty one in a file with several samples."""
    if not known:
        remedy = "give the log of a run with at least one sample"
        return Problem(name, "", "there is no sample in the file", remedy)
    listed = ", ".join(sample.key[:80] for sample in known[:_MAX_LISTED])
    if len(known) > _MAX_LISTED:
        listed += ", …"
    if key:
        reason = f"there is no sample {key[:80]} in the file"
    else:
        reason = f"the file contains {len(known):,} samples, and none was chosen"
    return Problem(name, "", reason, f"choose one of them: {listed}")


def as_task_id(value: JsonValue) -> str:
    """A task's id: a short text, or the id in an object; empty for anything else."""
    if isinstance(value, dict):
        value = value.get("task_id") or value.get("instance_id") or value.get("id")
    if not isinstance(value, str):
        return ""
    value = value.strip()
    # A text of several lines is the task's description, not its id.
    return storable(value) if len(value) <= _MAX_TASK_ID and "\n" not in value else ""


def _task_of_swe_agent(document: dict[str, JsonValue]) -> str:
    """The id of the problem statement of a SWE-agent run, or else its environment's name."""
    found = as_task_id(as_object(replay_config(document.get("replay_config")).get("problem_statement")))
    environment = as_task_id(document.get("environment"))
    return found or ("" if environment in _DEFAULT_ENVIRONMENTS else environment)


def replay_config(value: JsonValue) -> dict[str, JsonValue]:
    """What a SWE-agent run was started with: an object, or its JSON text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = None
    return as_object(value)
