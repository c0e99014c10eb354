"""What is shown of a draft's scores: not enough to ask for a gold answer.

Whoever can read whether a guess was right can read out an answer, guess by guess. So until an entry is
published, scores that depend on gold answers are withheld by task. Their mean over many tasks is shown, to
one decimal of a percent, if it can't be traced to a few tasks or to one of several guesses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from leaderboard.domain.aggregates import Figure, TaskResult, aggregate

UNTIL_PUBLISHED = "shown once the entry is published"
"""The reason of a score that is withheld."""
WITHHELD = "withheld"
"""The status of a landmark that reveals the gold answer, in a draft."""
FEWEST_TASKS = 5
"""A figure of a draft covers at least so many tasks, and so many tasks of the draft have a score above 0."""
DECIMALS = 3
"""Of a share: one decimal of a percentage."""


def draft_figures(results: Sequence[TaskResult]) -> dict[str, Figure]:
    """The means that a draft shows, overall (``""``) and by category; a value of None is not shown.

    Only the first attempt at each task counts: ten attempts must not be ten guesses. Nothing is shown unless
    ``FEWEST_TASKS`` tasks have a score above 0: an entry with one answer would show whether it is right.
    Nor is a category with fewer tasks, or one that differs by fewer tasks from another shown group.
    """
    first = [replace(result, values=result.values[:1]) for result in results]
    above_zero = sum(any(result.values) for result in first)
    shown = traceless_groups({result.task_id: result.categories for result in results})
    return {
        name: _rounded(figure) if above_zero >= FEWEST_TASKS and name in shown else hidden(figure)
        for name, figure in aggregate(first).items()
    }


def hidden(figure: Figure) -> Figure:
    """A figure without its value."""
    return Figure(None, None, figure.scored, figure.tasks, figure.attempts)


def traceless_groups(categories: Mapping[str, Sequence[str]]) -> set[str]:
    """The groups (``""`` is all tasks) of which no two differ by a few tasks, by the tasks' categories.

    It depends on the task set alone, so it tells nothing about an entry.
    """
    members: dict[str, frozenset[str]] = {"": frozenset(categories)}
    for name in dict.fromkeys(name for names in categories.values() for name in names):
        members[name] = frozenset(task for task, names in categories.items() if name in names)
    shown: dict[str, frozenset[str]] = {}
    for name, tasks in members.items():
        differences = (part for other in shown.values() for part in (tasks - other, other - tasks))
        if len(tasks) >= FEWEST_TASKS and all(not part or len(part) >= FEWEST_TASKS for part in differences):
            shown[name] = tasks
    return set(shown)


def _rounded(figure: Figure) -> Figure:
    # Without the mean over the scored tasks: another rounding of the same sum would tell more of it.
    value = None if figure.value is None else round(figure.value, DECIMALS)
    return Figure(value, None, figure.scored, figure.tasks, figure.attempts)
