"""Entries on a set of tasks of repositories of their own."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.attempts.services import record_attempt
from leaderboard.catalogue.services import import_tasks, save_benchmark
from leaderboard.core.figures import refresh_figures
from leaderboard.domain.tasks import TaskSpec
from leaderboard.entries.names import ensure_entry
from leaderboard.models import Entry, TaskSet
from tests.cast import MODEL, make_set, report

NAMES = [f"task-{n}" for n in range(8)]


def eight_tasks() -> TaskSet:
    """A task set of eight tasks, each of its own repository; the first four are of one category."""
    return make_set(
        *(
            TaskSpec(
                name,
                gold={"f1": 0.25},
                repository=f"https://example.org/{name}",
                categories=("data",) if number < 4 else ("cpu",),
            )
            for number, name in enumerate(NAMES)
        )
    )


def reported(task_set: TaskSet, agent: str, values: Sequence[float | None], model: str = MODEL) -> Entry:
    """An entry with these accuracies at the first tasks; None where there is no attempt."""
    given = {name: value for name, value in zip(NAMES, values, strict=False) if value is not None}
    return report(task_set, agent, given, model=model)


def two_papers() -> tuple[TaskSet, Entry, Entry]:
    """AutoExperiment's task set of four tasks of two papers, and two entries with several attempts."""
    benchmark = save_benchmark(
        {
            "slug": "papers",
            "name": "Papers",
            "summary": "",
            "url": "",
            "position": 1,
            "scoring": "autoexperiment",
            "categories": [],
            "task_sets": [{"slug": "n1", "name": "n = 1", "summary": ""}],
        }
    )
    task_set: TaskSet = benchmark.task_sets.get()
    import_tasks(
        task_set,
        [
            TaskSpec(f"{paper}_{n}", repository=f"{paper}_{n}", categories=(paper,))
            for paper in "ab"
            for n in (0, 1)
        ],
    )
    entries = []
    for agent, right in (("Often", 4), ("Seldom", 1)):
        entry = ensure_entry(task_set=task_set, agent=agent, model=MODEL)
        for task in task_set.tasks.all():
            for number in range(1, 6):
                solved = {"solved": float(number > 5 - right)}
                record_attempt(entry=entry, task=task, number=number, reported=solved)
        refresh_figures(task_set, [entry])
        entries.append(entry)
    return task_set, entries[0], entries[1]
