"""A site with made attempts in the database of BENCH_DATABASE_URL: `python -m benchmarks.made_site SIZE`.

SIZE times 10,000 attempts: a large one has more task sets, more entries on each, and so more attempts at each
task. It prints ``ready``, then for every address on standard input the milliseconds that its page took.
EXPLAIN=1 prints the plans of its queries to standard error.
"""

from __future__ import annotations

import math
import os
import sys
import time
from typing import Any

from django.core.management import call_command
from django.db import connection
from django.db.models import Model

from benchmarks.temporary_site import new_client
from leaderboard.core.figures import refresh_figures
from leaderboard.models import (
    Agent,
    Attempt,
    AttemptFile,
    AttemptStep,
    Benchmark,
    Category,
    Entry,
    Figure,
    LandmarkOutcome,
    Score,
    Task,
    TaskSet,
)
from leaderboard.scoring.super import SCORING

TASKS = 40
ENTRIES = 250
"""On the only set of a site of 10,000 attempts."""
STEPS = 3
BOARD = "/b/made/set-1/"
API = "/api/v1/benchmarks/made/set-1"
ADDRESSES = {
    "board": BOARD,
    "board by cost": f"{BOARD}?sort=cost",
    "board by a category": f"{BOARD}?sort=-accuracy:group-1",
    "board, last page": f"{BOARD}?page=1000000",
    "board as JSON": f"{BOARD}data.json",
    "first page": "/",
    "board's history": f"{BOARD}history/",
    "grid of tasks": f"{BOARD}grid/",
    "where attempts stop": f"{BOARD}failures/",
    "list of tasks": f"{BOARD}t/",
    "task": f"{BOARD}t/task-1/",
    "entry": "/e/made-1-1/",
    "attempt": "/a/1/",
    "API: board": f"{API}/board",
    "API: tasks": f"{API}/tasks",
    "API: attempts at a task": f"{API}/tasks/task-1/attempts",
    "API: entries": "/api/v1/entries",
    "API: entry": "/api/v1/entries/made-1-1",
    "API: attempts of an entry": "/api/v1/entries/made-1-1/attempts",
    "API: attempt": "/api/v1/attempts/1",
}


def sizes(times: int) -> tuple[int, int]:
    """Task sets, and entries on each: ten times as many of both for a hundred times the attempts."""
    sets = math.isqrt(times)
    return sets, ENTRIES * times // sets


def make(times: int) -> None:
    """Fill the empty database."""
    sets, entries = sizes(times)
    benchmark = Benchmark.objects.create(slug="made", name="Made", scoring_name=SCORING.name, position=9)
    groups = [
        Category.objects.create(benchmark=benchmark, slug=f"group-{n}", name=f"Group {n}", position=n)
        for n in range(6)
    ]
    task_set = TaskSet.objects.create(benchmark=benchmark, slug="set-1", name="Set 1", is_default=False)
    pattern = "accuracy"
    tasks = [
        Task.objects.create(
            task_set=task_set,
            task_id=f"task-{n}",
            gold="1",
            landmarks=[pattern, pattern],
            entrypoint="train.py",
        )
        for n in range(1, TASKS + 1)
    ]
    for number, task in enumerate(tasks):
        task.categories.add(groups[number % 6])
    agent = Agent.objects.create(name="agent-1", model="model-1")
    entry = Entry.objects.create(
        agent=agent, task_set=task_set, slug="made-1-1", evidence="trajectories", attempted=TASKS
    )
    for task in tasks:
        _one_attempt(entry, task)
    refresh_figures(task_set, [entry])
    with connection.cursor() as cursor:
        # Millions of rows of our own making: checks of keys would take most of the time.
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("SET maintenance_work_mem = '1GB'")
        _multiply(cursor, sets, entries)
        cursor.execute("VACUUM ANALYZE")


def _one_attempt(entry: Entry, task: Task) -> None:
    attempt = Attempt.objects.create(
        entry=entry,
        task=task,
        has_trajectory=True,
        ending="submitted",
        answer="1",
        step_count=STEPS,
        duration=60.0,
        wall_time=90.0,
        cost=0.5,
        prompt_tokens=1000,
        response_tokens=100,
        html="<p>As it was rendered.</p>" * 40,
        source_digest="0" * 64,
    )
    Score.objects.bulk_create(
        Score(attempt=attempt, scorer=scorer.name, version=scorer.version, metric=metric, value=0.5)
        for scorer in SCORING.scorers
        for metric in scorer.rules
    )
    LandmarkOutcome.objects.bulk_create(
        LandmarkOutcome(attempt=attempt, number=n, status="hit", first_step=n) for n in (1, 2)
    )
    AttemptStep.objects.bulk_create(
        AttemptStep(attempt=attempt, number=n, kind="execute", title="!python train.py", duration=20.0)
        for n in range(1, STEPS + 1)
    )
    AttemptFile.objects.create(attempt=attempt, kind="original", name="history.json", blob="0" * 64, size=9)


def _multiply(cursor: Any, sets: int, entries: int) -> None:
    """Copy the first entry and its attempts to every entry of every set."""
    others = f"generate_series(2, {sets}) AS s"
    _copy(cursor, TaskSet, {"id": "p.id + s - 1", "slug": "'set-' || s", "name": "'Set ' || s"}, others)
    _copy(cursor, Task, {"id": f"p.id + {TASKS} * (s - 1)", "task_set_id": "p.task_set_id + s - 1"}, others)
    total = sets * entries
    numbered = f"generate_series(2, {total}) AS e"
    _copy(cursor, Agent, {"id": "p.id + e - 1", "name": "'agent-' || e", "key": "'agent ' || e"}, numbered)
    by_set = f"((e - 1) / {entries})"
    _copy(
        cursor,
        Entry,
        {
            "id": "p.id + e - 1",
            "agent_id": "p.agent_id + e - 1",
            "task_set_id": f"p.task_set_id + {by_set}",
            "slug": f"'made-' || {by_set} + 1 || '-' || e",
        },
        numbered,
    )
    value = "round(((hashint4(e::int + length(p.metric)) % 1000 + 1000) / 2000.0)::numeric, 3)"
    _copy(
        cursor,
        Figure,
        {
            "id": f"p.id + (e - 1) * {Figure.objects.count()}",
            "entry_id": "p.entry_id + e - 1",
            "task_set_id": f"p.task_set_id + {by_set}",
            "value": value,
            "attempted": value,
        },
        numbered,
    )
    _copy(
        cursor,
        Attempt,
        {
            "id": f"p.id + (e - 1) * {TASKS}",
            "entry_id": "p.entry_id + e - 1",
            "task_id": f"p.task_id + {by_set} * {TASKS}",
        },
        numbered,
    )
    for model in (Score, LandmarkOutcome, AttemptStep, AttemptFile):
        rows = model.objects.count()
        changed = {"id": f"p.id + (e - 1) * {rows}", "attempt_id": f"p.attempt_id + (e - 1) * {TASKS}"}
        _copy(cursor, model, changed, numbered)


def _table(model: type[Model]) -> str:
    return str(model._meta.db_table)  # noqa: SLF001 - public for all but its name


def _copy(cursor: Any, model: type[Model], changed: dict[str, str], numbers: str) -> None:
    """Copy every row once for each of ``numbers``, with the ``changed`` columns as expressions of both."""
    columns = [str(field.column) for field in model._meta.concrete_fields]  # noqa: SLF001 - likewise
    values = [changed.get(column, f'p."{column}"') for column in columns]
    names = ", ".join(f'"{column}"' for column in columns)
    table = _table(model)
    # Indexes that are made at the end take a tenth of the time of those that grow row by row.
    ready = "UPDATE pg_index SET indisready = %s WHERE indrelid = %s::regclass"
    cursor.execute(ready, (False, table))
    cursor.execute(
        f'INSERT INTO "{table}" ({names}) SELECT {", ".join(values)} FROM "{table}" AS p CROSS JOIN {numbers}'  # noqa: S608
    )
    cursor.execute(ready, (True, table))
    cursor.execute(f'REINDEX TABLE "{table}"')


CLIENT = new_client()


def _get(address: str) -> None:
    response = CLIENT.get(address)
    assert response.status_code == 200, (address, response.status_code)


def _plans(address: str) -> None:
    connection.force_debug_cursor = True
    connection.queries_log.clear()
    _get(address)
    queries = [query["sql"] for query in connection.queries if query["sql"].startswith("SELECT")]
    connection.force_debug_cursor = False
    with connection.cursor() as cursor:
        for query in queries:
            cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS OFF) {query}")
            plan = "\n".join(row[0] for row in cursor.fetchall())
            sys.stderr.write(f"{address}\n{query}\n{plan}\n\n")


def main() -> None:
    call_command("migrate", verbosity=0)
    make(int(sys.argv[1]))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        address = line.strip()
        start = time.perf_counter()
        _get(address)
        sys.stdout.write(f"{(time.perf_counter() - start) * 1e3}\n")
        sys.stdout.flush()
        if os.environ.get("EXPLAIN"):
            _plans(address)


if __name__ == "__main__":
    main()
