"""A benchmark's task, as scoring needs it."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.domain.trajectory import MISSING, JsonValue, Missing

MAX_ATTEMPTS = 10
"""Attempts at one task in one entry, if the benchmark does not say otherwise."""


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """A task.

    Attributes:
        task_id: the dataset's id; unique within its task set.
        gold: the parsed gold answer, or MISSING where the task has none.
        landmarks: regular expressions, in order.
        entrypoint: the script that has to run, or empty.
        pre_execute_cells: (type, content) of each cell that runs before the agent starts.
        solution: the expert's cells, opaque; never shown, and never given to an agent.
        sources: names of the benchmark's own data sets and repositories, which an agent has no need to read.
    """

    task_id: str
    query: str = ""
    title: str = ""
    repository: str = ""
    commit: str = ""
    entrypoint: str = ""
    gold: JsonValue | Missing = MISSING
    landmarks: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    pre_execute_cells: tuple[tuple[str, str], ...] = ()
    query_components: JsonValue = None
    solution: JsonValue = None
    sources: tuple[str, ...] = ()
