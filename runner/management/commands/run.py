"""Queues a run: an agent's attempts at tasks."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.catalogue.selectors import get_task_set
from leaderboard.domain.budgets import BUDGETS
from leaderboard.domain.errors import InputError, Problem
from leaderboard.entries.selectors import free_model_name
from leaderboard.models import Task, TaskSet
from leaderboard.runs import offers
from leaderboard.runs.services import MAX_PARALLEL, create_run


class Command(BaseCommand):
    help = (
        "Queue an agent's attempts at tasks. Workers (`celery -A runner.worker.app worker`) make them; "
        "/runs/ shows them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--agent", required=True, help="one of: " + ", ".join(a.name for a in offers.agents())
        )
        parser.add_argument("--set", required=True, help="task set: SET, or BENCHMARK/SET")
        parser.add_argument(
            "--task", action="append", dest="tasks", help="a task's id; every task if not given"
        )
        parser.add_argument(
            "--attempts", type=int, default=1,
            help="tries at each task, to the benchmark's max_attempts (default: 1)",
        )  # fmt: skip
        parser.add_argument(
            "--max-parallel", type=int, default=2, help=f"jobs at once, to {MAX_PARALLEL} (default: 2)"
        )
        parser.add_argument("--sandbox", help="docker or local (default: the first that may be used)")
        parser.add_argument(
            "--setting", action="append", type=pair, default=[], metavar="NAME=VALUE", help="of the agent"
        )
        parser.add_argument(
            "--limit", action="append", type=pair, default=[], metavar="NAME=VALUE",
            help="one of: " + ", ".join(BUDGETS),
        )  # fmt: skip
        parser.add_argument("--scaffold", help="the name of the agent on the board")
        parser.add_argument(
            "--model", help="the name of its model on the board (default: its name, or a free one)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            task_set = get_task_set(options["set"])
            agent = offers.get_agent(options["agent"])
            settings = {**agent.defaults, **dict(options["setting"])}
            agent.check_fits(task_set.benchmark.slug)
            agent.check(settings)
            scaffold = options["scaffold"] or agent.scaffold
            model = agent.model or str(settings.get("model", ""))
            run = create_run(
                task_set=task_set,
                tasks=_tasks(task_set, options["tasks"]),
                attempts=options["attempts"],
                agent=agent.name,
                scaffold=scaffold,
                model=options["model"] or free_model_name(task_set, scaffold, model),
                settings=settings,
                sandbox=offers.pick_sandbox(options["sandbox"], task_set.benchmark.slug).name,
                limits=dict(options["limit"]),
                max_parallel=options["max_parallel"],
            )
        except InputError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"run {run.pk}: {run.jobs.count()} jobs are queued; see {run.get_absolute_url()}")


def pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ArgumentTypeError(f"“{text}” is not NAME=VALUE")
    return name, value


def _tasks(task_set: TaskSet, ids: list[str] | None) -> list[Task]:
    tasks = list(task_set.tasks.all())
    if ids is None:
        return tasks
    known = {task.task_id: task for task in tasks}
    if unknown := [task_id for task_id in ids if task_id not in known]:
        raise InputError(Problem("--task", "", f"not a task of this set: {', '.join(unknown)}"))
    return [known[task_id] for task_id in dict.fromkeys(ids)]
