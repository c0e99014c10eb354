"""What a file says of the attempts in it: one in most files, several in logs and in JSON Lines."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from leaderboard.domain.errors import Problem
from leaderboard.domain.text import plural, storable
from leaderboard.domain.trajectory import JsonValue

MAX_NUMBER: Final = 9999
"""The highest number of an attempt that is believed."""

_TASK_KEYS: Final = ("task_id", "instance_id", "task")
_BESIDE: Final = ("info", "metadata", "extra")
# What SWE-agent calls an environment that it was not given a name for.
_NAMELESS: Final = frozenset({"main", "swe_main"})
_MAX_TASK_ID: Final = 300
_MAX_LISTED: Final = 5


@dataclass(frozen=True, slots=True)
class Sample:
    """One attempt in a file.

    Attributes:
        key: names it within the file (``conv_graph_epoch_1``, ``line 3``); empty in a file of one.
        task_id: what the file says of the task, or empty.
        attempt: which try at the task the file says it is, from 1; None where it doesn't say.
    """

    key: str = ""
    task_id: str = ""
    attempt: int | None = None


class Picked(NamedTuple):
    """One sample's document, and its ``place`` in the file."""

    document: JsonValue
    place: str


def sample_of(document: JsonValue, *, key: str = "") -> Sample:
    """What a document says of itself."""
    return Sample(key, task_named(document), attempt_named(document))


def task_named(document: JsonValue) -> str:
    """The task that a document names, by whichever of the usual keys it has, or an empty string."""
    if not isinstance(document, dict):
        return ""
    for part in (document, *(document.get(key) for key in _BESIDE)):
        if isinstance(part, dict):
            for key in _TASK_KEYS:
                found = _as_task(part.get(key))
                if found:
                    return found
    return _task_of_swe_agent(document)


def attempt_named(document: JsonValue) -> int | None:
    """Which try a document says it is, or None."""
    number = document.get("attempt") if isinstance(document, dict) else None
    return number if type(number) is int and 1 <= number <= MAX_NUMBER else None


def placed(problem: Problem, place: str) -> Problem:
    """A problem found in a part of a file, with the part's place before its own."""
    inner = problem.place
    return replace(problem, place=f"{place}, {inner}" if place and inner else place or inner)


def not_chosen(known: tuple[Sample, ...], key: str, *, name: str) -> Problem:
    """The problem of asking for a sample that is not there, or for none where there are several."""
    if not known:
        return Problem(name, "", "there is no sample in the file", "give the log of a run that tried a task")
    listed = ", ".join(sample.key[:80] for sample in known[:_MAX_LISTED])
    if len(known) > _MAX_LISTED:
        listed += ", …"
    if key:
        reason = f"there is no sample {key[:80]} in the file"
    else:
        reason = plural(
            len(known),
            "the file holds {n} sample under a key",
            "the file holds {n} samples, and none was asked for",
        )
    return Problem(name, "", reason, f"ask for one of them: {listed}")


def _as_task(value: JsonValue) -> str:
    if isinstance(value, dict):
        value = value.get("task_id") or value.get("instance_id") or value.get("id")
    if not isinstance(value, str):
        return ""
    value = value.strip()
    # A text of several lines is the task itself, not its name.
    return storable(value) if len(value) <= _MAX_TASK_ID and "\n" not in value else ""


def _task_of_swe_agent(document: dict[str, JsonValue]) -> str:
    """The problem that a run of SWE-agent was given, or the environment where that has a name."""
    replay = document.get("replay_config")
    if isinstance(replay, str):
        try:
            replay = json.loads(replay)
        except (ValueError, RecursionError):
            replay = None
    statement = replay.get("problem_statement") if isinstance(replay, dict) else None
    found = _as_task(statement) if isinstance(statement, dict) else ""
    environment = _as_task(document.get("environment"))
    return found or ("" if environment in _NAMELESS else environment)
