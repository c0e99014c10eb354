"""A board over 10,000 entries against one over 10: the same columns, the same page size, the same view."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from random import Random
from typing import Any

from django.db import connection, transaction

from benchmarks.table import Row
from benchmarks.temporary_site import client, get
from benchmarks.timing import alternate
from leaderboard.domain.entries import Evidence
from leaderboard.domain.scores import BOARD
from leaderboard.models import Agent, Benchmark, Category, Entry, Task, TaskSet
from leaderboard.scoring.super import SCORING

SMALL, LARGE = 10, 10_000
TASKS = 152
CATEGORIES = ("dependency", "data", "cpu", "issue", "goal", "configuration")
RUNS = 15
PUBLISHED = datetime(2026, 1, 1, tzinfo=UTC)
BOUND = "at most twice as long (a ratio of 0.5 or more)"
BOARDS = {
    "default order": "",
    "landmarks, largest first": "?sort=-landmarks",
    "landmarks, smallest first": "?sort=landmarks",
    "accuracy in a category": "?sort=-accuracy:data",
    "agent's name": "?sort=agent",
    "coverage": "?sort=-coverage",
    "last page": "?page=1000000",
    "filtered by agent": "?agent=agent-0000",
    "filtered by text": "?q=agent-000",
    "filtered by evidence": "?evidence=ranked",
    "only tasks with a score": "?coverage=attempted",
    "only tasks with a score, last page": "?coverage=attempted&page=1000000",
}
DATA = {"JSON": "data.json", "CSV": "data.csv", "charts": "charts.json"}

PAST = {"of a day that is over": "?at=2026-01-31", "of a day after the last change": "?at=2026-06-01"}
BOUND_OF_PAST = "at most six times as long: no index has the ranks of every day (a ratio of 0.17 or more)"


def measure() -> list[Row]:
    """One row an address: milliseconds of a request to the large board and to the small one."""
    client()
    benchmark = Benchmark.objects.create(
        slug="synthetic", name="Synthetic", position=99, scoring_name="super"
    )
    for position, slug in enumerate(CATEGORIES):
        Category.objects.create(benchmark=benchmark, slug=slug, name=slug, position=position)
    small, large = (_fill(benchmark, entries) for entries in (SMALL, LARGE))
    bounds = {**dict.fromkeys(BOARDS | DATA, BOUND), **dict.fromkeys(PAST, BOUND_OF_PAST)}
    return [
        _row(name, f"{large}{address}", f"{small}{address}", bounds[name])
        for name, address in (BOARDS | DATA | PAST).items()
    ]


def _row(name: str, large: str, small: str, bound: str) -> Row:
    ours, against = alternate(partial(get, large), partial(get, small), runs=RUNS)
    return Row(f"{name}, {LARGE:,} entries against {SMALL}", ours * 1e3, against * 1e3, "ms", bound)


@transaction.atomic
def _fill(benchmark: Benchmark, count: int) -> str:
    """A task set with ``count`` entries; the address of its board."""
    task_set = TaskSet.objects.create(benchmark=benchmark, slug=f"entries-{count}", name=f"{count} entries")
    categories = list(benchmark.categories.all())
    tasks = Task.objects.bulk_create(Task(task_set=task_set, task_id=f"task-{n}") for n in range(TASKS))
    for number, task in enumerate(tasks):
        task.categories.add(categories[number % len(categories)])
    random = Random(count)  # noqa: S311 - figures to sort, not a secret
    numbers = list(range(count))
    random.shuffle(numbers)
    agents = Agent.objects.bulk_create(
        Agent(name=f"agent-{n:05}", model=f"model-{n % 10} of {count}") for n in numbers
    )
    entries = Entry.objects.bulk_create(
        Entry(
            agent=agent,
            task_set=task_set,
            slug=f"{count}-{n}",
            attempted=random.randint(1, TASKS),
            evidence=_evidence(n),
            published=PUBLISHED + timedelta(days=n % 100),
        )
        for n, agent in enumerate(agents)
    )
    ranked = {entry.pk: entry.is_ranked for entry in entries}
    _insert_figures(_figures(task_set.pk, ranked, random))
    _insert_standings(task_set.pk)
    return task_set.get_absolute_url()


def _evidence(number: int) -> Evidence:
    """One entry in ten is only self-reported."""
    return Evidence.TRAJECTORIES if number % 10 else Evidence.SELF_REPORTED


def _figures(task_set: int, entries: dict[int, bool], random: Random) -> Iterator[tuple[Any, ...]]:
    tasks = (TASKS, TASKS, TASKS, False)
    for entry, ranked in entries.items():
        for metric in SCORING.by_key:
            for category in ("", *CATEGORIES):
                value = random.randint(0, 10 * TASKS) / (10 * TASKS)
                figure = (BOARD, "reported", "", ranked, metric, category, value, value, *tasks)
                yield task_set, entry, *figure, value / 2, (value + 1) / 2


def _insert_figures(rows: Iterator[tuple[Any, ...]]) -> None:
    """Straight into the table: as many objects would take a minute to make."""
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO leaderboard_figure (task_set_id, entry_id, scorer, source, version, ranked, metric,"
            " category, value, attempted, scored, tasks, attempts, stale, low, high)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            list(rows),
        )


def _insert_standings(task_set: int) -> None:
    """More than a board ever has, as only its first entries are tested."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO leaderboard_standing (figure_id, first, last, more_tasks) SELECT id, 1, 3, 60"
            " FROM leaderboard_figure WHERE task_set_id = %s AND metric = %s AND category = '' AND ranked",
            (task_set, SCORING.ranked_by),
        )
