"""The list of a set's tasks: in the order of a column, and those that filters leave."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from django.http import QueryDict

from leaderboard.catalogue.selectors import tasks_with_results
from leaderboard.core.headings import Heading, sort_heading
from leaderboard.models import Task, TaskSet
from leaderboard.scoring.contract import Metric

TASK, MEAN, ATTEMPTS, REPOSITORY = "task", "mean", "attempts", "repository"
COLUMNS: Final = (TASK, MEAN, ATTEMPTS, REPOSITORY)


class Solved(StrEnum):
    """How many of the attempts of ranked entries solved a task."""

    ALL = "all"
    SOME = "some"
    NONE = "none"
    UNTRIED = "untried"


SOLVED: Final[dict[str, str]] = {
    Solved.ALL: "by every attempt",
    Solved.SOME: "by some, or in part",
    Solved.NONE: "by none",
    Solved.UNTRIED: "never scored",
}


@dataclass(frozen=True, slots=True)
class TasksQuery:
    """The query in the address; ``sort`` is one of `COLUMNS`, with a leading ``-`` for descending."""

    q: str = ""
    category: str = ""
    solved: str = ""
    sort: str = ""

    @property
    def filtered(self) -> bool:
        return bool(self.q or self.category or self.solved)


@dataclass(frozen=True, slots=True)
class TasksList:
    """The tasks that fit, of ``total``."""

    tasks: list[Task]
    total: int


def task_headings(decisive: Metric, sort: str, query: QueryDict) -> dict[str, Heading]:
    """The heads of `COLUMNS`, by key."""
    labels = {
        TASK: "Task",
        MEAN: f"Mean {decisive.label.lower()}",
        ATTEMPTS: "Attempts",
        REPOSITORY: "Repository",
    }
    about = {MEAN: "Over the attempts of ranked entries."}
    return {
        key: sort_heading(
            query, sort or TASK, key, label, about=about.get(key, ""), ascending_first=key != ATTEMPTS
        )
        for key, label in labels.items()
    }


def list_tasks(task_set: TaskSet, query: TasksQuery) -> TasksList:
    """The tasks of a set that fit, in the order asked for; those without a mean last. Two queries."""
    tasks = list(tasks_with_results(task_set))
    fitting = [task for task in tasks if _fits(task, query, task_set.scoring.decisive)]
    column, descending = query.sort.removeprefix("-") or TASK, query.sort.startswith("-")
    known = [task for task in fitting if _value(task, column) is not None]
    known.sort(key=lambda task: _value(task, column), reverse=descending)
    return TasksList(known + [task for task in fitting if _value(task, column) is None], len(tasks))


def solved(task: Task, decisive: Metric) -> Solved:
    """How many attempts solved a task of `tasks_with_results`, by their mean."""
    mean: float | None = task.mean_score  # type: ignore[attr-defined]  # annotated
    if mean is None:
        return Solved.UNTRIED
    if mean == decisive.best:
        return Solved.ALL
    return Solved.NONE if mean == decisive.worst else Solved.SOME


def _fits(task: Task, query: TasksQuery, decisive: Metric) -> bool:
    words = f"{task.task_id} {task.title} {task.repository}".lower()
    categories = task.listed_categories  # type: ignore[attr-defined]  # prefetched to it
    return (
        all(word in words for word in query.q.lower().split())
        and (not query.category or any(each.slug == query.category for each in categories))
        and query.solved in ("", solved(task, decisive))
    )


def _value(task: Task, column: str) -> Any:
    """What a column sorts a task by; None without a value."""
    fields = {TASK: "task_id", MEAN: "mean_score", ATTEMPTS: "attempt_count", REPOSITORY: "repository"}
    value = getattr(task, fields[column])
    return None if value == "" else value
