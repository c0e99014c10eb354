"""The task set of a round of chaos, what is sent to it, and the figures that must come of it.

The figures are computed from what was sent alone, with nothing of the site's own code for scores.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from leaderboard.catalogue.services import import_tasks, save_benchmark
from leaderboard.domain.tasks import TaskSpec
from leaderboard.models import TaskSet

CATEGORIES = ("data", "cpu", "goal")
BENCHMARK, TASK_SET = "chaos", "all"
"""One of its own, as `make demo` brings others."""
TASKS = 9
"""As many as make a check use a pool of processes."""
LANDMARKS = 4
SECONDS_OF_SCRIPT = 20


def task_specs() -> list[TaskSpec]:
    return [
        TaskSpec(
            task_id=f"task-{number}",
            query="Say how far you came.",
            gold={"loss": number},
            landmarks=tuple(f"mark {mark} reached" for mark in range(LANDMARKS)),
            entrypoint="train.py",
            categories=(CATEGORIES[number % len(CATEGORIES)],),
        )
        for number in range(TASKS)
    ]


def make_task_set() -> TaskSet:
    benchmark = save_benchmark(
        {
            "slug": BENCHMARK,
            "name": "Chaos",
            "summary": "",
            "url": "",
            "position": 9,
            "scoring": "super",
            "categories": [{"slug": slug, "name": slug.title()} for slug in CATEGORIES],
            "task_sets": [{"slug": TASK_SET, "name": "All", "summary": "", "is_default": False}],
        }
    )
    task_set: TaskSet = benchmark.task_sets.get(slug=TASK_SET)
    import_tasks(task_set, task_specs())
    return task_set


@dataclass(frozen=True, slots=True)
class Try:
    """One attempt: whether its answer is right, how many landmarks it reaches, whether its script runs.

    ``submitted`` is false for an attempt that was to submit an answer, and whose kernel was killed before.
    """

    number: int
    right: bool
    reached: int
    ran: bool
    submitted: bool = True

    @property
    def task_id(self) -> str:
        return f"task-{self.number}"

    @property
    def answer(self) -> dict[str, int]:
        return {"loss": self.number if self.right else self.number + 1}

    @property
    def said(self) -> str:
        return "".join(f"mark {mark} reached\n" for mark in range(self.reached))


@dataclass(frozen=True, slots=True)
class Plan:
    """An entry: its agent's name, and one attempt at some of the tasks."""

    agent: str
    tries: tuple[Try, ...]

    def figures(self) -> dict[tuple[str, str], float]:
        """(metric, category) to its figure; the category is empty for all tasks."""
        made = {
            "accuracy": {each.number: float(each.right) for each in self.tries},
            "landmarks": {each.number: each.reached / LANDMARKS for each in self.tries},
            "script_executed": {each.number: float(each.ran) for each in self.tries},
            "submitted": {each.number: float(each.submitted) for each in self.tries},
        }
        groups = {"": range(TASKS), **{slug: _numbers_of(slug) for slug in CATEGORIES}}
        # A task without an attempt counts as failed.
        return {
            (metric, slug): sum(values.get(number, 0) for number in numbers) / len(numbers)
            for metric, values in made.items()
            for slug, numbers in groups.items()
        }

    def cut_short(self, reached: Mapping[str, int]) -> Plan:
        """The same with attempts that ended early: task to the landmarks that it had reached."""
        return replace(
            self,
            tries=tuple(
                replace(each, right=False, submitted=False, reached=reached[each.task_id])
                if each.task_id in reached
                else each
                for each in self.tries
            ),
        )


def _numbers_of(category: str) -> list[int]:
    return [number for number in range(TASKS) if CATEGORIES[number % len(CATEGORIES)] == category]


def make_plan(agent: str, random: Random, *, tasks: int, ran: bool) -> Plan:
    """An entry by chance, with attempts at so many tasks, some of each category."""
    numbers = {random.choice(_numbers_of(slug)) for slug in CATEGORIES}
    numbers |= {*random.sample(sorted({*range(TASKS)} - numbers), tasks - len(numbers))}
    return Plan(
        agent,
        tuple(
            Try(number, right=random.random() < 0.5, reached=random.randrange(LANDMARKS + 1), ran=ran)
            for number in sorted(numbers)
        ),
    )


def archive(plan: Plan) -> bytes:
    """A zip with a history.json for each attempt."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        for each in plan.tries:
            packed.writestr(zipfile.ZipInfo(f"{each.task_id}/history.json"), json.dumps(_history(plan, each)))
    return buffer.getvalue()


def _history(plan: Plan, each: Try) -> dict[str, Any]:
    train = {
        "thought": f"{plan.agent} begins.",
        "action": {"type": "execute", "content": "!python train.py"},
        "observation": each.said,
        "execution_start_time": "2024-08-06 10:00:00.5",
        "execution_end_time": f"2024-08-06 10:00:{SECONDS_OF_SCRIPT}.5",
    }
    submit = {
        "thought": "Done.",
        "action": {"type": "submit", "content": each.answer},
        "observation": "submitted",
    }
    return {"query": each.task_id, "history": [train, submit]}


def script(plan: Plan) -> dict[str, Any]:
    """The same attempts as a script for the runner's scripted agent."""
    return {
        "scaffold": plan.agent,
        "model": "script",
        "context_tokens": None,
        "cell_seconds": 60,
        "tasks": {each.task_id: [*_moves(each)] for each in plan.tries},
    }


def _moves(each: Try) -> Iterator[Mapping[str, Any]]:
    cells: Iterable[str] = (f"import time; time.sleep(0.5); print({each.said!r})", "print('done')")
    for cell in cells:
        yield {"thought": "On.", "action": {"type": "execute", "content": cell}}
    yield {"thought": "Done.", "action": {"type": "submit", "content": json.dumps(each.answer)}}
